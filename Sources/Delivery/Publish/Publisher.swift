import CoreMLBase
import CoreMLSpec
import Foundation

/// A publisher's folder: what is being prepared, the keys, and `public`, the tree that any static file host serves.
///
/// ```
/// publisher.json                      settings
/// keys/<id>.key                       private keys that sign releases, readable by their owner alone; may be kept elsewhere
/// keys/root/<id>.key                  those that sign roots: to be kept elsewhere, away from any network
/// keys/freshness/<id>.key             those that sign freshness statements alone
/// drafts/<channel>.json               what the channel will say once it is signed
/// pending/<channel>.json              signed by too few
/// pending-root.json                   the next root, signed by too few
/// public/root.json, root/<N>.json     the roots; the first is given to devices with their software
/// public/freshness/<channel>.json     says for some hours that the manifest is the newest one
/// public/channels/<channel>.json      the manifest, the one file that changes its contents; <channel>/<version>.json: the last ones
/// public/objects/<aa>/<sha256>        everything else, never changed
/// ```
///
/// The same calls at the same moments with the same keys give the same bytes. One process at a time works on a folder.
public struct Publisher: Sendable {
  /// What holds for the whole folder.
  public struct Settings: Sendable, Equatable, Codable {
    /// The name of the repository, which every document states.
    public var repository: String
    /// Seconds from the signing of a manifest to its expiry; 30 days by default. It must be signed again before.
    public var manifestLifetime: Int64
    /// Seconds from the signing of a root to its expiry; two years by default.
    public var rootLifetime: Int64
    /// Seconds from the signing of a freshness statement to its expiry; two days when nil.
    public var statementLifetime: Int64?

    /// Settings of a folder; lifetimes are in seconds.
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
  /// What `publisher.json` says.
  public let settings: Settings
  /// What counts as now; documents state it.
  public var now: Timestamp
  private let lock: PublisherLock

  /// What is uploaded.
  public var host: URL { folder.appending(path: "public", directoryHint: .isDirectory) }
  /// Where private keys are, unless they are kept elsewhere.
  public var keyFolder: URL { folder.appending(path: "keys", directoryHint: .isDirectory) }

  /// Opens a folder that ``create(at:settings:roles:now:)`` made.
  public init(folder: URL, now: Timestamp = .now) throws {
    lock = try PublisherLock(folder)
    self.folder = folder
    self.now = now
    settings = try Self.read(
      Settings.self, folder.appending(path: "publisher.json"), "settings of a publisher's folder")
  }

  /// The newest root that devices can find.
  ///
  /// A rotation that failed, or was killed, may have published the next root before `root.json` said so. Such a root counts: devices have it.
  public func root() throws -> TrustRoot {
    var root = try TrustRoot(trusting: envelope(rootFile))
    while let next = try publishedRoot(root.version + 1) { root = try root.next(next) }
    return root
  }

  /// Has `root.json` say what devices can find.
  func completeRoot() throws {
    let newest = try root().version
    guard try TrustRoot(trusting: envelope(rootFile)).version < newest, let published = try publishedRoot(newest) else {
      return
    }
    try Self.write(published.encoded(), to: rootFile)
  }

  /// The root of a version on the host; nil where there is none.
  func publishedRoot(_ version: Int) throws -> SignedEnvelope? {
    let file = host.appending(path: "root/\(version).json")
    return FileManager.default.fileExists(atPath: file.path) ? try envelope(file) : nil
  }

  // MARK: documents

  /// What a channel will say.
  ///
  /// - Throws: ``DeliveryError`` `cannotPublish` where there is no such channel: ``addChannel(_:)`` makes one.
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

  /// Makes a channel without models.
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

  /// The channels that there are drafts of.
  public func channels() throws -> [String] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.appending(path: "drafts").path)) ?? []
    return names.filter { $0.hasSuffix(".json") }.map { String($0.dropLast(5)) }.sorted()
  }

  /// Changes a draft; nothing is written when the change throws or leaves a manifest that contradicts itself.
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

  /// A folder that a web server may read.
  static func makeFolder(_ url: URL) throws { try DeliveryDirectories.makeFolder(url, mode: 0o755) }
}

/// Held while a process works on a publisher's folder; the system lets go of it when the process ends.
final class PublisherLock: Sendable {
  private let descriptor: Int32

  init(_ folder: URL) throws {
    let file = folder.appending(path: "publisher.json")
    // File systems of networks lock for one alone only what is open for writing. What cannot be written is published from by nobody.
    var descriptor = open(file.path, O_RDWR | O_CLOEXEC)
    if descriptor < 0 && [EACCES, EPERM, EROFS].contains(errno) { descriptor = open(file.path, O_RDONLY | O_CLOEXEC) }
    guard descriptor >= 0 else {
      throw DeliveryError(.unreadable, "the folder is no publisher's", at: folder, errno: errno)
    }
    self.descriptor = descriptor
    // Who has just finished may be letting go of it.
    if FileLock.waits(for: descriptor, patience: 2) {
      close(descriptor)
      throw DeliveryError(.cannotPublish, "another process is publishing from the folder", file: folder.path)
    }
  }

  // Unlocked first: a process that is being started has the file open, too, until its program begins.
  deinit {
    _ = flock(descriptor, LOCK_UN)
    close(descriptor)
  }
}
