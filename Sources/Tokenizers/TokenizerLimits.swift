/// Limits on files and texts. A hostile file or text reaches one of them before it uses much time or memory.
enum TokenizerLimits {
  /// Bytes of a `tokenizer.json`. The largest known files have about 40 MB.
  static let file = 256 << 20
  /// Nested arrays and objects of a file.
  static let depth = 64
  /// Token ids are below this number.
  static let vocabulary = 1 << 24
  /// Normalizers, pre-tokenizers and decoders of a file.
  static let components = 64
  /// Unicode scalars of an added token, bytes of a token that is matched in a text.
  static let token = 1024
  /// UTF-8 bytes of a text.
  static let text = 4 << 20
  /// Unicode scalars of a text after a component has changed it.
  static let changedText = 16 << 20
  /// Instructions of a pattern.
  static let patternSize = 20_000
  /// Nested groups of a pattern.
  static let patternDepth = 32
  /// Steps of a pattern for each scalar of a text. Patterns of known files need about 20.
  static let patternSteps = 500

  /// Throws if a component made a text too long.
  static func check(changedText count: Int) throws {
    guard count <= changedText else {
      throw TokenizerError(
        .limit, "a component of the tokenizer made the text longer than \(changedText) Unicode scalars")
    }
  }
}
