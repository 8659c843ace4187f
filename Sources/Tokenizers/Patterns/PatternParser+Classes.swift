/// Escapes and character classes.
extension PatternParser {
  /// The node of an escape outside a character class. The position is after the backslash.
  mutating func escape() throws -> PatternNode {
    let positions: [Unicode.Scalar: PatternPosition] = [
      "A": .textStart, "z": .textEnd, "Z": .textEndOrLastNewline, "b": .wordBoundary, "B": .noWordBoundary,
    ]
    if let scalar = current, let position = positions[scalar] {
      at += 1
      return .position(position)
    }
    return set(try escapedSet())
  }

  /// The set of an escape, inside or outside a class. The position is after the backslash.
  private mutating func escapedSet() throws -> ScalarSet {
    guard let scalar = current else { throw unsupported("a backslash without a character") }
    at += 1
    switch scalar {
    case "s": return .space
    case "S": return ScalarSet.space.negated
    case "d": return .categories(ScalarKind.mask("Nd"))
    case "D": return ScalarSet.categories(ScalarKind.mask("Nd")).negated
    case "w": return .word
    case "W": return ScalarSet.word.negated
    case "h": return .ranges([0x30...0x39, 0x41...0x46, 0x61...0x66])
    case "p": return try property()
    case "P": return try property().negated
    case "r": return ScalarSet("\r")
    case "n": return ScalarSet("\n")
    case "t": return ScalarSet("\t")
    case "f": return ScalarSet("\u{C}")
    case "v": return ScalarSet("\u{B}")
    case "a": return ScalarSet("\u{7}")
    case "e": return ScalarSet("\u{1B}")
    case "x", "u": return ScalarSet(try hexadecimal(isShort: scalar == "x"))
    default:
      // Other letters and digits have meanings that are not supported, or none.
      let isPlain = !("0"..."9").contains(scalar) && !("a"..."z").contains(scalar) && !("A"..."Z").contains(scalar)
      guard isPlain else { throw unsupported("\\\(scalar)") }
      return ScalarSet(scalar)
    }
  }

  private mutating func hexadecimal(isShort: Bool) throws -> Unicode.Scalar {
    var digits = ""
    if isShort, take("{") {
      while let scalar = current, scalar != "}", digits.count < 8 {
        digits.unicodeScalars.append(scalar)
        at += 1
      }
      guard take("}") else { throw unsupported("an escape without an end") }
    } else {
      let count = isShort ? 2 : 4
      digits.unicodeScalars.append(contentsOf: source[at...].prefix(count))
      guard digits.count == count else { throw unsupported("a short escape") }
      at += count
    }
    guard let value = UInt32(digits, radix: 16), let scalar = Unicode.Scalar(value) else {
      throw unsupported("the escape '\(digits)'")
    }
    return scalar
  }

  /// The set of `\p{...}`. The position is after the p.
  private mutating func property() throws -> ScalarSet {
    guard take("{") else { throw unsupported("a property without braces") }
    let isNegated = take("^")
    var name = ""
    while let scalar = current, scalar != "}", name.count < 64 {
      name.unicodeScalars.append(scalar)
      at += 1
    }
    guard take("}") else { throw unsupported("a property without an end") }
    guard let set = Self.property(name) else { throw unsupported("the property \(name)") }
    return isNegated ? set.negated : set
  }

  private static func property(_ name: String) -> ScalarSet? {
    let plain = name.lowercased().filter { $0 != " " && $0 != "_" && $0 != "-" }
    let words = [
      "letter": "L", "mark": "M", "number": "N", "punctuation": "P", "symbol": "S", "separator": "Z", "other": "C",
      "alpha": "", "alphabetic": "",
    ]
    switch plain {
    case "han", "script=han": return .ranges(ScalarKind.han)
    case "space", "whitespace": return .space
    case "word": return .word
    case "any": return ScalarSet().negated
    case "punct": return .categories(ScalarKind.punctuation)
    case "digit": return .categories(ScalarKind.mask("Nd"))
    default:
      let short = words[plain] ?? (plain.prefix(1).uppercased() + plain.dropFirst())
      guard !short.isEmpty, short.count <= 2 else { return nil }
      let mask = ScalarKind.mask(short)
      return mask == 0 ? nil : .categories(mask)
    }
  }

  /// A class up to its closing bracket. The position is after the opening one.
  mutating func bracket(depth: Int) throws -> ScalarSet {
    guard depth < TokenizerLimits.patternDepth else { throw unsupported("a class in \(depth) others") }
    var set = ScalarSet()
    let isNegated = take("^")
    var isFirst = true
    var intersections: [ScalarSet] = []
    while true {
      guard let scalar = current else { throw unsupported("a class without an end") }
      if scalar == "]", !isFirst {
        at += 1
        break
      }
      isFirst = false
      if take("&&") {
        intersections.append(set)
        set = ScalarSet()
        continue
      }
      if take("[:") { throw unsupported("a class of POSIX") }
      if take("[") {
        set.nested.append(try bracket(depth: depth + 1))
        continue
      }
      try add(to: &set)
    }
    set.intersections = intersections
    set.isNegated = isNegated
    return set
  }

  /// Adds a character, a range or an escape to a class.
  private mutating func add(to set: inout ScalarSet) throws {
    guard let first = try member(of: &set) else { return }
    guard current == "-", at + 1 < source.count, source[at + 1] != "]" else {
      set.ranges.append(first.value...first.value)
      return
    }
    at += 1
    guard let last = try member(of: &set), last.value >= first.value else {
      throw unsupported("a range that does not end with a later character")
    }
    set.ranges.append(first.value...last.value)
  }

  /// The next character of a class; nil if it is an escape with a set, which is added.
  private mutating func member(of set: inout ScalarSet) throws -> Unicode.Scalar? {
    guard let scalar = current else { throw unsupported("a class without an end") }
    at += 1
    guard scalar == "\\" else { return scalar }
    if take("b") { return "\u{8}" }
    let escaped = try escapedSet()
    if !escaped.isNegated, escaped.categories == 0, !escaped.hasWords, escaped.ranges.count == 1,
      let range = escaped.ranges.first, range.count == 1
    {
      return Unicode.Scalar(range.lowerBound)
    }
    set.nested.append(escaped)
    return nil
  }
}
