import CKernels
import MIL

/// A tensor's numbers as floats: any range of them.
struct DenseElements: Sendable {
  let tensor: Tensor
  /// The value of every pattern, for elements of at most eight bits that no processor reads.
  let values: [Float]

  /// Nil for strings.
  init?(_ tensor: Tensor) {
    guard tensor.scalar != .string else { return nil }
    self.tensor = tensor
    values = Self.table(of: tensor.scalar)
  }

  /// Every value is a float as it stands.
  var isExact: Bool {
    switch tensor.scalar {
    case .float64, .int32, .int64, .uint32, .uint64, .string: false
    default: true
    }
  }

  /// Every value is a half as it stands.
  var isF16: Bool { isExact && (tensor.scalar == .float16 || tensor.scalar.bitWidth <= 8) }

  /// Integers whose differences are floats as they stand.
  var isShort: Bool { isExact && !tensor.scalar.isFloat }

  /// The numbers where they stand, if they are floats already.
  var floats: UnsafePointer<Float>? {
    guard tensor.scalar == .float32, Int(bitPattern: tensor.storage.pointer) % 4 == 0 else { return nil }
    return tensor.storage.pointer.assumingMemoryBound(to: Float.self)
  }

  func decode(_ range: Range<Int>, into target: UnsafeMutablePointer<Float>) {
    guard !range.isEmpty else { return }
    let scalar = tensor.scalar
    withExtendedLifetime(tensor.storage) {
      let base = tensor.storage.pointer
      if !values.isEmpty {
        values.withUnsafeBufferPointer { table in
          guard let values = table.baseAddress else { return }
          Self.look(scalar.bitWidth, base, range, values, into: target)
        }
        return
      }
      let source = base + range.lowerBound * (scalar.bitWidth / 8)
      if scalar == .bfloat16 {
        for index in 0..<range.count {
          let bits = source.loadUnaligned(fromByteOffset: 2 * index, as: UInt16.self)
          target[index] = Float(bitPattern: UInt32(bits) << 16)
        }
      } else if let type = CKType.code(scalar) {
        _ = ck_cast(type, CK_TYPE_F32, source, target, range.count)
      }
    }
  }

  /// target[i] = values[index] for the indices `range` of `bits` each, packed from the least significant bit on.
  static func look(
    _ bits: Int, _ base: UnsafeRawPointer, _ range: Range<Int>, _ values: UnsafePointer<Float>,
    into target: UnsafeMutablePointer<Float>
  ) {
    let indices = base.assumingMemoryBound(to: UInt8.self)
    var (first, done) = (range.lowerBound, 0)
    if first * bits % 8 != 0 {
      // Eight indices are whole bytes.
      let lead = first % 8
      done = min(range.count, 8 - lead)
      withUnsafeTemporaryAllocation(of: Float.self, capacity: 8) { group in
        guard let memory = group.baseAddress else { return }
        _ = ck_lookup_f32(bits, indices + (first - lead) * bits / 8, values, memory, lead + done)
        target.update(from: memory + lead, count: done)
      }
      first += done
    }
    guard done < range.count else { return }
    _ = ck_lookup_f32(bits, indices + first * bits / 8, values, target + done, range.count - done)
  }

  private static func table(of scalar: ScalarType) -> [Float] {
    switch scalar {
    case .uint1, .uint2, .uint3, .uint4, .uint6: (0..<1 << scalar.bitWidth).map { Float($0) }
    case .int4: (0..<16).map { Float($0 < 8 ? $0 : $0 - 16) }
    case .float8E4M3FN: eightBits(scalar)
    case .float8E5M2: eightBits(scalar)
    default: []
    }
  }

  private static func eightBits(_ scalar: ScalarType) -> [Float] {
    let patterns = (0...UInt8.max).map { $0 }
    let values = patterns.withUnsafeBytes { bytes -> [Double]? in
      guard let base = bytes.baseAddress else { return nil }
      let storage = TensorStorage(borrowing: base, byteCount: bytes.count, owner: nil)
      return try? Tensor(scalar, shape: [256], storage: storage).doubles()
    }
    return (values ?? Array(repeating: .nan, count: 256)).map { Float($0) }
  }
}
