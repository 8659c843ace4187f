import CoreMLBase
import Foundation

/// A short-lived word of the publisher that a channel's manifest and the root are still the newest ones. It names both, so that a host that
/// holds back newer ones is noticed within hours, and its key can say nothing else.
public struct FreshnessStatement: Sendable, Equatable, Codable {
  /// The name of the repository that it is about.
  public var repository: String
  /// The name of the channel that it is about.
  public var channel: String
  /// When it was signed.
  public var created: Timestamp
  /// Until when it counts; after that, ``FreshnessPolicy/statementGrace``.
  public var expires: Timestamp
  /// The version of the manifest.
  public var manifest: Int
  /// The SHA-256 of the manifest's payload, in hexadecimal.
  public var sha256: String
  /// The version of the root.
  public var root: Int

  /// A statement that is yet to be signed.
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

  /// The largest envelope of one that is read, in bytes.
  static let sizeLimit = 64 << 10

  /// Where that of a channel lies, relative to the host's root.
  static func path(_ channel: String) -> String { "freshness/\(channel).json" }

  static func digest(_ payload: Data) -> String {
    var sha = SHA256Digest()
    payload.withUnsafeBytes { sha.append($0) }
    return sha.hexadecimal()
  }

  /// - Throws: ``DeliveryError`` `withheld` when the manifest is older, `equivocation` when it is another one of that version.
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
