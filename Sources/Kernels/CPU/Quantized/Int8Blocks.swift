import CKernels
import MIL

/// Channels of bytes in blocks: four times as many as of floats, so that four of them along a sum take a float's place.
enum Int8Blocks {
  static var size: Int { 4 * Blocks.size }
  static var layout: Layout { .blocked(size) }
  static func count(_ channels: Int) -> Int { (channels + size - 1) / size }
  static func padded(_ channels: Int) -> Int { count(channels) * size }

  /// Refuses where the processor has no products of bytes.
  static func require() throws {
    guard ck_int8_supported() else { throw Refusal("the processor has no products of bytes") }
  }

  /// What is added to a byte as it is stored, without a carry, so that it has no sign: blocks of `int8` lie so.
  static func flip(_ scalar: ScalarType) -> UInt8 { scalar == .int8 ? 0x80 : 0 }
}

extension Candidate {
  /// The offer of a kernel whose operands in `slots` are blocks of bytes, as its output is, or else blocks of floats.
  func byteBlocked(_ slots: [Int], givesBytes: Bool = true) -> Candidate {
    var candidate = self
    for slot in slots { candidate.takes[slot] = Int8Blocks.layout }
    candidate.gives[0] = givesBytes ? Int8Blocks.layout : Blocks.layout
    return candidate
  }
}

/// What the bytes of an operand or a result stand for, without a sign: multiples of `scale` from `low` on.
struct Int8Scale: Sendable, Hashable {
  let scale: Double
  let low: Int32

  /// Of an operand; of the result where `name` is empty.
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
      throw Refusal("no scale of bytes")
    }
    (self.scale, low) = (scale, Int32(range.lowerBound - zero))
    guard Float(1 / scale).isFinite, Float(scale) > 0 else { throw Refusal("the scale is too small or too large") }
  }

  /// The byte of 0.
  var nothing: UInt8 { UInt8(-low) }

  /// What results become that end with an activation which only bounds them; a refusal of any other.
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
    default: throw Refusal("'\(activation.name.rawValue)' is no bound of bytes")
    }
    return Int8Quantization(low: low, least: least, greatest: greatest, table: table)
  }
}

/// What sums become: bytes, and what a table has for these.
struct Int8Quantization: Sendable {
  let low: Int32
  let least: Int32
  let greatest: Int32
  let table: Int8Table?

  /// The C kernels' form, while this is there.
  var steps: ck_int8_quantization {
    ck_int8_quantization(low: low, least: least, greatest: greatest, table: table?.pointer)
  }
}

/// What every byte becomes, both without a sign.
struct Int8Table: Sendable {
  private let memory: PackedMemory
  var pointer: UnsafePointer<UInt8> { memory.pointer.assumingMemoryBound(to: UInt8.self) }

  /// Nil where the site has none.
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
