import Foundation

/// The versions installed under a name, stored as `NAME.installed` in the folder of models. The file is replaced
/// atomically.
public struct InstalledVersions: Sendable, Hashable, Codable, FormattedRecord {
  /// A model that the name has referred to.
  public struct Version: Sendable, Hashable, Codable {
    /// The tree digest of the model: ``TreeDigest``.
    public let digest: String
    /// When the name was switched to this version.
    public let activated: Date
  }

  static let format = 1
  /// The maximum number of versions remembered.
  static let limit = 8

  var format: Int = Self.format
  /// The versions by activation time, newest first; the first one is active.
  public private(set) var versions: [Version]

  /// The active version; nil if there is none.
  public var active: Version? { versions.first }
  /// The previously active version.
  public var previous: Version? { versions.dropFirst().first }

  init() { versions = [] }

  /// Makes a version the active one.
  mutating func activate(_ digest: String, at date: Date) {
    if active?.digest == digest { return }
    versions.removeAll { $0.digest == digest }
    versions.insert(Version(digest: digest, activated: date), at: 0)
    versions = Array(versions.prefix(Self.limit))
  }

  /// Removes a version from the history.
  mutating func remove(_ digest: String) { versions.removeAll { $0.digest == digest } }
}
