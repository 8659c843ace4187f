/// The items of a JSON list during parsing, in the most compact form that represents each of them exactly.
struct JSONList {
  private var integers: [Int64] = []
  private var numbers: [Double] = []
  private var items: [JSONValue] = []
  private var form = Form.integers

  private enum Form { case integers, numbers, items }

  /// Whether all items are below 2^52, so that the list can stay numeric if more such numbers are appended.
  private var areSmall = true

  mutating func append(_ item: JSONValue) {
    switch (form, item) {
    case (.integers, .integer(let value)):
      integers.append(value)
      areSmall = areSmall && Self.isSmall(value)
    case (.numbers, .integer(let value)) where Self.isSmall(value): numbers.append(Double(value))
    case (.numbers, .number(let value)): numbers.append(value)
    case (.integers, .number) where integers.allSatisfy(Self.isSmall):
      (numbers, integers, form) = (integers.map { Double($0) }, [], .numbers)
      append(item)
    case (.items, _): items.append(item)
    default:
      items = integers.map { .integer($0) } + numbers.map { .number($0) } + [item]
      (integers, numbers, form) = ([], [], .items)
    }
  }

  /// Whether `append(part:hasFraction:)` may be called.
  var takesParts: Bool { form == .numbers || form == .integers && areSmall }

  /// Appends numbers below 2^52.
  ///
  /// - Parameter hasFraction: Whether one of them is not written as an integer.
  mutating func append(part: UnsafeBufferPointer<Double>, hasFraction: Bool) {
    if form == .integers, !hasFraction {
      integers.append(contentsOf: part.lazy.map { Int64($0) })
      return
    }
    if form == .integers { (numbers, integers, form) = (integers.map { Double($0) }, [], .numbers) }
    numbers.append(contentsOf: part)
  }

  /// Whether Double can represent the integer with a fraction. A larger Double could be a number that has lost its
  /// fraction.
  private static func isSmall(_ value: Int64) -> Bool { value.magnitude < 1 << 52 }

  var value: JSONValue {
    switch form {
    case .integers: integers.isEmpty ? .array([]) : .integers(integers)
    case .numbers: .numbers(numbers)
    case .items: .array(items)
    }
  }
}

extension Int64 {
  /// The integer value of a decimal number with a fraction or an exponent: `1e3` is one, `25.0e-1` is not. Nil if it
  /// does not fit.
  init?(decimal word: String) {
    let isNegative = word.hasPrefix("-")
    let parts = word.drop { $0 == "-" }.split(omittingEmptySubsequences: false) { $0 == "e" || $0 == "E" }
    guard (1...2).contains(parts.count), var exponent = parts.count == 2 ? Int(parts[1]) : 0 else { return nil }
    let mantissa = parts[0].split(separator: ".", omittingEmptySubsequences: false)
    guard (1...2).contains(mantissa.count) else { return nil }
    var digits = Array(mantissa.joined().utf8)
    guard digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    let (shifted, overflow) = exponent.subtractingReportingOverflow(mantissa.count == 2 ? mantissa[1].utf8.count : 0)
    guard !overflow else { return nil }
    exponent = shifted
    while exponent < 0, digits.last == 0x30 {
      digits.removeLast()
      exponent += 1
    }
    guard exponent >= 0, exponent < 20 else { return nil }
    digits += repeatElement(0x30, count: exponent)
    self.init((isNegative ? "-" : "") + String(decoding: digits, as: UTF8.self))
  }
}
