import CoreMLBase
import Foundation

extension Tokenizer {
  /// The tokens that end a text, by the files beside a `tokenizer.json`: `eos_token_id` of `generation_config.json` or
  /// `config.json`, else `eos_token` of `tokenizer_config.json`. Empty if no file says so.
  ///
  /// - Parameter url: the `tokenizer.json`, or its folder.
  /// - Throws: `TokenizerError` if such a file is not valid.
  public func endTokens(beside url: URL) throws -> Set<Int> {
    let folder = PathKind(of: url.path) == .folder ? url : url.deletingLastPathComponent()
    for name in ["generation_config.json", "config.json"] {
      guard let file = try Self.object(folder.appending(path: name)), let value = file.value("eos_token_id") else {
        continue
      }
      let values = if case .array(let list) = value { list } else { [value] }
      return Set(values.compactMap(\.integer).filter { $0 >= 0 })
    }
    guard let file = try Self.object(folder.appending(path: "tokenizer_config.json")),
      let value = file.value("eos_token")
    else { return [] }
    let token =
      if case .object = value { try Component(value, path: "eos_token").string("content") } else {
        try file.string("eos_token")
      }
    return Set([id(for: token)].compactMap { $0 })
  }

  /// The object in a file; nil if there is no file.
  private static func object(_ url: URL) throws -> Component? {
    guard PathKind(of: url.path) == .file else { return nil }
    guard let bytes = OpenFile.contents(atPath: url.path, limit: 1 << 24) else {
      throw TokenizerError(.unreadable, "the file cannot be read: \(String(cString: strerror(errno)))", file: url.path)
    }
    do { return try Component(JSONParser.parse(bytes), path: "") } catch var error as TokenizerError {
      error.file = url.path
      throw error
    }
  }
}
