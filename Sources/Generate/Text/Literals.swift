/// String literals of several languages. Printable characters are unchanged, all others are escaped.
enum Literals {
  static func swift(_ text: String) -> String {
    quoted(text) { $0 == "\"" || $0 == "\\" ? "\\\($0)" : "\\u{\(String($0.value, radix: 16))}" }
  }

  /// C and languages derived from it. Universal character names cannot encode ASCII, so ASCII uses three octal digits,
  /// which following digits cannot extend.
  static func c(_ text: String) -> String {
    quoted(text, also: "?") { scalar in
      switch scalar {
      case "\"", "\\": return "\\\(scalar)"
      // `??/` would be a backslash.
      case "?": return "\\?"
      case _ where scalar.value < 0xA0:
        return scalar.utf8Bytes.map { "\\" + padded($0, radix: 8, to: 3) }.joined()
      default: return "\\U" + padded(scalar.value, radix: 16, to: 8)
      }
    }
  }

  static func python(_ text: String) -> String {
    quoted(text) { $0 == "\"" || $0 == "\\" ? "\\\($0)" : "\\U" + padded($0.value, radix: 16, to: 8) }
  }

  static func json(_ text: String) -> String {
    quoted(text) { scalar in
      if scalar == "\"" || scalar == "\\" { return "\\\(scalar)" }
      return String(scalar).utf16.map { "\\u" + padded($0, radix: 16, to: 4) }.joined()
    }
  }

  private static func quoted(_ text: String, also special: Unicode.Scalar = "\\", _ escape: (Unicode.Scalar) -> String)
    -> String
  {
    var result = "\""
    for scalar in text.unicodeScalars {
      if scalar == "\"" || scalar == "\\" || scalar == special || !isPrintable(scalar) {
        result += escape(scalar)
      } else {
        result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }

  private static func isPrintable(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned, .surrogate: false
    case .spaceSeparator: scalar == " "
    // A mark at the beginning would combine with the quote.
    case .nonspacingMark, .enclosingMark, .spacingMark: false
    default: true
    }
  }

  private static func padded(_ value: some BinaryInteger, radix: Int, to width: Int) -> String {
    let digits = String(value, radix: radix)
    return String(repeating: "0", count: max(width - digits.count, 0)) + digits
  }
}

extension Unicode.Scalar {
  fileprivate var utf8Bytes: [UInt8] { Array(String(self).utf8) }
}
