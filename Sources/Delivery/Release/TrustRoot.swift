import Foundation

/// The trusted keys of a repository: what each may sign, and how many must sign.
///
/// A device gets its first root with the software. It accepts version N + 1 if enough keys of version N and enough keys
/// of version N + 1 have signed it. This allows keys to be replaced and revoked (theupdateframework.github.io, 5.3).
public struct TrustRoot: Sendable, Equatable, Codable {
  /// The keys of a role, and how many of them must sign.
  public struct Role: Sendable, Equatable, Codable {
    /// The ``PublicKey/id`` of each key.
    public var keys: Set<String>
    /// The number of keys that must sign.
    public var threshold: Int

    /// Creates a role.
    public init(keys: Set<String>, threshold: Int) {
      self.keys = keys
      self.threshold = threshold
    }

    private enum CodingKeys: String, CodingKey { case keys, threshold }

    public init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      keys = Set(try container.decode([String].self, forKey: .keys))
      threshold = try container.decode(Int.self, forKey: .threshold)
    }

    public func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(keys.sorted(), forKey: .keys)
      try container.encode(threshold, forKey: .threshold)
    }
  }

  /// The roles of a repository.
  public struct Roles: Sendable, Equatable, Codable {
    /// Signs roots.
    public var root: Role
    /// Signs release manifests.
    public var release: Role
    /// Signs freshness statements. Its keys must have no other role. Nil if devices require no statements.
    public var freshness: Role?

    /// Creates the roles of a repository.
    public init(root: Role, release: Role, freshness: Role? = nil) {
      self.root = root
      self.release = release
      self.freshness = freshness
    }

    /// All roles, with their names.
    var named: [(name: String, role: Role)] {
      [("root", root), ("release", release)] + (freshness.map { [("freshness", $0)] } ?? [])
    }
  }

  /// The minimum version of a channel's manifest, in effect since a version of the root.
  ///
  /// A new floor makes devices forget the versions accepted under earlier roots. So an attacker who published version
  /// 9,000,000 with a stolen key cannot block later manifests once the key is revoked.
  public struct Floor: Sendable, Equatable, Codable {
    /// The minimum version of the manifest.
    public var version: Int
    /// The version of the root that introduced it.
    public var since: Int

    /// Creates a floor introduced by a version of the root.
    public init(version: Int, since: Int) {
      self.version = version
      self.since = since
    }
  }

  /// The name of the repository. Documents of other repositories are rejected.
  public var repository: String
  /// Increases by one with each root.
  public var version: Int
  /// When the root was signed.
  public var created: Timestamp
  /// After this time, a host may be withholding a newer root from the device.
  public var expires: Timestamp
  /// The keys, by ``PublicKey/id``.
  public var keys: [String: PublicKey]
  /// The keys of each role.
  public var roles: Roles
  /// The floors, by channel.
  public var floors: [String: Floor]?

  /// Creates an unsigned root. Its keys are indexed by their identifiers.
  public init(
    repository: String, version: Int, created: Timestamp, expires: Timestamp, keys: [PublicKey], roles: Roles,
    floors: [String: Floor]? = nil
  ) {
    self.repository = repository
    self.version = version
    self.created = created
    self.expires = expires
    self.keys = Dictionary(keys.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    self.roles = roles
    self.floors = floors
  }

  /// Reads a root that shipped with the software. It must be signed by its own keys.
  ///
  /// - Throws: ``DeliveryError`` if the root is malformed or lacks signatures of its own keys.
  public init(trusting envelope: SignedEnvelope) throws {
    let root = try envelope.document(TrustRoot.self)
    try envelope.verify(by: root.roles.root, keys: root.keys, subject: Self.documentName)
    self = root
  }

  /// Verifies the root that follows this one.
  ///
  /// - Throws: ``DeliveryError``; `brokenRootChain` if it belongs to another repository, is not the next version or
  ///   drops a floor.
  public func next(_ envelope: SignedEnvelope) throws -> TrustRoot {
    // The signatures of the old keys are verified first. The payload is not parsed before that.
    try envelope.verify(by: roles.root, keys: keys, subject: Self.documentName)
    let next = try envelope.document(TrustRoot.self)
    try envelope.verify(by: next.roles.root, keys: next.keys, subject: Self.documentName)
    guard next.repository == repository else {
      throw DeliveryError(
        .brokenRootChain, "expected a root of the repository '\(repository)', found one of '\(next.repository)'")
    }
    guard next.version == version + 1 else {
      throw DeliveryError(.brokenRootChain, "expected version \(version + 1) of the root, found \(next.version)")
    }
    for (channel, floor) in floors ?? [:] {
      guard let kept = next.floors?[channel], kept.since > floor.since || kept == floor else {
        throw DeliveryError(
          .brokenRootChain, "version \(next.version) of the root forgets the floor of the channel '\(channel)'")
      }
    }
    return next
  }
}

extension TrustRoot: SignedDocument {
  static let payloadType = "application/vnd.coreml.trust-root.v1+json"
  static let documentName = "trust root"

  func validate() throws {
    func malformed(_ sentence: String) -> DeliveryError {
      DeliveryError(.malformedManifest, "the trust root \(sentence)")
    }
    guard ReleaseName.isValid(repository) else { throw malformed("names no repository") }
    guard (1..<Int(Int32.max)).contains(version) else { throw malformed("has the impossible version \(version)") }
    guard created < expires else { throw malformed("expires before it is made") }
    for (id, key) in keys where key.id != id { throw malformed("lists a key under another's identifier") }
    for (name, role) in roles.named {
      guard role.keys.allSatisfy({ keys[$0] != nil }) else {
        throw malformed("gives the role '\(name)' to unknown keys")
      }
      guard role.threshold >= 1, role.threshold <= role.keys.count else {
        throw malformed("asks for \(role.threshold) of \(role.keys.count) keys for the role '\(name)'")
      }
    }
    // An attacker who steals a frequently used online key can then sign only freshness statements.
    if let freshness = roles.freshness,
      !freshness.keys.isDisjoint(with: roles.root.keys.union(roles.release.keys))
    {
      throw malformed("gives a key of the role 'freshness' another role")
    }
    for (channel, floor) in floors ?? [:] {
      guard ReleaseName.isValid(channel), floor.version >= 0, (1...version).contains(floor.since) else {
        throw malformed("has an impossible floor for the channel '\(channel.prefix(64))'")
      }
    }
  }
}
