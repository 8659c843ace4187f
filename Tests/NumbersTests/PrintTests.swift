import CNumbers
import Testing

/// Numbers are printed like Swift's `description`, byte for byte.
@Suite struct PrintTests {
  /// The first value in the list whose text is wrong.
  private func wrong<Value: BinaryFloatingPoint>(_ values: some Sequence<Value>, _ isRight: (Value) -> Bool) -> Value? {
    values.first { $0.isFinite && !(isRight($0) && isRight(-$0)) }
  }

  @Test(arguments: [
    (0, "0.0"), (-0.0, "-0.0"), (1, "1.0"), (0.1, "0.1"), (0.001, "0.001"), (0.0001, "0.0001"), (1e-5, "1e-05"),
    (1.5e-5, "1.5e-05"), (0.00012345, "0.00012345"), (100000, "100000.0"), (-123.456, "-123.456"),
    (1e15, "1000000000000000.0"), (1e16, "1e+16"), (9_007_199_254_740_992, "9007199254740992.0"),
    (9_007_199_254_740_994, "9.007199254740994e+15"), (1e22, "1e+22"), (1e23, "1e+23"), (1e100, "1e+100"),
    (.leastNonzeroMagnitude, "5e-324"), (2.2250738585072014e-308, "2.2250738585072014e-308"),
    (1.7976931348623157e308, "1.7976931348623157e+308"), (4_503_599_627_370_495.5, "4503599627370495.5"),
  ])
  func doubles(value: Double, text: String) {
    #expect(printed(value) == text && value.description == text)
  }

  @Test(arguments: [
    (0, "0.0"), (-0.0, "-0.0"), (0.1, "0.1"), (1e-4, "0.0001"), (1e-5, "1e-05"), (16_777_216, "16777216.0"),
    (16_777_218, "1.6777218e+07"), (8_388_607.5, "8388607.5"), (.leastNonzeroMagnitude, "1e-45"),
    (3.4028235e38, "3.4028235e+38"),
    (1.1754944e-38, "1.1754944e-38"), (-1.2345679e-5, "-1.2345679e-05"),
  ])
  func floats(value: Float, text: String) {
    #expect(printed(value) == text && value.description == text)
  }

  @Test func powersAndTheirNeighbours() {
    for exponent in -1074...1023 {
      let power = Double(sign: .plus, exponent: exponent, significand: 1)
      #expect(wrong([power, power.nextUp, power.nextDown, power * 1.5, power * 1.75], isPrinted) == nil)
    }
    for exponent in -149...127 {
      let power = Float(sign: .plus, exponent: exponent, significand: 1)
      #expect(wrong([power, power.nextUp, power.nextDown, power * 1.5, power * 1.75], isPrinted) == nil)
    }
    for exponent in -345...310 {
      let power = Double("1e\(exponent)") ?? .nan
      #expect(wrong([power, power.nextUp, power.nextDown, power * 5, power * 9], isPrinted) == nil)
      let float = Float(power)
      #expect(wrong([float, float.nextUp, float.nextDown, float * 5, float * 9], isPrinted) == nil)
    }
  }

  @Test func boundaries() {
    #expect(wrong((0..<2000).map { Double(bitPattern: $0) }, isPrinted) == nil)
    #expect(wrong((0..<2000).map { Float(bitPattern: $0) }, isPrinted) == nil)
    for middle in [0x1p22, 0x1p23, 0x1p24, 0x1p25, 0x1p31] as [Float] {
      #expect(wrong((-1000...1000).map { Float(bitPattern: UInt32(Int(middle.bitPattern) + $0)) }, isPrinted) == nil)
    }
    for middle in [0x1p31, 0x1p51, 0x1p52, 0x1p53, 0x1p54, 0x1p63] {
      #expect(wrong((-1000...1000).map { Double(bitPattern: UInt64(Int(middle.bitPattern) + $0)) }, isPrinted) == nil)
    }
  }

