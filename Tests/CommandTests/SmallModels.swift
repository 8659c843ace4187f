import Foundation
import Testing

/// Models of a few bytes that return their inputs: coremltools' `Model` with `identity`.
enum SmallModels {
  /// A string `Sex` and a number `Age`.
  static let passenger = "CAESLAoJCgNTZXgaAhoACgkKA0FnZRoCEgBSCQoDU2V4GgIaAFIJCgNBZ2UaAhIAojgA"
  /// A string `Sex` and a number `row`.
  static let row = "CAESLAoJCgNTZXgaAhoACgkKA3JvdxoCEgBSCQoDU2V4GgIaAFIJCgNyb3caAhIAojgA"

  /// A linear pipeline: `y` = 1.5 a - 2.25 b + 10 where `color` is red, 100 where it is blüe, + 0.125.
  static var mixed: String { get throws { try file("mixed") } }
  /// A linear classifier of three numbers `x` with three labels. One label contains a comma and quotes.
  static var classes: String { get throws { try file("classes") } }

  private static func file(_ name: String) throws -> String {
    let cases = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().appending(
      path: "Cases")
    return try Data(contentsOf: cases.appending(path: "rows/\(name).mlmodel")).base64EncodedString()
  }

  static func write(_ base64: String, to name: String, in folder: Scratch) throws {
    try #require(Data(base64Encoded: base64)).write(to: folder.url.appending(path: name))
  }
}
