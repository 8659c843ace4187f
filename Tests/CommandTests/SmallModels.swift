import Foundation
import Testing

/// Models of a few bytes that give what they are given: coremltools' `Model` with `identity`.
enum SmallModels {
  /// A text `Sex` and a number `Age`.
  static let passenger = "CAESLAoJCgNTZXgaAhoACgkKA0FnZRoCEgBSCQoDU2V4GgIaAFIJCgNBZ2UaAhIAojgA"
  /// A text `Sex` and a number `row`.
  static let row = "CAESLAoJCgNTZXgaAhoACgkKA3JvdxoCEgBSCQoDU2V4GgIaAFIJCgNyb3caAhIAojgA"

  static func write(_ base64: String, to name: String, in folder: Scratch) throws {
    try #require(Data(base64Encoded: base64)).write(to: folder.url.appending(path: name))
  }
}
