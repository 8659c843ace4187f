import Foundation
import Testing

/// Models of a few bytes that give what they are given: coremltools' `Model` with `identity`.
enum SmallModels {
  /// A text `Sex` and a number `Age`.
  static let passenger = "CAESLAoJCgNTZXgaAhoACgkKA0FnZRoCEgBSCQoDU2V4GgIaAFIJCgNBZ2UaAhIAojgA"
  /// A text `Sex` and a number `row`.
  static let row = "CAESLAoJCgNTZXgaAhoACgkKA3JvdxoCEgBSCQoDU2V4GgIaAFIJCgNyb3caAhIAojgA"

  /// A linear pipeline: `y` = 1.5 a - 2.25 b + 10 where `color` is red, 100 where it is blüe, + 0.125.
  static let mixed =
    "CAESKwoHCgFhGgISAAoHCgFiGgISAAoLCgVjb2xvchoCGgBSBwoBeRoCEgBaAXnKDNoBCtcBCjIIARIdCgsKBWNvbG9yGgIaAFIOCgF2GgkqBwoBAhDAgATC"
    + "JQ4KDAoDcmVkCgVibMO8ZQpOCAESMgoHCgFhGgISAAoHCgFiGgISAAoOCgF2GgkqBwoBAhDAgARSDgoBdxoJKgcKAQQQwIAE0iUVCgUKAWEQAQoFCgFiEAEK"
    + "BQoBdhACClEIARIcCg4KAXcaCSoHCgEEEMCABFIHCgF5GgISAFoBeeISLgoiCiAAAAAAAAD4PwAAAAAAAALAAAAAAAAAJEAAAAAAAABZQBIIAAAAAAAAwD8="
  /// A linear classifier of three numbers `x` with three labels, one of which has a comma and quotes.
  static let classes =
    "CAESMgoOCgF4GgkqBwoBAxDAgARSCwoFbGFiZWwaAhoAUgkKAXAaBDICEgBaBWxhYmVsYgFwghlaChoKGAAAAAAAAPA/AAAAAAAAAAAAAAAAAADwvwoaChgA"
    + "AAAAAADgPwAAAAAAAADAAAAAAAAA0D8SEJqZmZmZmbk/mpmZmZmZyb+iBg0KBWEsImIiCgFjCgFk"

  static func write(_ base64: String, to name: String, in folder: Scratch) throws {
    try #require(Data(base64Encoded: base64)).write(to: folder.url.appending(path: name))
  }
}