  @Test func shortDecimals() {
    for mantissa in stride(from: 1, to: 100_000, by: isLong ? 1 : 61) {
      for exponent in isLong ? -50...45 : -12...12 {
        let value = Double("\(mantissa)e\(exponent)") ?? .nan
        let float = Float(value)
        #expect(isPrinted(value) && (float.isInfinite || isPrinted(float)), "\(mantissa)e\(exponent)")
      }
    }
  }

  @Test func sampledBitPatterns() {
    var samples = Samples(seed: 1)
    for _ in 0..<(isLong ? 30_000_000 : 150_000) {
      let (bits, others) = (samples.next(), samples.next())
      let (float, double) = (Float(bitPattern: UInt32(bits >> 32)), Double(bitPattern: bits))
      // Most values in data are near 1, and many have few digits.
      let near = Double(bitPattern: bits & 0x800F_FFFF_FFFF_FFFF | (0x3F1 + others & 15) << 52)
      let few = (near * 1000).rounded() / 1000
      let isRight =
        (!float.isFinite || isPrinted(float)) && (!double.isFinite || isPrinted(double)) && isPrinted(near)
        && isPrinted(Float(near)) && isPrinted(few) && isPrinted(Float(few))
      #expect(isRight, "\(bits)")
    }
  }

  @Test(.enabled(if: isLong)) func everyFloat() {
    for bits in 0..<UInt32(0x7F80_0000) where !isPrinted(Float(bitPattern: bits)) {
      Issue.record("\(bits): \(Float(bitPattern: bits)), \(printed(Float(bitPattern: bits)))")
      break
    }
  }

  @Test func integers() {
    for shift in 0...63 {
      let power = Int64(1) << shift
      for value in [power, power &- 1, ~power, 0 &- power, Int64.max >> shift] as [Int64] {
        #expect(printed { cnumbers_print_integer(value, $0) } == value.description)
      }
    }
    var power: Int64 = 1
    for _ in 0..<18 {
      power *= 10
      for value in [power, power - 1, -power, 1 - power] {
        #expect(printed { cnumbers_print_integer(value, $0) } == value.description)
      }
    }
  }

  @Test func lists() {
    let doubles = [1.5, .nan, -0.0, .infinity, -2.2250738585072014e-308, -.infinity, 1e-5]
    let text = #"1.5, "NaN", -0.0, "Infinity", -2.2250738585072014e-308, "-Infinity", 1e-05"#
    #expect(printed(doubles.count) { cnumbers_print_doubles(doubles, doubles.count, $0) } == text)
    let floats: [Float] = [1.5, .nan, -0.0, .infinity, -1.1754944e-38, -.infinity, 1e-5]
    let floatText = #"1.5, "NaN", -0.0, "Infinity", -1.1754944e-38, "-Infinity", 1e-05"#
    #expect(printed(floats.count) { cnumbers_print_floats(floats, floats.count, $0) } == floatText)
    let integers: [Int32] = [0, -1, .max, .min, 100]
    let integerText = "0, -1, 2147483647, -2147483648, 100"
    #expect(printed(integers.count) { cnumbers_print_int32s(integers, integers.count, $0) } == integerText)
    #expect(printed(0) { cnumbers_print_doubles(doubles, 0, $0) } == "")
    #expect(printed { cnumbers_print_floats(floats, 1, $0) } == "1.5")
    #expect(printed(Double.nan) == "NaN" && printed(-Float.infinity) == "-Infinity")
  }

  @Test func numbersStayWithinTheirRoom() {
    // The longest texts at the end of a list, so that a sanitizer detects a write beyond the buffer.
    for value in [-2.2250738585072014e-308, -0.00012345678901234567, -1_234_567_890_123_456.7, 9_007_199_254_740_991] {
      let values = Array(repeating: value, count: 3)
      let text = printed(3) { cnumbers_print_doubles(values, 3, $0) }
      #expect(text == Array(repeating: value.description, count: 3).joined(separator: ", "))
    }
  }
}
