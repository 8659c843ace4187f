import CKernels
import MIL

/// The NCHWc layout of int8 channels. A block has four times as many channels as an fp32 block, so that four int8
/// values along K share a 32-bit lane.
enum Int8Blocks {
  static var size: Int { 4 * Blocks.size }
  static var layout: Layout { .blocked(size) }
  static func count(_ channels: Int) -> Int { (channels + size - 1) / size }
  static func padded(_ channels: Int) -> Int { count(channels) * size }

  /// Refuses if the processor has no int8 dot products.
  static func require() throws {
    guard ck_int8_supported() else { throw Refusal("the processor has no int8 dot products") }
  }

  /// The XOR mask between a stored value and uint8. It flips the sign bit of `int8`, because blocks hold unsigned
  /// bytes.
  static func flip(_ scalar: ScalarType) -> UInt8 { scalar == .int8 ? 0x80 : 0 }
}

extension Candidate {
  /// The candidate of a kernel with int8 NCHWc operands in `slots`. The output is int8 NCHWc, or else fp32 NCHWc.
  func byteBlocked(_ slots: [Int], givesBytes: Bool = true) -> Candidate {
    var candidate = self
    for slot in slots { candidate.takes[slot] = Int8Blocks.layout }
    candidate.gives[0] = givesBytes ? Int8Blocks.layout : Blocks.layout
    return candidate
  }
}

/// The quantization of an operand or a result in unsigned form: byte b stands for `scale` * (b + `low`).
struct Int8Scale: Sendable, Hashable {
  let scale: Double
  let low: Int32

  /// The quantization of an operand, or of the result if `name` is empty.
  init(_ problem: KernelProblem, of name: String) throws {
    let scalar = try name.isEmpty ? problem.invocation.scalarType("output_dtype") : problem.scalar(name)
    let known = try problem.known { try Quantized.Scale(problem.invocation, of: name) }
    try self.init(scalar, scale: known.scale, zero: known.zero)
  }

  init(_ scalar: ScalarType, scale: Double, zero: Double) throws {
    guard scalar == .int8 || scalar == .uint8, let range = scalar.integerRange else {
      throw Refusal("the integers are \(scalar.rawValue)")
    }
    guard scale > 0, scale.isFinite, zero == zero.rounded(), range.contains(zero) else {
      throw Refusal("not a valid quantization of int8 or uint8")
    }
    (self.scale, low) = (scale, Int32(range.lowerBound - zero))
    guard Float(1 / scale).isFinite, Float(scale) > 0 else { throw Refusal("the scale is too small or too large") }
  }

  /// The byte that stands for 0.
  var nothing: UInt8 { UInt8(-low) }

  /// The output quantization for an activation that only clamps. Refuses any other activation.
  func steps(_ activation: FusedActivation, _ table: Int8Table?) throws -> Int8Quantization {
    func step(_ number: Double) -> Int32 {
      Int32(min(max((number / scale).rounded(.toNearestOrEven), Double(low)), Double(low) + 255))
    }
    var (least, greatest) = (low, low + 255)
    switch activation.name {
    case .linear where activation.alpha == 1 && activation.beta == 0: break
    case .relu: least = max(least, 0)
    case .relu6: (least, greatest) = (max(least, 0), step(6))
    case .clip where activation.alpha <= activation.beta:
      (least, greatest) = (step(activation.alpha), step(activation.beta))
    default: throw Refusal("'\(activation.name.rawValue)' does more than clamp")
    }
    return Int8Quantization(low: low, least: least, greatest: greatest, table: table)
  }
}

/// How accumulators become bytes: the range of results, and an optional lookup table.
struct Int8Quantization: Sendable {
  let low: Int32
  let least: Int32
  let greatest: Int32
  let table: Int8Table?

  /// The value for the C kernels, valid while this value is alive.
  var steps: ck_int8_quantization {
    ck_int8_quantization(low: low, least: least, greatest: greatest, table: table?.pointer)
  }
}

/// A lookup table from bytes to bytes, both unsigned.
struct Int8Table: Sendable {
  private let memory: PackedMemory
  var pointer: UnsafePointer<UInt8> { memory.pointer.assumingMemoryBound(to: UInt8.self) }

  /// Nil if the problem has no table.
  init?(_ problem: KernelProblem) throws {
    guard problem.has("table") else { return nil }
    let table = try problem.constant("table")
    guard table.count == 256, table.scalar == .int8 || table.scalar == .uint8 else {
      throw Refusal("the table is \(table.type)")
    }
    let flip = Int8Blocks.flip(table.scalar)
    memory = try PackedMemory.filled(byteCount: 256) { target in
      table.withUnsafeBytes { for index in 0..<256 { target[index] = $0[index] ^ flip } }
    }
  }
}

extension KernelProblem {
  /// The scalar type of the first output.
  func resultScalar() throws -> ScalarType {
    guard let output = outputs.first else { throw Refusal("there is no output") }
    return output.scalar
  }
}
