import Foundation

/// A publisher's folder: what is being prepared, the keys, and `public`, the tree that any static file host serves.
///
/// ```
/// publisher.json                      settings
/// keys/<id>.key                       private keys, readable by their owner alone; may be kept elsewhere
/// drafts/<channel>.json               what the channel will say once it is signed
/// pending/<channel>.json              signed by too few
/// public/root.json, root/<N>.json     the roots; the first is given to devices with their software
/// public/channels/<channel>.json      the manifest, the one file that changes its contents; <channel>/<version>.json: the last ones
/// public/objects/<aa>/<sha256>        everything else, never changed
/// ```
///
/// The same calls at the same moments with the same keys give the same bytes. One process at a time works on a folder.
public struct Publisher: Sendable {
  /// What holds for the whole folder.
  public struct Settings: Sendable, Equatable, Codable {
    public var repository: String
    /// Seconds from the signing of a manifest to its expiry; 30 days by default. It must be signed again before.
    public var manifestLifetime: Int64
    /// Seconds from the signing of a root to its expiry; two years by default.
    public var rootLifetime: Int64

    public init(repository: String, manifestLifetime: Int64 = 30 * 86_400, rootLifetime: Int64 = 730 * 86_400) {
      self.repository = repository
      self.manifestLifetime = manifestLifetime
      self.rootLifetime = rootLifetime
    }
  }

  public let folder: URL
  public let settings: Settings
  /// What counts as now; documents state it.
  public var now: Timestamp
  private let lock: PublisherLock

  /// What is uploaded.
  public var host: URL { folder.appending(path: "public", directoryHint: .isDirectory) }
  public var keyFolder: URL { folder.appending(path: "keys", directoryHint: .isDirectory) }

  /// Opens a folder that ``create(at:settings:keys:threshold:now:)`` made.
  public init(folder: URL, now: Timestamp = .now) throws {
    lock = try PublisherLock(folder)
    self.folder = folder
    self.now = now
    settings = try Self.read(
      Settings.self, folder.appending(path: "publisher.json"), "settings of a publisher's folder")
  }

  /// Makes a folder with new keys, all of which may sign everything, the first root, and a channel `stable`.
  ///
  /// - Parameters:
  ///   - keys: how many keys are made.
  ///   - threshold: how many of them must sign.
  public static func create(
    at folder: URL, settings: Settings, keys count: Int = 1, threshold: Int = 1, now: Timestamp = .now
  ) throws -> Publisher {
    guard (1...16).contains(count), (1...count).contains(threshold) else {
      throw DeliveryError(.cannotPublish, "\(threshold) of \(count) keys cannot be asked for; expected 1 to 16 keys")
    }
    return try create(at: folder, settings: settings, keys: (0..<count).map { _ in try SigningKey() }, threshold, now)
  }

  /// As above, with given keys.
  static func create(
    at folder: URL, settings: Settings, keys: [SigningKey], _ threshold: Int, _ now: Timestamp
  ) throws -> Publisher {
    guard !FileManager.default.fileExists(atPath: folder.appending(path: "publisher.json").path) else {
      throw DeliveryError(.cannotPublish, "the folder is a publisher's already", file: folder.path)
    }
    let role = TrustRoot.Role(keys: Set(keys.map(\.publicKey.id)), threshold: threshold)
    let root = TrustRoot(
      repository: settings.repository, version: 1, created: now, expires: now.advanced(by: settings.rootLifetime),
      keys: keys.map(\.publicKey), roles: TrustRoot.Roles(root: role, release: role))
    var envelope = try SignedEnvelope.unsigned(root)
    for key in keys { try envelope.sign(with: key) }
    try Places.makeFolder(folder.appending(path: "keys"))
    for key in keys {
      try key.write(to: folder.appending(path: "keys/\(key.publicKey.id.prefix(16)).key"))
    }
    try write(envelope.encoded(), to: folder.appending(path: "public/root/1.json"))
    try write(envelope.encoded(), to: folder.appending(path: "public/root.json"))
    try write(emptyDraft("stable", settings, now), to: folder.appending(path: "drafts/stable.json"))
    // Last: with it, the folder is one.
    try write(DocumentJSON.encode(settings), to: folder.appending(path: "publisher.json"))
    return try Publisher(folder: folder, now: now)
  }

  /// The private keys in the folder.
  public func keys() throws -> [SigningKey] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: keyFolder.path)) ?? []
    return try names.filter { $0.hasSuffix(".key") }.sorted().map {
      try SigningKey(file: keyFolder.appending(path: $0))
    }
  }

  /// The newest root.
  public func root() throws -> TrustRoot { try TrustRoot(trusting: envelope(host.appending(path: "root.json"))) }

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

  private static func emptyDraft(_ channel: String, _ settings: Settings, _ now: Timestamp) throws -> Data {
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

  func draftFile(_ channel: String) -> URL { folder.appending(path: "drafts/\(channel).json") }
  func pendingFile(_ channel: String) -> URL { folder.appending(path: "pending/\(channel).json") }
  func channelFile(_ channel: String) -> URL { host.appending(path: "channels/\(channel).json") }
  func objectFile(_ digest: String) -> URL { host.appending(path: ShippedFile.objectPath(digest)) }

  func envelope(_ file: URL) throws -> SignedEnvelope {
    guard let data = FileManager.default.contents(atPath: file.path) else {
      throw DeliveryError(.unreadable, "the signed document cannot be read", file: file.path)
    }
    return try SignedEnvelope(data)
  }

  private static func read<Value: Decodable>(_ type: Value.Type, _ file: URL, _ what: String) throws -> Value {
    guard let data = FileManager.default.contents(atPath: file.path) else {
      throw DeliveryError(.unreadable, "the \(what) cannot be read", file: file.path)
    }
    return try DocumentJSON.decode(type, data, .malformedManifest, document: what)
  }

  static func write(_ data: Data, to file: URL) throws {
    try makeFolder(file.deletingLastPathComponent())
    try DurableFile.write([UInt8](data), to: file)
  }

  /// A folder that a web server may read.
  static func makeFolder(_ url: URL) throws { try Places.makeFolder(url, mode: 0o755) }
}

/// Held while a process works on a publisher's folder; the system lets go of it when the process ends.
final class PublisherLock: Sendable {
  private let descriptor: Int32

  init(_ folder: URL) throws {
    let file = folder.appending(path: "publisher.json")
    descriptor = open(file.path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      throw DeliveryError(.unreadable, "the folder is no publisher's", at: folder, errno: errno)
    }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK else {
      close(descriptor)
      throw DeliveryError(.cannotPublish, "another process is publishing from the folder", file: folder.path)
    }
  }

  deinit { close(descriptor) }
}
