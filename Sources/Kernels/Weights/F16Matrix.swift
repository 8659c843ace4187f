import CKernels
import MIL

/// A constant matrix as fp16, row-major. It uses the file's own bytes, or packs once for each model any weight whose
/// values fp16 holds exactly.
struct F16Matrix: Sendable {
  private enum Owner: Sendable {
    case file(Tensor)
    case packed(PackedMemory)
  }

  private let owner: Owner

  /// Returns false for weights that are fp32 in memory, and for values that fp16 does not hold exactly.
  static func canHold(_ weight: StoredWeight) -> Bool {
    weight.floats == nil && weight.type.scalar == .float32 && weight.form.isF16
  }

  /// The fp16 elements in place in the file.
  private static func stored(_ weight: StoredWeight) -> Tensor? {
    var form = weight.form
    while case .rounded(let inner) = form { form = inner }
    guard case .dense(let numbers) = form, numbers.tensor.scalar == .float16,
      Int(bitPattern: numbers.tensor.storage.pointer) % 2 == 0
    else { return nil }
    return numbers.tensor
  }

  /// Whether the weight can be used without packing.
  static func isInFile(_ weight: StoredWeight) -> Bool { stored(weight) != nil }

  init(_ weight: StoredWeight, _ preparation: Preparation) throws {
    guard Self.canHold(weight) else {
      throw KernelError(.outOfMemory, "the weights \(weight.type) are not fp16")
    }
    if let tensor = Self.stored(weight) {
      owner = .file(tensor)
      return
    }
    guard !weight.count.multipliedReportingOverflow(by: 2).overflow else {
      throw KernelError(.outOfMemory, "the weights \(weight.type) cannot be packed")
    }
    owner = .packed(
      try preparation.packed(weight, Self.recipe(of: weight)) { target in
        guard let target = target.baseAddress?.assumingMemoryBound(to: UInt16.self) else { return }
        weight.decodeF16(0..<weight.count, into: target)
      })
  }

  static func recipe(of weight: StoredWeight) -> PackingRecipe {
    PackingRecipe("rows.half", [], byteCount: 2 &* weight.count)
  }

  /// Valid while this value is alive.
  var pointer: UnsafePointer<UInt16> {
    switch owner {
    case .file(let tensor): tensor.storage.pointer.assumingMemoryBound(to: UInt16.self)
    case .packed(let memory): memory.pointer.assumingMemoryBound(to: UInt16.self)
    }
  }
}

extension StoredWeight {
  /// Limit for the elements that are inspected. Small constants are folded into fp32 when a model is read.
  private static let mostLooked = 1 << 20

  /// Whether fp16 holds every element exactly.
  var isExactInF16: Bool {
    if F16Matrix.canHold(self) { return true }
    guard type.scalar == .float32, count <= Self.mostLooked else { return false }
    return withUnsafeTemporaryAllocation(of: Float.self, capacity: 2 * WeightEncoding.piece) { floats in
      withUnsafeTemporaryAllocation(of: UInt16.self, capacity: WeightEncoding.piece) { f16 in
        guard let found = floats.baseAddress, let target = f16.baseAddress else { return false }
        for start in stride(from: 0, to: count, by: WeightEncoding.piece) {
          let end = min(start + WeightEncoding.piece, count)
          decode(start..<end, into: found)
          ck_f32_to_f16(found, target, end - start)
          ck_f16_to_f32(target, found + WeightEncoding.piece, end - start)
          for place in 0..<(end - start) where found[place] != found[WeightEncoding.piece + place] { return false }
        }
        return true
      }
    }
  }

  /// Writes elements as fp16, rounded where fp16 does not hold them exactly.
  func decodeF16(_ range: Range<Int>, into target: UnsafeMutablePointer<UInt16>) {
    withUnsafeTemporaryAllocation(of: Float.self, capacity: WeightEncoding.piece) { chunk in
      guard let memory = chunk.baseAddress else { return }
      var at = range.lowerBound
      while at < range.upperBound {
        let end = min(at + WeightEncoding.piece, range.upperBound)
        decode(at..<end, into: memory)
        ck_f32_to_f16(memory, target + (at - range.lowerBound), end - at)
        at = end
      }
    }
  }
}
