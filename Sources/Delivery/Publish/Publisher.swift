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

  /// The folder to upload.
  public var host: URL { folder.appending(path: "public", directoryHint: .isDirectory) }
  /// The default folder of private keys.
  public var keyFolder: URL { folder.appending(path: "keys", directoryHint: .isDirectory) }

  /// Opens a folder created by ``create(at:settings:roles:now:)``.
  public init(folder: URL, now: Timestamp = .now) throws {
    lock = try PublisherLock(folder)
    self.folder = folder
    self.now = now
    settings = try Self.read(
      Settings.self, folder.appending(path: "publisher.json"), "settings of a publisher's folder")
  }

  /// Returns the newest published root.
  ///
  /// An interrupted rotation may have published the next root without updating `root.json`. That root is valid, because
  /// devices may have it.
  public func root() throws -> TrustRoot {
    var root = try TrustRoot(trusting: envelope(rootFile))
    while let next = try publishedRoot(root.version + 1) { root = try root.next(next) }
    return root
  }

  /// Updates `root.json` to the newest published root.
  func completeRoot() throws {
    let newest = try root().version
    guard try TrustRoot(trusting: envelope(rootFile)).version < newest, let published = try publishedRoot(newest) else {
      return
    }
    try Self.write(published.encoded(), to: rootFile)
  }

  /// Returns the published root of a version; nil if there is none.
  func publishedRoot(_ version: Int) throws -> SignedEnvelope? {
    let file = host.appending(path: "root/\(version).json")
    return FileManager.default.fileExists(atPath: file.path) ? try envelope(file) : nil
  }

  // MARK: documents

  /// Returns the draft of a channel.
  ///
  /// - Throws: ``DeliveryError`` `cannotPublish` if the channel does not exist; ``addChannel(_:)`` creates it.
  public func draft(_ channel: String) throws -> ReleaseManifest {
    guard ReleaseName.isValid(channel) else {
      throw DeliveryError(.cannotPublish, "'\(channel)' cannot be the name of a channel")
    }
    let file = draftFile(channel)
    guard FileManager.default.fileExists(atPath: file.path) else {
      let known = try channels()
      throw DeliveryError(
        .cannotPublish,
        "there is no channel '\(channel)' (\(known.isEmpty ? "none yet" : known.joined(separator: ", "))); `runtime publish new-channel` makes one"
      )
    }
    return try Self.read(ReleaseManifest.self, file, "draft of a channel")
  }

  /// Creates a channel without models.
  public func addChannel(_ channel: String) throws {
    guard ReleaseName.isValid(channel) else {
      throw DeliveryError(.cannotPublish, "'\(channel)' cannot be the name of a channel")
    }
    guard !FileManager.default.fileExists(atPath: draftFile(channel).path) else {
      throw DeliveryError(.cannotPublish, "there is a channel '\(channel)' already")
    }
    try Self.write(Self.emptyDraft(channel, settings, now), to: draftFile(channel))
  }

  static func emptyDraft(_ channel: String, _ settings: Settings, _ now: Timestamp) throws -> Data {
    let draft = ReleaseManifest(
      repository: settings.repository, channel: channel, version: 0, created: now, expires: now)
    return try DocumentJSON.encode(draft) + Data("\n".utf8)
  }

  /// Returns the channels that have a draft.
  public func channels() throws -> [String] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.appending(path: "drafts").path)) ?? []
    return names.filter { $0.hasSuffix(".json") }.map { String($0.dropLast(5)) }.sorted()
  }

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
    try Self.write(DocumentJSON.encode(manifest) + Data("\n".utf8), to: draftFile(channel))
    return result
  }

  var rootFile: URL { host.appending(path: "root.json") }
  var pendingRootFile: URL { folder.appending(path: "pending-root.json") }
  func draftFile(_ channel: String) -> URL { folder.appending(path: "drafts/\(channel).json") }
  func pendingFile(_ channel: String) -> URL { folder.appending(path: "pending/\(channel).json") }
  func channelFile(_ channel: String) -> URL { host.appending(path: "channels/\(channel).json") }
  func statementFile(_ channel: String) -> URL { host.appending(path: FreshnessStatement.path(channel)) }
  func objectFile(_ digest: String) -> URL { host.appending(path: ShippedFile.objectPath(digest)) }

  func envelope(_ file: URL) throws -> SignedEnvelope {
    guard let data = OpenFile.contents(atPath: file.path, limit: SignedEnvelope.sizeLimit + 1) else {
      throw DeliveryError(.unreadable, "the signed document cannot be read", file: file.path)
    }
    return try SignedEnvelope(Data(data))
  }

  private static func read<Value: Decodable>(_ type: Value.Type, _ file: URL, _ what: String) throws -> Value {
    guard let data = OpenFile.contents(atPath: file.path) else {
      throw DeliveryError(.unreadable, "the \(what) cannot be read", file: file.path)
    }
    return try DocumentJSON.decode(type, Data(data), .malformedManifest, document: what)
  }

  static func write(_ data: Data, to file: URL) throws {
    try makeFolder(file.deletingLastPathComponent())
    try DurableFile.write([UInt8](data), to: file)
  }

  /// Creates a folder that a web server can read.
  static func makeFolder(_ url: URL) throws { try DeliveryDirectories.makeFolder(url, mode: 0o755) }
}

/// A lock on a publisher's folder, held while a process works on it. The operating system releases it when the process
/// ends.
final class PublisherLock: Sendable {
  private let descriptor: Int32

  init(_ folder: URL) throws {
    let file = folder.appending(path: "publisher.json")
    // Network file systems grant exclusive locks only on files open for writing. Nobody can publish from a folder that
    // is not writable.
    var descriptor = open(file.path, O_RDWR | O_CLOEXEC)
    if descriptor < 0 && [EACCES, EPERM, EROFS].contains(errno) { descriptor = open(file.path, O_RDONLY | O_CLOEXEC) }
    guard descriptor >= 0 else {
      throw DeliveryError(.unreadable, "the folder is no publisher's", at: folder, errno: errno)
    }
    self.descriptor = descriptor
    // A process that has just finished may be about to release the lock.
    if FileLock.waits(for: descriptor, patience: 2) {
      close(descriptor)
      throw DeliveryError(.cannotPublish, "another process is publishing from the folder", file: folder.path)
    }
  }

  // The file is unlocked before it is closed. A process being spawned shares the open file until it calls exec.
  deinit {
    _ = flock(descriptor, LOCK_UN)
    close(descriptor)
  }
}
