import Foundation

/// Whom a device believes: the keys of a repository, what each may sign, and how many must.
///
/// A device is given a root once, with the software. From then on version N + 1 is accepted when enough keys of N and enough keys of
/// N + 1 have signed it, so that keys can be changed and withdrawn (theupdateframework.github.io, 5.3).
public struct TrustRoot: Sendable, Equatable, Codable {
  /// The keys that may sign something, and how many of them must.
  public struct Role: Sendable, Equatable, Codable {
    /// Which keys, by ``PublicKey/id``.
    public var keys: Set<String>
    /// How many of them must sign.
    public var threshold: Int

    /// So many of these keys.
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

  /// What there is to sign, and by whom.
  public struct Roles: Sendable, Equatable, Codable {
    /// Signs the next root.
    public var root: Role
    /// Signs release manifests.
    public var release: Role
    /// Signs freshness statements, and nothing else: its keys have no other role. Nil: devices ask for no statements.
    public var freshness: Role?

    /// The roles of a repository.
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

  /// The least version of a channel's manifest that counts, from a version of the root on.
  ///
  /// A device forgets the versions that it saw under an earlier root when a floor is new: whoever had stolen a key and published
  /// version 9,000,000 has lost that advantage with the key.
  public struct Floor: Sendable, Equatable, Codable {
    /// The least version of the manifest that devices take.
    public var version: Int
    /// The version of the root that introduced it.
    public var since: Int

    /// A floor that a version of the root introduces.
    public init(version: Int, since: Int) {
      self.version = version
      self.since = since
    }
  }

  /// The name of the repository; documents of another one are refused.
  public var repository: String
  /// Grows by one with each root.
  public var version: Int
  /// When it was made.
  public var created: Timestamp
  /// After this, somebody may be keeping a newer root from the device.
  public var expires: Timestamp
  /// By ``PublicKey/id``.
  public var keys: [String: PublicKey]
  /// Which keys may sign what.
  public var roles: Roles
  /// By channel.
  public var floors: [String: Floor]?

  /// A root as its publisher writes it, with its keys by their identifiers; it is not signed yet.
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

  /// A root that is given to the device with its software; it must vouch for itself.
  ///
  /// - Throws: ``DeliveryError`` when it is malformed or not signed by enough of its own keys.
  public init(trusting envelope: SignedEnvelope) throws {
    let root = try envelope.document(TrustRoot.self)
    try envelope.verify(by: root.roles.root, keys: root.keys, subject: Self.documentName)
    self = root
  }

  /// The root that follows this one.
  ///
  /// - Throws: ``DeliveryError``, `brokenRootChain` when it is not of this repository or not of the next version.
  public func next(_ envelope: SignedEnvelope) throws -> TrustRoot {
    // The old keys first: until they have vouched for the bytes, nothing in them is looked at.
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
    // Whoever watches over a machine that signs each hour has stolen nothing but that.
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
