import CoreMLBase
import CoreMLSpec
import Foundation

/// A publisher's folder: drafts, keys, and `public`, the tree to serve from any static file host.
///
/// ```
/// publisher.json                      settings
/// keys/<id>.key                       private release keys, readable only by their owner; may be stored elsewhere
/// keys/root/<id>.key                  private root keys; should be stored elsewhere, offline
/// keys/freshness/<id>.key             private keys that sign only freshness statements
/// drafts/<channel>.json               the next manifest of the channel, unsigned
/// pending/<channel>.json              a manifest that lacks signatures
/// pending-root.json                   the next root, while it lacks signatures
/// public/root.json, root/<N>.json     the roots; the first one ships with the software of devices
/// public/freshness/<channel>.json     a short-lived statement that the manifest is the newest one
/// public/channels/<channel>.json      the current manifest (mutable); <channel>/<version>.json: previous versions
/// public/objects/<aa>/<sha256>        all other files, immutable
/// ```
///
/// Output is deterministic: equal calls with equal times and keys write equal bytes. Only one process at a time may use
/// a folder.
public struct Publisher: Sendable {
  /// The settings of a publisher's folder.
  public struct Settings: Sendable, Equatable, Codable {
    /// The name of the repository. All documents contain it.
    public var repository: String
    /// The lifetime of a manifest in seconds, 30 days by default. The channel must be signed again before it expires.
    public var manifestLifetime: Int64
    /// The lifetime of a root in seconds; two years by default.
    public var rootLifetime: Int64
    /// The lifetime of a freshness statement in seconds; two days if nil.
    public var statementLifetime: Int64?

    /// Creates settings; lifetimes are in seconds.
    public init(
      repository: String, manifestLifetime: Int64 = 30 * 86_400, rootLifetime: Int64 = 730 * 86_400,
      statementLifetime: Int64? = nil
    ) {
      self.repository = repository
      self.manifestLifetime = manifestLifetime
      self.rootLifetime = rootLifetime
      self.statementLifetime = statementLifetime
    }
  }

  /// The publisher's folder.
  public let folder: URL
  /// The settings in `publisher.json`.
  public let settings: Settings
  /// The time written to documents.
  public var now: Timestamp
  private let lock: PublisherLock
  let files: PublisherFiles

  /// The folder to upload.
  public var host: URL { files.host }
  /// The default folder of private keys.
  public var keyFolder: URL { PublisherKeys(files: files).folder }

  /// Opens a folder created by ``create(at:settings:roles:now:)``.
  public init(folder: URL, now: Timestamp = .now) throws {
    lock = try PublisherLock(folder)
    self.folder = folder
    files = PublisherFiles(folder: folder)
    self.now = now
    settings = try PublisherFiles.read(
      Settings.self, folder.appending(path: "publisher.json"), "settings of a publisher's folder")
  }

  /// Returns the newest published root.
  ///
  /// An interrupted rotation may have published the next root without updating `root.json`. That root is valid, because
  /// devices may have it.
  public func root() throws -> TrustRoot { try files.root() }

  // MARK: documents

  /// Returns the draft of a channel.
  ///
  /// - Throws: ``DeliveryError`` `cannotPublish` if the channel does not exist; ``addChannel(_:)`` creates it.
  public func draft(_ channel: String) throws -> ReleaseManifest { try files.draft(channel) }

  /// Creates a channel without models.
  public func addChannel(_ channel: String) throws {
    guard ReleaseName.isValid(channel) else {
      throw DeliveryError(.cannotPublish, "'\(channel)' cannot be the name of a channel")
    }
    guard !FileManager.default.fileExists(atPath: files.draftFile(channel).path) else {
      throw DeliveryError(.cannotPublish, "there is a channel '\(channel)' already")
    }
    try PublisherFiles.write(Self.emptyDraft(channel, settings, now), to: files.draftFile(channel))
  }

  static func emptyDraft(_ channel: String, _ settings: Settings, _ now: Timestamp) throws -> Data {
    let draft = ReleaseManifest(
      repository: settings.repository, channel: channel, version: 0, created: now, expires: now)
    return try DocumentJSON.encode(draft) + Data("\n".utf8)
  }

  /// Returns the channels that have a draft.
  public func channels() throws -> [String] { try files.channels() }

  /// Returns the channels that have a published manifest.
  public func publishedChannels() throws -> [String] { try files.publishedChannels() }

  /// Changes a draft. Nothing is written if the change throws or the resulting manifest is invalid.
  public func edit<Result>(_ channel: String, _ change: (inout ReleaseManifest) throws -> Result) throws -> Result {
    var manifest = try draft(channel)
    let result = try change(&manifest)
    var complete = manifest
    (complete.version, complete.created) = (max(manifest.version, 1), now)
    complete.expires = now.advanced(by: 1)
    do {
      try complete.validate()
    } catch let error as DeliveryError {
      throw DeliveryError(.cannotPublish, error.message)
    }
    try PublisherFiles.write(DocumentJSON.encode(manifest) + Data("\n".utf8), to: files.draftFile(channel))
    return result
  }
}
