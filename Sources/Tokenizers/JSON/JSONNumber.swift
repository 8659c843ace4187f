/// Numbers of JSON text, rounded as the tokenizers library rounds them.
///
/// That library divides the digits by a power of ten, which is sometimes one unit in the last place beside the nearest
/// number. The scores of a unigram model decide between splits that differ by that little.
enum JSONNumber {
  private static let powers: [Double] = (0...308).map { Double("1e\($0)") ?? .infinity }

  /// The number at the start of the bytes, and its end; nil if there is none, or if it is too large.
  static func parse(_ bytes: ArraySlice<UInt8>) -> (Double, Int)? {
    var at = bytes.startIndex
    func digit() -> UInt64? {
      at < bytes.endIndex && (0x30...0x39).contains(bytes[at]) ? UInt64(bytes[at] - 0x30) : nil
    }
    func take(_ byte: UInt8) -> Bool {
      guard at < bytes.endIndex, bytes[at] == byte else { return false }
      at += 1
      return true
    }
    let isNegative = take(UInt8(ascii: "-"))
    var digits: UInt64 = 0
    var exponent = 0
    var isFull = false
    func readDigits(fraction: Bool) -> Bool {
      let start = at
      while let next = digit() {
        at += 1
        let (tens, overflow) = digits.multipliedReportingOverflow(by: 10)
        let (sum, carry) = tens.addingReportingOverflow(next)
        isFull = isFull || overflow || carry
        if !isFull { digits = sum }
        // Digits that do not fit are dropped. In front of the point they count as zeros.
        if isFull, !fraction { exponent += 1 }
        if !isFull, fraction { exponent -= 1 }
      }
      return at > start
    }
    guard readDigits(fraction: false) else { return nil }
    if take(UInt8(ascii: ".")), !readDigits(fraction: true) { return nil }
    if take(UInt8(ascii: "e")) || take(UInt8(ascii: "E")) {
      let isDivision = take(UInt8(ascii: "-"))
      if !isDivision { _ = take(UInt8(ascii: "+")) }
      guard digit() != nil else { return nil }
      var written = 0
      while let next = digit() {
        at += 1
        written = min(written * 10 + Int(next), 1 << 20)
      }
      exponent += isDivision ? -written : written
    }
    guard let size = scaled(Double(digits), exponent) else { return nil }
    return (isNegative ? -size : size, at)
  }

  private static func scaled(_ number: Double, _ exponent: Int) -> Double? {
    guard exponent < 0 else {
      let size = number == 0 ? 0 : number * (exponent < powers.count ? powers[exponent] : .infinity)
      return size.isFinite ? size : nil
    }
    var (number, exponent) = (number, exponent)
    while number > 0, exponent < -308 {
      number /= powers[308]
      exponent += 308
    }
    return number == 0 ? 0 : number / powers[-exponent]
  }
}
