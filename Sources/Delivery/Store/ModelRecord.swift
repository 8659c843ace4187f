import Foundation

/// Which versions of a model have been installed under a name: `NAME.installed` in the folder of models. Replaced as a whole.
public struct InstalledVersions: Sendable, Hashable, Codable, FormattedRecord {
  /// A model that the name has stood for.
  public struct Version: Sendable, Hashable, Codable {
    /// The digest of the model: ``TreeDigest``.
    public let digest: String
    /// When the name was switched to it.
    public let activated: Date
  }

  static let format = 1
  /// Older versions are forgotten.
  static let limit = 8

  var format: Int = Self.format
  /// The newest activation first; the first is active.
  public private(set) var versions: [Version]

  /// What the name stands for now; nil when nothing is left.
  public var active: Version? { versions.first }
  /// What was active before.
  public var previous: Version? { versions.dropFirst().first }

  init() { versions = [] }

  /// Puts a version first.
  mutating func activate(_ digest: String, at date: Date) {
    if active?.digest == digest { return }
    versions.removeAll { $0.digest == digest }
    versions.insert(Version(digest: digest, activated: date), at: 0)
    versions = Array(versions.prefix(Self.limit))
  }

  /// Forgets a version.
  mutating func remove(_ digest: String) { versions.removeAll { $0.digest == digest } }
}
