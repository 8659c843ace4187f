import Testing

@testable import CoreMLGenerate

@Suite struct IdentifierTests {
  @Test(arguments: [
    ("image", "image"), ("CO2 Emissions(g/km)", "CO2_Emissions_g_km_"), ("963", "_963"), ("größe", "größe"),
    ("日本", "日本"), ("a.b-c", "a_b_c"), ("", "_feature"), ("_", "_feature"), ("🙂", "_feature"), ("--", "__feature"),
    ("e\u{301}", "\u{e9}"), ("x\u{202E}y", "x_y"), ("a\nb", "a_b"), ("$x", "_x"), ("ﬁ", "fi"),
  ])
  func namesBecomeIdentifiers(name: String, identifier: String) {
    #expect(Identifier.of(name).unicodeScalars.elementsEqual(identifier.unicodeScalars), "\(Identifier.of(name))")
    #expect(Identifier.isIdentifier(identifier))
  }

  @Test func namesOfAScopeDiffer() {
    var scope = NameScope(reserved: ["provider"])
    #expect(["a", "a", "a_", "provider"].map { scope.take($0) } == ["a", "a_", "a__", "provider_"])
  }

  /// Many features with the same name: each gets a unique name in constant time, and no name is longer than necessary.
  @Test func namesOfAScopeStayShort() {
    var scope = NameScope(reserved: ["a_5"])
    let names = (0..<2000).map { _ in scope.take("a") }
    #expect(names.prefix(6) == ["a", "a_", "a__", "a_4", "a_6", "a_7"])
    #expect(Set(names).count == 2000 && names.allSatisfy { $0.count <= 6 })
  }

  @Test(arguments: ["a-b", "1a", "", "_", "a b", "class\n", "x;y"])
  func otherNamesAreNoIdentifiers(name: String) { #expect(!Identifier.isIdentifier(name)) }
}
