import CNumbers
import CoreMLServingInterface

/// Reads elements of one type from a JSON list into memory.
///
/// Numbers below 2^52 are read in blocks as doubles, which hold them exactly, and converted with a check of the range.
/// Everything else is read one by one.
struct ElementReader {
  /// The numbers of a block: small enough for the first cache.
  static let block = 512

  let type: TensorType
  let tensor: String

  /// Reads elements until the list has no more or `most` are read, at least one. A separator after them stays unread.
  func read(
    _ scanner: inout JSONScanner, _ out: UnsafeMutableRawPointer, most: Int
  ) throws(ServingError) -> Int {
    switch type {
    case .bool: return try bool(&scanner, out)
    case .float64: return try floats(&scanner, out, most) { $0 }
    case .float32: return try floats(&scanner, out, most) { Float($0) }
    case .float16: return try floats(&scanner, out, most) { Float16(Float($0)) }
    case .bfloat16: return try floats(&scanner, out, most) { BFloat16(Float($0)) }
    case .int32: return try integers(&scanner, out, most, Int32.self)
    case .int64: return try integers(&scanner, out, most, Int64.self)
    case .int8: return try integers(&scanner, out, most, Int8.self)
    case .int16: return try integers(&scanner, out, most, Int16.self)
    case .uint8: return try integers(&scanner, out, most, UInt8.self)
    case .uint16: return try integers(&scanner, out, most, UInt16.self)
    case .uint32: return try integers(&scanner, out, most, UInt32.self)
    case .uint64: return try integers(&scanner, out, most, UInt64.self)
    case .bytes: throw scanner.error("the tensor '\(tensor)' needs strings")
    }
  }

  private func bool(_ scanner: inout JSONScanner, _ out: UnsafeMutableRawPointer) throws(ServingError) -> Int {
    switch scanner.peek() {
    case UInt8(ascii: "0"), UInt8(ascii: "1"):
      guard case .integer(let value) = try scanner.number(), value == 0 || value == 1 else {
        throw scanner.error("true or false was expected")
      }
      out.storeBytes(of: UInt8(value), as: UInt8.self)
    default: out.storeBytes(of: try scanner.bool() ? 1 : 0, as: UInt8.self)
    }
    return 1
  }

  private func floats<Element: Finite>(
    _ scanner: inout JSONScanner, _ out: UnsafeMutableRawPointer, _ most: Int, _ convert: (Double) -> Element
  ) throws(ServingError) -> Int {
    var isFinite = true
    let count = block(&scanner, most) { numbers, _ in
      let elements = UnsafeMutableRawBufferPointer(start: out, count: numbers.count * MemoryLayout<Element>.size)
        .assumingMemoryBound(to: Element.self)
      for index in 0..<numbers.count {
        let element = convert(numbers[index])
        elements[index] = element
        isFinite = isFinite && element.isFinite
      }
    }
    guard isFinite else { throw outOfRange() }
    if count > 0 { return count }
    let element: Element
    if scanner.peek() == UInt8(ascii: "\"") {
      switch try scanner.string() {
      case "NaN": element = convert(.nan)
      case "Infinity": element = convert(.infinity)
      case "-Infinity": element = convert(-.infinity)
      default: throw scanner.error("the tensor '\(tensor)' of type \(type.rawValue) needs a number")
      }
    } else {
      switch try number(&scanner) {
      case .integer(let value): element = convert(Double(value))
      case .unsigned(let value): element = convert(Double(value))
      case .real(let value): element = convert(value)
      }
      guard element.isFinite else { throw outOfRange() }
    }
    out.storeBytes(of: element, as: Element.self)
    return 1
  }

  private func integers<Element: FixedWidthInteger & BitwiseCopyable>(
    _ scanner: inout JSONScanner, _ out: UnsafeMutableRawPointer, _ most: Int, _ type: Element.Type
  ) throws(ServingError) -> Int {
    var wrong: Double?
    let count = block(&scanner, most) { numbers, hasFraction in
      let elements = UnsafeMutableRawBufferPointer(start: out, count: numbers.count * MemoryLayout<Element>.size)
        .assumingMemoryBound(to: Element.self)
      // All numbers are below 2^52.
      for index in 0..<numbers.count {
        let integer = Int64(numbers[index])
        let element = Element(truncatingIfNeeded: integer)
        elements[index] = element
        if Int64(exactly: element) != integer || (hasFraction && Double(integer) != numbers[index]) {
          wrong = numbers[index]
        }
      }
    }
    if let wrong { throw wrong.rounded() == wrong ? outOfRange() : noInteger(wrong) }
    if count > 0 { return count }
    let exact: Element?
    switch try number(&scanner) {
    case .integer(let value): exact = Element(exactly: value)
    case .unsigned(let value): exact = Element(exactly: value)
    case .real(let value):
      guard value.rounded() == value else { throw noInteger(value) }
      exact = Element(exactly: value)
    }
    guard let exact else { throw outOfRange() }
    out.storeBytes(of: exact, as: Element.self)
    return 1
  }

  /// Reads plain numbers up to a block; 0 if the next value is not a plain number. `use` also gets whether a number may
  /// have a fraction.
  @inline(__always) private func block(
    _ scanner: inout JSONScanner, _ most: Int, _ use: (UnsafeBufferPointer<Double>, Bool) -> Void
  ) -> Int {
    guard scanner.peek() != nil else { return 0 }
    let (start, end) = (scanner.address + scanner.position, scanner.end)
    let (count, read) = withUnsafeTemporaryAllocation(of: Double.self, capacity: Self.block) { numbers in
      guard let first = numbers.baseAddress else { return (0, 0) }
      let part = cnumbers_read_part(start, end, 0, min(most, Self.block), first)
      use(UnsafeBufferPointer(rebasing: UnsafeBufferPointer(numbers)[..<part.count]), part.has_fraction != 0)
      return (part.count, part.next - start)
    }
    if count > 0 { scanner.position += read }
    return count
  }

  private func number(_ scanner: inout JSONScanner) throws(ServingError) -> JSONScanner.Number {
    guard let byte = scanner.peek(), byte == UInt8(ascii: "-") || (byte >= 0x30 && byte <= 0x39) else {
      throw scanner.error("the tensor '\(tensor)' of type \(type.rawValue) needs a number")
    }
    return try scanner.number()
  }

  private func outOfRange() -> ServingError {
    ServingError(.invalidArgument, "A number of the tensor '\(tensor)' is beyond the range of \(type.rawValue).")
  }

  private func noInteger(_ value: Double) -> ServingError {
    ServingError(
      .invalidArgument, "The tensor '\(tensor)' of type \(type.rawValue) needs integers, and \(value) is none.")
  }
}

/// A type that knows infinities.
protocol Finite: BitwiseCopyable { var isFinite: Bool { get } }
extension Double: Finite {}
extension Float: Finite {}
extension Float16: Finite {}

/// The bits of a BF16: the upper half of a float.
struct BFloat16: Finite {
  let bits: UInt16

  /// The nearest, ties to even.
  init(_ value: Float) {
    let pattern = value.bitPattern
    bits =
      value.isNaN
      ? 0x7FC0 : UInt16(truncatingIfNeeded: (pattern &+ 0x7FFF &+ (pattern >> 16 & 1)) >> 16)
  }

  init(bits: UInt16) { self.bits = bits }

  var isFinite: Bool { bits & 0x7F80 != 0x7F80 }
  var float: Float { Float(bitPattern: UInt32(bits) << 16) }
}
