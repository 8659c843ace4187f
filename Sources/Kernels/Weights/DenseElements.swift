import CKernels
import MIL

/// The elements of a tensor, decoded to fp32, for any range.
struct DenseElements: Sendable {
  let tensor: Tensor
  /// The value of every bit pattern, for element types of at most eight bits that the CPU does not read directly.
  let values: [Float]

  /// Nil for strings.
  init?(_ tensor: Tensor) {
    guard tensor.scalar != .string else { return nil }
    self.tensor = tensor
    values = Self.tables[tensor.scalar] ?? []
  }

  /// Whether fp32 holds every value exactly.
  var isExact: Bool {
    switch tensor.scalar {
    case .float64, .int32, .int64, .uint32, .uint64, .string: false
    default: true
    }
  }

  /// Whether fp16 holds every value exactly.
  var isF16: Bool { isExact && (tensor.scalar == .float16 || tensor.scalar.bitWidth <= 8) }

  /// Whether the values are integers whose differences fp32 holds exactly.
  var isShort: Bool { isExact && !tensor.scalar.isFloat }

  /// The elements in place, if they are aligned fp32 already.
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

  /// target[i] = values[index] for the indices in `range`, which have `bits` bits each and are packed from the least
  /// significant bit on.
  static func look(
    _ bits: Int, _ base: UnsafeRawPointer, _ range: Range<Int>, _ values: UnsafePointer<Float>,
    into target: UnsafeMutablePointer<Float>
  ) {
    let indices = base.assumingMemoryBound(to: UInt8.self)
    var (first, done) = (range.lowerBound, 0)
    if first * bits % 8 != 0 {
      // Eight indices always fill complete bytes.
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

  private static let tables: [ScalarType: [Float]] = {
    var tables: [ScalarType: [Float]] = [:]
    for scalar in [ScalarType.uint1, .uint2, .uint3, .uint4, .uint6] {
      tables[scalar] = (0..<1 << scalar.bitWidth).map { Float($0) }
    }
    tables[.int4] = (0..<16).map { Float($0 < 8 ? $0 : $0 - 16) }
    for scalar in [ScalarType.float8E4M3FN, .float8E5M2] { tables[scalar] = eightBits(scalar) }
    return tables
  }()

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
