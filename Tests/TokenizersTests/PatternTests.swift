import Testing

@testable import CoreMLTokenizers

/// The matcher of patterns, against what Oniguruma does.
@Suite struct PatternTests {
  /// The parts of a text, those that match in brackets.
  private func parts(_ pattern: String, _ text: String) throws -> String {
    let scalars = Array(text.unicodeScalars)
    return try Pattern(pattern).parts(of: scalars).map { range, isMatch in
      let part = String(String.UnicodeScalarView(scalars[range]))
      return isMatch ? "[\(part)]" : part
    }.joined()
  }

  @Test(arguments: [
    ("a|ab", "ab", "[a]b"), ("(?:a|ab)c", "abc", "[abc]"), ("a+?b", "aab", "[aab]"), ("a*?", "aa", "[]a[]a[]"),
    ("a*", "baac", "[]b[aa]c[]"), ("a{2}", "aaaaa", "[aa][aa]a"), ("a{,2}b", "aaab", "a[aab]"),
    ("a{2,}", "aaab", "[aaa]b"),
    ("x{a}", "x{a}", "[x{a}]"), ("a++a", "aaa", "aaa"), ("(?>a+)b", "aab", "[aab]"), ("(?>a|ab)c", "abc", "abc"),
    ("(?:a|b){2,3}", "ababa", "[aba][ba]"), ("(?:a|b)*?c", "abc", "[abc]"), ("(?:a*)*b", "aab", "[aab]"),
    ("a(?=b)", "abac", "[a]bac"), ("a(?!b)", "abac", "ab[a]c"), ("(?<=a)b", "abcb", "a[b]cb"),
    ("(?<!a)b", "abcb", "abc[b]"),
    (#"\s+(?!\S)|\s+"#, "a   b  ", "a[  ][ ]b[  ]"), ("^a", "a\na", "[a]\n[a]"), ("a$", "a\na", "[a]\n[a]"),
    (#"\Aa"#, "a\na", "[a]\na"), (#"a\z"#, "a\na", "a\n[a]"), (#"a\Z"#, "a\n", "[a]\n"),
    ("a.c", "abca\nc", "[abc]a\nc"),
    (#"\bé"#, "é aé", "[é] aé"), (#"\Bb"#, "ab b", "a[b] b"),
    ("[^a-c]+", "abxyc", "ab[xy]c"), ("[a-c&&[^b]]+", "abc", "[a]b[c]"), ("[]a]", "]a", "[]][a]"),
    ("[a-]", "a-", "[a][-]"),
    ("[[a-b]x]+", "abx", "[abx]"), (#"[\p{L}&&[^\p{Han}]]+"#, "ab中", "[ab]中"), (#"\p{^L}"#, "a1", "a[1]"),
    (#"\P{L}"#, "a1", "a[1]"),
    (#"\x41\u0042\x{43}"#, "ABC", "[ABC]"), (#"[\r\n]+"#, "a\r\n", "a[\r\n]"), (#"\d+"#, "a١٢", "a[١٢]"),
    ("(?i:'S|k)", "'s'ſK", "['s]['ſ][K]"), ("(?i)A(?-i:b)", "aB ab", "aB [ab]"), ("(?i:[a-c])+", "AbD", "[Ab]D"),
    ("(?i:[^a])", "Ab", "A[b]"), ("(?:(?i)a)b", "AbaB", "[Ab]aB"), ("(a)(?<n>b)", "ab", "(?<n>"),
  ])
  func matchesAreThoseOfOniguruma(pattern: String, text: String, expected: String) throws {
    if expected == "(?<n>" {
      let error = #expect(throws: TokenizerError.self) { try Pattern(pattern) }
      #expect(error?.code == .unsupported && error?.message.contains(pattern) == true)
    } else {
      #expect(try parts(pattern, text) == expected)
    }
  }

  @Test(arguments: [
    #"(a)\1"#, "(?", "(?<=a+)b", "a)", "(a", "[a", "*a", #"\p{Nope}"#, #"\p{L"#, #"\X"#, #"\"#, "[b-a]", "(?m:a)",
    "[[:alpha:]]",
    "a{2}?", "a{2,1}", "a{2000}", #"\x{110000}"#, #"\uD800"#, "a{1,2}+",
  ])
  func otherPatternsAreRefusedByName(pattern: String) {
    let error = #expect(throws: TokenizerError.self) { try Pattern(pattern) }
    #expect(error?.code == .unsupported, "\(error?.message ?? "")")
  }

  @Test func largePatternsAreRefused() {
    let nested = String(repeating: "(?:", count: 100) + "a" + String(repeating: ")", count: 100)
    #expect(throws: TokenizerError.self) { try Pattern(nested) }
    let brackets = String(repeating: "[", count: 10_000)
    #expect(throws: TokenizerError.self) { try Pattern(brackets) }
    let grown = String(repeating: "(?:", count: 10) + "ab" + String(repeating: "){9}", count: 10)
    #expect(throws: TokenizerError.self) { try Pattern(grown) }
  }

  /// Patterns that need exponential or quadratic time in other engines end with an error.
  @Test(arguments: ["(?:a+)+$b", "(?:a|a)*b", "a*b", "(?:a|aa)+b"]) func slowPatternsEndWithAnError(pattern: String)
    throws
  {
    let compiled = try Pattern(pattern)
    let error = #expect(throws: TokenizerError.self) {
      try compiled.parts(of: [Unicode.Scalar](repeating: "a", count: 5000))
    }
    #expect(error?.code == .limit)
  }

  @Test func patternsOfKnownTokenizersTakeLinearTime() throws {
    let pattern = try Pattern(
      #"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"#
    )
    for text in ["a", " ", "!", "\n", "1", " a", "é", "\u{301}"] {
      let scalars = Array(String(repeating: text, count: 20_000).unicodeScalars)
      let parts = try pattern.parts(of: scalars)
      #expect(parts.reduce(0) { $0 + $1.range.count } == scalars.count)
    }
  }
}
