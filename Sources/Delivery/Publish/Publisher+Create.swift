import Foundation

/// The keys of a repository, by role, from its first root on.
public struct InitialRoles: Sendable {
  /// They sign the first root, and the next ones; best kept away from any network.
  public var root: [any DocumentSigner]
  /// So many of them must sign a root.
  public var rootThreshold: Int
  /// They sign channels; their private parts are not needed here.
  public var release: [PublicKey]
  /// So many of them must sign a manifest.
  public var releaseThreshold: Int
  /// They sign freshness statements and have no other role; empty: devices ask for no statements.
  public var freshness: [PublicKey]
  /// So many of them must sign a freshness statement.
  public var freshnessThreshold: Int

  /// Keys for each role, one of which is enough to sign unless told otherwise.
  public init(
    root: [any DocumentSigner], rootThreshold: Int = 1, release: [PublicKey], releaseThreshold: Int = 1,
    freshness: [PublicKey] = [], freshnessThreshold: Int = 1
  ) {
    (self.root, self.rootThreshold) = (root, rootThreshold)
    (self.release, self.releaseThreshold) = (release, releaseThreshold)
    (self.freshness, self.freshnessThreshold) = (freshness, freshnessThreshold)
  }

  fileprivate func roles() throws -> TrustRoot.Roles {
    func role(_ name: String, _ keys: [PublicKey], _ threshold: Int) throws -> TrustRoot.Role {
      let ids = Set(keys.map(\.id))
      guard (1...16).contains(ids.count), (1...ids.count).contains(threshold) else {
        throw DeliveryError(
          .cannotPublish, "\(threshold) of \(ids.count) keys cannot be asked for (\(name)); expected 1 to 16 keys")
      }
      return TrustRoot.Role(keys: ids, threshold: threshold)
    }
    return TrustRoot.Roles(
      root: try role("root", root.map(\.publicKey), rootThreshold),
      release: try role("release", release, releaseThreshold),
      freshness: freshness.isEmpty ? nil : try role("freshness", freshness, freshnessThreshold))
  }
}

extension Publisher {
  /// Makes a folder with the first root and a channel `stable`; it gets no private keys (``keyFile(of:for:)`` says where they go).
  public static func create(
    at folder: URL, settings: Settings, roles initial: InitialRoles, now: Timestamp = .now
  ) throws -> Publisher {
    try requireNone(folder)
    let keys = initial.root.map(\.publicKey) + initial.release + initial.freshness
    let root = TrustRoot(
      repository: settings.repository, version: 1, created: now, expires: now.advanced(by: settings.rootLifetime),
      keys: keys, roles: try initial.roles())
    var envelope = try SignedEnvelope.unsigned(root)
    for key in initial.root { try envelope.sign(with: key) }
    try DeliveryDirectories.makeFolder(folder.appending(path: "keys"))
    try write(envelope.encoded(), to: folder.appending(path: "public/root/1.json"))
    try write(envelope.encoded(), to: folder.appending(path: "public/root.json"))
    try write(emptyDraft("stable", settings, now), to: folder.appending(path: "drafts/stable.json"))
    // Last: with it, the folder is one.
    try write(DocumentJSON.encode(settings), to: folder.appending(path: "publisher.json"))
    return try Publisher(folder: folder, now: now)
  }

  /// Makes sure that a folder is no publisher's yet.
  ///
  /// - Throws: ``DeliveryError`` `cannotPublish` when it is.
  public static func requireNone(_ folder: URL) throws {
    guard !FileManager.default.fileExists(atPath: folder.appending(path: "publisher.json").path) else {
      throw DeliveryError(.cannotPublish, "the folder is a publisher's already", file: folder.path)
    }
  }

  /// A folder with keys that sign roots and releases alike, as roots of version 0.1 have them.
  static func create(
    at folder: URL, settings: Settings, keys: [SigningKey], _ threshold: Int, _ now: Timestamp
  ) throws -> Publisher {
    let roles = InitialRoles(
      root: keys, rootThreshold: threshold, release: keys.map(\.publicKey), releaseThreshold: threshold)
    let publisher = try create(at: folder, settings: settings, roles: roles, now: now)
    for key in keys { try key.write(to: publisher.keyFile(of: key.publicKey, for: .release)) }
    return publisher
  }
}
