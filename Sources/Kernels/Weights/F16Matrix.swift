import CKernels
import MIL

/// A constant matrix as halves, row by row: where the file has it, or packed once a model from whatever gives nothing but halves.
struct F16Matrix: Sendable {
  private enum Owner: Sendable {
    case file(Tensor)
    case packed(PackedMemory)
  }

  private let owner: Owner

  /// Nil for weights that are floats in memory, and those that halves would not hold.
  static func canHold(_ weight: StoredWeight) -> Bool {
    weight.floats == nil && weight.type.scalar == .float32 && weight.form.isF16
  }

  /// The halves where they stand in the file.
  private static func stored(_ weight: StoredWeight) -> Tensor? {
    var form = weight.form
    while case .rounded(let inner) = form { form = inner }
    guard case .dense(let numbers) = form, numbers.tensor.scalar == .float16,
      Int(bitPattern: numbers.tensor.storage.pointer) % 2 == 0
    else { return nil }
    return numbers.tensor
  }

  /// Whether nothing has to be made of the weight.
  static func isInFile(_ weight: StoredWeight) -> Bool { stored(weight) != nil }

  init(_ weight: StoredWeight, _ preparation: Preparation) throws {
    guard Self.canHold(weight) else {
      throw KernelError(.outOfMemory, "the weights \(weight.type) are no halves")
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
        weight.decodeHalves(0..<weight.count, into: target)
      })
  }

  static func recipe(of weight: StoredWeight) -> PackingRecipe {
    PackingRecipe("rows.half", [], byteCount: 2 &* weight.count)
  }

  /// Valid while this value is.
  var pointer: UnsafePointer<UInt16> {
    switch owner {
    case .file(let tensor): tensor.storage.pointer.assumingMemoryBound(to: UInt16.self)
    case .packed(let memory): memory.pointer.assumingMemoryBound(to: UInt16.self)
    }
  }
}

extension StoredWeight {
  /// Elements that are looked at, at most: small constants are folded into floats when a model is read.
  private static let mostLooked = 1 << 20

  /// Whether halves hold every element as it is.
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

  /// Writes elements as halves, rounded where they are none.
  func decodeHalves(_ range: Range<Int>, into target: UnsafeMutablePointer<UInt16>) {
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
