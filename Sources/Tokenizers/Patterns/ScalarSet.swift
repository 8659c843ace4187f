/// A set of Unicode scalars: a character class of a pattern.
struct ScalarSet: Sendable {
  /// Bits of general categories.
  var categories: UInt32 = 0
  var ranges: [ClosedRange<UInt32>] = []
  /// Whether the set contains all characters of words.
  var hasWords = false
  var nested: [ScalarSet] = []
  var isNegated = false
  /// Sets that a scalar must be in too (`&&`).
  var intersections: [ScalarSet] = []
  /// Whether a scalar is in the set if one that differs only in case is.
  var foldsCase = false

  /// The scalars below 128, after `finished`.
  private var low: UInt64 = 0
  private var high: UInt64 = 0

  init() {}

  init(_ scalar: Unicode.Scalar) { ranges = [scalar.value...scalar.value] }

  static var space: ScalarSet {
    var set = ScalarSet()
    set.categories = ScalarKind.separator
    set.ranges = [0x09...0x0D, 0x85...0x85]
    return set
  }

  static func categories(_ mask: UInt32) -> ScalarSet {
    var set = ScalarSet()
    set.categories = mask
    return set
  }

  static func ranges(_ ranges: [ClosedRange<UInt32>]) -> ScalarSet {
    var set = ScalarSet()
    set.ranges = ranges
    return set
  }

  static var word: ScalarSet {
    var set = ScalarSet()
    set.hasWords = true
    return set
  }

  var negated: ScalarSet {
    var set = self
    set.isNegated.toggle()
    return set
  }

  /// The set with a table for ASCII. `contains` requires it.
  func finished() -> ScalarSet {
    var set = self
    set.nested = nested.map { $0.finished() }
    set.intersections = intersections.map { $0.finished() }
    for value in UInt8(0)..<128 where set.folded(Unicode.Scalar(value)) {
      if value < 64 { set.low |= 1 << UInt64(value) } else { set.high |= 1 << UInt64(value - 64) }
    }
    return set
  }

  func contains(_ scalar: Unicode.Scalar) -> Bool {
    let value = scalar.value
    if value < 64 { return low >> UInt64(value) & 1 == 1 }
    if value < 128 { return high >> UInt64(value - 64) & 1 == 1 }
    return folded(scalar)
  }

  private func folded(_ scalar: Unicode.Scalar) -> Bool {
    let isMember = holds(scalar) || (foldsCase && Self.caseVariants(scalar).contains { holds($0) })
    return isMember != isNegated
  }

  /// Membership without negation.
  private func holds(_ scalar: Unicode.Scalar) -> Bool {
    let isMember =
      (categories != 0 && ScalarKind.bit(scalar) & categories != 0) || ranges.contains { $0.contains(scalar.value) }
      || (hasWords && ScalarKind.isPatternWord(scalar)) || nested.contains { $0.folded(scalar) }
    return isMember && intersections.allSatisfy { $0.folded(scalar) }
  }

  /// The scalars that differ only in case, by mappings to single scalars. They include U+017F for `s`.
  static func caseVariants(_ scalar: Unicode.Scalar) -> [Unicode.Scalar] {
    func single(_ text: String) -> Unicode.Scalar? {
      let scalars = text.unicodeScalars
      return scalars.count == 1 ? scalars.first : nil
    }
    let upper = single(scalar.properties.uppercaseMapping) ?? scalar
    let lower = single(upper.properties.lowercaseMapping) ?? upper
    var variants = [upper, lower]
    for (plain, other) in [("s", "\u{17F}"), ("k", "\u{212A}"), ("\u{E5}", "\u{212B}")]
      as [(Unicode.Scalar, Unicode.Scalar)]
    where lower == plain {
      variants.append(other)
    }
    return variants
  }
}
