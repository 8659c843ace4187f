/// Properties of Unicode scalars that tokenizers use. The general category has the index of its place below.
enum ScalarKind {
  static let categories: [(name: String, category: Unicode.GeneralCategory)] = [
    ("Lu", .uppercaseLetter), ("Ll", .lowercaseLetter), ("Lt", .titlecaseLetter), ("Lm", .modifierLetter),
    ("Lo", .otherLetter), ("Mn", .nonspacingMark), ("Mc", .spacingMark), ("Me", .enclosingMark),
    ("Nd", .decimalNumber), ("Nl", .letterNumber), ("No", .otherNumber), ("Pc", .connectorPunctuation),
    ("Pd", .dashPunctuation), ("Ps", .openPunctuation), ("Pe", .closePunctuation), ("Pi", .initialPunctuation),
    ("Pf", .finalPunctuation), ("Po", .otherPunctuation), ("Sm", .mathSymbol), ("Sc", .currencySymbol),
    ("Sk", .modifierSymbol), ("So", .otherSymbol), ("Zs", .spaceSeparator), ("Zl", .lineSeparator),
    ("Zp", .paragraphSeparator), ("Cc", .control), ("Cf", .format), ("Cs", .surrogate), ("Co", .privateUse),
    ("Cn", .unassigned),
  ]

  /// The bits of the categories whose names begin with a prefix, such as `L` or `Lu`; 0 if there are none.
  static func mask(_ prefix: String) -> UInt32 {
    var mask: UInt32 = 0
    for (index, entry) in categories.enumerated() where entry.name.hasPrefix(prefix) { mask |= 1 << UInt32(index) }
    return mask
  }

  static let letter = mask("L")
  static let mark = mask("M")
  static let number = mask("N")
  static let punctuation = mask("P")
  static let separator = mask("Z")
  private static let nonspacingMark = mask("Mn")
  private static let control = mask("Cc") | mask("Cf") | mask("Co")

  private static let ascii: [UInt8] = (0..<128).map { slowIndex(Unicode.Scalar(UInt8($0))) }

  private static func slowIndex(_ scalar: Unicode.Scalar) -> UInt8 {
    let category = scalar.properties.generalCategory
    return UInt8(categories.firstIndex { $0.category == category } ?? categories.count - 1)
  }

  /// The bit of the scalar's general category.
  static func bit(_ scalar: Unicode.Scalar) -> UInt32 {
    1 << UInt32(scalar.value < 128 ? ascii[Int(scalar.value)] : index(scalar.properties.generalCategory))
  }

  private static func index(_ category: Unicode.GeneralCategory) -> UInt8 {
    switch category {
    case .uppercaseLetter: 0
    case .lowercaseLetter: 1
    case .titlecaseLetter: 2
    case .modifierLetter: 3
    case .otherLetter: 4
    case .nonspacingMark: 5
    case .spacingMark: 6
    case .enclosingMark: 7
    case .decimalNumber: 8
    case .letterNumber: 9
    case .otherNumber: 10
    case .connectorPunctuation: 11
    case .dashPunctuation: 12
    case .openPunctuation: 13
    case .closePunctuation: 14
    case .initialPunctuation: 15
    case .finalPunctuation: 16
    case .otherPunctuation: 17
    case .mathSymbol: 18
    case .currencySymbol: 19
    case .modifierSymbol: 20
    case .otherSymbol: 21
    case .spaceSeparator: 22
    case .lineSeparator: 23
    case .paragraphSeparator: 24
    case .control: 25
    case .format: 26
    case .surrogate: 27
    case .privateUse: 28
    default: 29
    }
  }

  /// Unicode's White_Space.
  static func isSpace(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x09...0x0D, 0x20, 0x85, 0xA0, 0x1680, 0x2000...0x200A, 0x2028, 0x2029, 0x202F, 0x205F, 0x3000: true
    default: false
    }
  }

  private static let word = letter | mark | mask("Nd") | mask("Pc")

  /// A character of a word: `\w` of Rust's regular expressions.
  static func isWord(_ scalar: Unicode.Scalar) -> Bool {
    bit(scalar) & word != 0 || (scalar.value >= 128 && (scalar.properties.isAlphabetic || isJoiner(scalar)))
  }

  /// A character of a word: `\w` of Oniguruma, which counts all numbers of Latin-1.
  static func isPatternWord(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0xB2, 0xB3, 0xB9, 0xBC...0xBE: true
    default: !isJoiner(scalar) && isWord(scalar)
    }
  }

  private static func isJoiner(_ scalar: Unicode.Scalar) -> Bool { scalar.value == 0x200C || scalar.value == 0x200D }

  // The library takes some properties from packages with old versions of Unicode. Later characters do not have them.

  private static func isAssigned(_ scalar: Unicode.Scalar, before version: Int) -> Bool {
    scalar.value < 128 || scalar.properties.age.map { $0.major < version } ?? true
  }

  /// Punctuation of ASCII (with symbols) or of Unicode 8.
  static func isPunctuation(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x21...0x2F, 0x3A...0x40, 0x5B...0x60, 0x7B...0x7E, 0x166D, 0x111C9: true
    default: bit(scalar) & punctuation != 0 && isAssigned(scalar, before: 9)
    }
  }

  /// A control, format or private-use character of Unicode 8.
  static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    bit(scalar) & control != 0 && isAssigned(scalar, before: 9)
  }

  /// A combining mark of Unicode 9.
  static func isMark(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x1CF2, 0x1CF3: true
    case 0x111C9: false
    default: bit(scalar) & mark != 0 && isAssigned(scalar, before: 10)
    }
  }

  /// A nonspacing mark of Unicode 8.
  static func isNonspacingMark(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x1734, 0x1171E: true
    case 0x1885, 0x1886, 0xA9BD, 0x111C9: false
    default: bit(scalar) & nonspacingMark != 0 && isAssigned(scalar, before: 9)
    }
  }

  static func isNumber(_ scalar: Unicode.Scalar) -> Bool { bit(scalar) & number != 0 }

  /// Scalars of the script Han.
  static let han: [ClosedRange<UInt32>] = [
    0x2E80...0x2E99, 0x2E9B...0x2EF3, 0x2F00...0x2FD5, 0x3005...0x3005, 0x3007...0x3007, 0x3021...0x3029,
    0x3038...0x303B, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xF900...0xFA6D, 0xFA70...0xFAD9, 0x16FE2...0x16FE3,
    0x16FF0...0x16FF1, 0x20000...0x2A6DF, 0x2A700...0x2B739, 0x2B740...0x2B81D, 0x2B820...0x2CEA1,
    0x2CEB0...0x2EBE0, 0x2EBF0...0x2EE5D, 0x2F800...0x2FA1D, 0x30000...0x3134A, 0x31350...0x323AF,
  ]
}
