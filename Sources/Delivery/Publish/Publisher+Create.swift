import Foundation

/// The keys of a new repository, by role.
public struct InitialRoles: Sendable {
  /// Sign the first root and its successors; best kept offline.
  public var root: [any DocumentSigner]
  /// The number of root keys that must sign a root.
  public var rootThreshold: Int
  /// Sign the manifests of channels; their private keys are not needed here.
  public var release: [PublicKey]
  /// The number of release keys that must sign a manifest.
  public var releaseThreshold: Int
  /// Sign freshness statements and must have no other role; if empty, devices require no statements.
  public var freshness: [PublicKey]
  /// The number of freshness keys that must sign a freshness statement.
  public var freshnessThreshold: Int

  /// Creates the keys of each role. By default one signature per document is sufficient.
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
  /// Creates a folder with the first root and an empty channel `stable`. It stores no private keys; see
  /// ``keyFile(of:for:)``.
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
    try PublisherFiles.write(envelope.encoded(), to: folder.appending(path: "public/root/1.json"))
    try PublisherFiles.write(envelope.encoded(), to: folder.appending(path: "public/root.json"))
    try PublisherFiles.write(emptyDraft("stable", settings, now), to: folder.appending(path: "drafts/stable.json"))
    // This file is written last, because it makes the folder a publisher's folder.
    try PublisherFiles.write(DocumentJSON.encode(settings), to: folder.appending(path: "publisher.json"))
    return try Publisher(folder: folder, now: now)
  }

  /// Checks that a folder is not a publisher's folder yet.
  ///
  /// - Throws: ``DeliveryError`` `cannotPublish` if it is.
  public static func requireNone(_ folder: URL) throws {
    guard !FileManager.default.fileExists(atPath: folder.appending(path: "publisher.json").path) else {
      throw DeliveryError(.cannotPublish, "the folder is a publisher's already", file: folder.path)
    }
  }

  /// Creates a folder whose keys sign both roots and releases, as in version 0.1.
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
