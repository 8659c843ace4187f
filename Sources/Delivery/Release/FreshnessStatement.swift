import CoreMLBase
import Foundation

/// A short-lived statement that a channel's manifest and the root are the newest ones.
///
/// It names the versions of both, so a host that withholds newer documents is detected within hours. Its key can sign
/// nothing else.
public struct FreshnessStatement: Sendable, Equatable, Codable {
  /// The name of the repository.
  public var repository: String
  /// The name of the channel.
  public var channel: String
  /// When it was signed.
  public var created: Timestamp
  /// When the statement expires. ``FreshnessPolicy/statementGrace`` follows.
  public var expires: Timestamp
  /// The version of the newest manifest.
  public var manifest: Int
  /// The SHA-256 of the manifest's payload, in hexadecimal.
  public var sha256: String
  /// The version of the newest root.
  public var root: Int

  /// Creates an unsigned statement.
  public init(
    repository: String, channel: String, created: Timestamp, expires: Timestamp, manifest: Int, sha256: String,
    root: Int
  ) {
    self.repository = repository
    self.channel = channel
    self.created = created
    self.expires = expires
    self.manifest = manifest
    self.sha256 = sha256
    self.root = root
  }

  /// The limit on the size of a statement's envelope, in bytes.
  static let sizeLimit = 64 << 10

  /// Returns the path of a channel's statement, relative to the host's root.
  static func path(_ channel: String) -> String { "freshness/\(channel).json" }

  static func digest(_ payload: Data) -> String {
    var sha = SHA256Digest()
    payload.withUnsafeBytes { sha.append($0) }
    return sha.hexadecimal()
  }

  /// - Throws: ``DeliveryError`` `withheld` if the manifest is older than the statement's; `equivocation` if it differs
  ///   with an equal version.
  func require(_ manifest: ReleaseManifest, payload: Data) throws {
    guard manifest.version >= self.manifest else {
      throw DeliveryError(
        .withheld,
        "the freshness statement of \(created) names version \(self.manifest) of the channel '\(channel)', and the host has version \(manifest.version)"
      )
    }
    guard manifest.version > self.manifest || Self.digest(payload) == sha256 else {
      throw DeliveryError(
        .equivocation,
        "version \(manifest.version) of the channel '\(channel)' is another than the one that the freshness statement of \(created) names"
      )
    }
  }
}

extension FreshnessStatement: SignedDocument {
  static let payloadType = "application/vnd.coreml.freshness-statement.v1+json"
  static let documentName = "freshness statement"

  func validate() throws {
    func malformed(_ sentence: String) -> DeliveryError {
      DeliveryError(.malformedManifest, "the freshness statement \(sentence)")
    }
    guard ReleaseName.isValid(repository), ReleaseName.isValid(channel) else {
      throw malformed("names no repository and channel")
    }
    guard created < expires else { throw malformed("expires before it is made") }
    let versions = 1..<Int(Int32.max)
    guard versions.contains(manifest), versions.contains(root), TreeDigest.isDigest(sha256) else {
      throw malformed("names no manifest and root")
    }
  }
}
