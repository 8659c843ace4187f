import CoreMLBase
import CoreMLServingInterface
import CoreMLServingProtocol
import Foundation
import Logging
import Synchronization

/// Bearer tokens and what they allow.
///
/// A line of the file is the token, its scopes separated by commas, and optionally a name: `s3cret infer,read web`. Empty
/// lines and lines that start with `#` are ignored. The file is read again after it changes; a file with an error leaves
/// the tokens as they are.
final class TokenBook: Sendable {
  struct Entry: Sendable {
    /// SHA-256 in hexadecimal, so that all comparisons have the same length.
    let digest: [UInt8]
    let scopes: Set<Route.Scope>
    let name: String
  }

  private let path: String
  private let logger: Logger
  private let change: FileChange
  private let entries: Mutex<[Entry]>

  init(path: String, logger: Logger) throws(ServingError) {
    (self.path, self.logger) = (path, logger)
    change = FileChange([path])
    entries = Mutex(try Self.read(path))
  }

  /// The entry of a token. The time does not depend on the tokens' contents.
  func entry(_ token: Substring) -> Entry? {
    if change.hasChanged() {
      do throws(ServingError) {
        let read = try Self.read(path)
        entries.withLock { $0 = read }
        logger.info("tokens were read again", metadata: ["path": "\(path)"])
      } catch {
        logger.error("tokens stay as they were", metadata: ["error": "\(error.message)"])
      }
    }
    let digest = Array(SHA256Digest.hexadecimal(of: Array(token.utf8)).utf8)
    var found: Entry?
    for entry in entries.withLock({ $0 }) {
      var difference: UInt8 = 0
      for index in 0..<digest.count { difference |= digest[index] ^ entry.digest[index] }
      if difference == 0 { found = entry }
    }
    return found
  }

  private static func read(_ path: String) throws(ServingError) -> [Entry] {
    guard let bytes = OpenFile.contents(atPath: path, limit: 1 << 20),
      let text = String(validating: bytes, as: UTF8.self)
    else {
      throw ServingError(.invalidArgument, "The file of tokens \(path) cannot be read.")
    }
    var entries: [Entry] = []
    for (number, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      let words = line.split { $0 == " " || $0 == "\t" || $0 == "\r" }
      guard let token = words.first, !token.hasPrefix("#") else { continue }
      let scopes = words.count > 1 ? words[1].split(separator: ",").map { Route.Scope(rawValue: String($0)) } : []
      guard words.count <= 3, !scopes.isEmpty, !scopes.contains(nil), token.utf8.count >= 8 else {
        throw ServingError(
          .invalidArgument,
          "Line \(number + 1) of \(path) is not a token of at least 8 characters, its scopes (infer, read, admin) and a name."
        )
      }
      entries.append(
        Entry(
          digest: Array(SHA256Digest.hexadecimal(of: Array(token.utf8)).utf8), scopes: Set(scopes.compactMap { $0 }),
          name: words.count > 2 ? String(words[2]) : "line-\(number + 1)"))
    }
    guard !entries.isEmpty else {
      throw ServingError(.invalidArgument, "The file of tokens \(path) has no token.")
    }
    return entries
  }
}
