import CNumbers
import Testing

/// Reading one number. The reader parses usual forms eight digits at a time and others byte by byte. Both agree with
/// Swift's conversions.
@Suite struct ReadTests {
  /// The bytes after a number decide on the code path: none, or enough for the fast path.
  private static let followers = [
    "", ",", ", 1234567.25, 123456789012345678901234567890", String(repeating: "9", count: 50),
  ]

  /// Compares the reader with the reference.
  private func check(_ text: String, _ location: SourceLocation = #_sourceLocation) {
    for follower in Self.followers {
      let exact = ExactText((text + follower).utf8)
      for isWord in [false, true] {
        let (expected, result) = (
          ReferenceReader.read(exact.bytes, isWord: isWord), exact.read(isWord: isWord)
        )
        #expect(result == expected, "\(text)\(follower), word: \(isWord)", sourceLocation: location)
      }
    }
  }

  @Test(arguments: [
    "0", "-0", "-0.0", "0.0", "1", "-1", "12", "1234567", "12345678", "123456789", "01", "00", "-01.5", "1.", "-1.",
    "1.e5", ".5", "-.5", "-", "", "+1", "--1", "1..5", "1.5.5", "1e", "1e+", "1E-", "1e5", "1E5", "1e+05", "1.5e-05",
    "1.5e", "1.5e+", "1.5e-", "1.5ee5", "1.5e5e5", "0.1", "0.1234567", "0.12345678", "0.123456789",
    "0.1234567890123456", "0.12345678901234567", "123.12345678901234567", "1234567.123456789012",
    "1234567.1234567890123", "0.3000000000000000444", "0.00000000000000000000001",
    "0.000000000000000000000000000000001", "9007199254740993.5", "4503599627370495.5", "4503599627370496.0",
    "4503599627370496", "-4503599627370495.5", "9223372036854775807", "9223372036854775808", "-9223372036854775807",
    "-9223372036854775808", "18446744073709551616", "99999999999999999999", "1.5e22", "1.5e-22", "1.5e-23",
    "1.7976931348623157e-308", "2.2250738585072011e-308", "5e-324", "2.5e-324", "2.4e-324", "1e-400", "1e400",
    "0e999999999999999999999", "0.0e-99999999999999999999", "1e-99999999999999999999", "1.5e000000000000005",
    "1.5e-0005", "6.02214076e23", "8.5e-46", "1/2", "1:2", "12345678:", "0.1234567/", "0.12345678:", "\u{80}",
    "1\u{80}", "0.1\u{B0}", "0.500000000000000166533453693773481063544750213623046875",
    "0.5000000000000001110223024625156540423631668090820312",
    "0.000000000000000000000000000000000000000000000000000012345", "000000000000000000000000000001.5", "NaN",
    "Infinity",
  ])
  func formsAtTheirBounds(text: String) { check(text) }

  @Test func randomForms() {
    var samples = Samples(seed: 2)
    func digits(_ count: Int) -> String { (0..<count).map { _ in "\(samples.next() % 10)" }.joined() }
    for _ in 0..<(isLong ? 1_000_000 : 3_000) {
      let shape = samples.next()
      var text = shape & 1 == 0 ? "" : "-"
      text += digits(Int(shape >> 1 & 3) + (shape >> 3 & 7 == 0 ? 7 : 0))
      if shape >> 6 & 7 != 0 { text += "." + digits(Int(shape >> 9 & 31) % 25) }
      if shape >> 14 & 3 == 0 { text += ["e", "E", "e-", "e+"][Int(shape >> 16 & 3)] + digits(Int(shape >> 18 & 3)) }
      check(text)
    }
  }

  @Test func malformedTexts() {
    var samples = Samples(seed: 3)
    let alphabet = Array("0123456789-+.eE, ".utf8)
    for _ in 0..<(isLong ? 1_000_000 : 3_000) {
      let count = Int(samples.next() % 12)
      check(String(decoding: (0..<count).map { _ in alphabet[Int(samples.next() % 17)] }, as: UTF8.self))
    }
  }

  @Test func everyByteEndsANumberOrNot() {
    for number in ["1", "12", "1234567", "0.1", "0.1234567", "0.12345678", "-12.5e-5", "0.1234567890123456"] {
      for byte in UInt8.min ... .max {
        let exact = ExactText(Array(number.utf8) + [byte] + Array(", 1234567.25, 123456789012345678901234567890".utf8))
        #expect(exact.read() == ReferenceReader.read(exact.bytes, isWord: false), "\(number) and \(byte)")
      }
    }
  }

  @Test func truncatedTexts() {
    for text in ["-1234567.123456789012e-05,", "12345678901234567890.5e+10", "0.00012345678901234567, 1.5"] {
      for count in 0...text.utf8.count {
        let exact = ExactText(text.utf8.prefix(count))
        for isWord in [false, true] {
          #expect(exact.read(isWord: isWord) == ReferenceReader.read(exact.bytes, isWord: isWord), "\(text), \(count)")
        }
      }
    }
  }

  @Test func printedNumbersReadBack() {
    var samples = Samples(seed: 4)
    for _ in 0..<(isLong ? 10_000_000 : 30_000) {
      let bits = samples.next()
      let (double, float) = (Double(bitPattern: bits), Float(bitPattern: UInt32(bits >> 32)))
      if double.magnitude < 0x1p52 {
        #expect(readBack { cnumbers_print_double(double, $0) } == double.bitPattern, "\(double)")
      }
      if float.magnitude < 0x1p52 {
        let read = readBack { cnumbers_print_float(float, $0) }.map { Float(Double(bitPattern: $0)).bitPattern }
        #expect(read == float.bitPattern, "\(float)")
      }
    }
  }

  /// The bits of a printed number that is read with and without bytes after it.
  private func readBack(_ printing: (UnsafeMutablePointer<UInt8>) -> Int) -> UInt64? {
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 2 * Int(CNumbersRoom)) { text in
      text.initialize(repeating: 0x20)
      guard let base = text.baseAddress else { return nil }
      let count = printing(base)
      text[count] = 0x2C
      let (open, closed) = (cnumbers_read(base, base + text.count, 0), cnumbers_read(base, base + count, 0))
      let isWhole = open.next == UnsafePointer(base + count) && closed.next == open.next
      return isWhole && open.number.bitPattern == closed.number.bitPattern ? open.number.bitPattern : nil
    }
  }
}
