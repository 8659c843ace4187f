import Foundation

extension Publisher {
  /// The result of signing a manifest.
  public struct Signed: Sendable, Equatable {
    /// The signed manifest.
    public let manifest: ReleaseManifest
    /// The number of release keys that have signed.
    public let signatures: Int
    /// The number of release keys that must sign.
    public let threshold: Int
    /// Whether the manifest is published; if not, it lacks signatures.
    public var isPublished: Bool { signatures >= threshold }
  }

  /// Signs a channel's draft as its next version, or adds signatures to the pending version. The manifest is published
  /// once enough keys have signed.
  ///
  /// - Parameter keys: the signing keys; any key without the release role is rejected.
  public func sign(_ channel: String, with keys: [any DocumentSigner]) throws -> Signed {
    try completeRoot()
    let root = try root()
    let role = root.roles.release
    for key in keys where !role.keys.contains(key.publicKey.id) {
      throw DeliveryError(.unknownKey, "the key \(key.publicKey.id.prefix(16)) may not sign releases")
    }
    guard !keys.isEmpty else { throw DeliveryError(.badKey, "there is no private key to sign with") }
    let draft = try draft(channel)
    var manifest = draft
    manifest.version = draft.version + 1
    manifest.created = now
    manifest.expires = now.advanced(by: settings.manifestLifetime)
    var envelope: SignedEnvelope
    // A pending document gets the signatures, unless the draft has changed since.
    if let waiting = try? self.envelope(pendingFile(channel)),
      let pending = try? waiting.document(ReleaseManifest.self),
      pending.settingTimes(of: manifest) == manifest
    {
      (envelope, manifest) = (waiting, pending)
    } else {
      envelope = try SignedEnvelope.unsigned(manifest)
    }
    for key in keys { try envelope.sign(with: key) }
    let signed = Signed(
      manifest: manifest, signatures: Set(envelope.signatures.map(\.keyid)).intersection(role.keys).count,
      threshold: role.threshold)
    let bytes = try envelope.encoded()
    guard bytes.count <= SignedEnvelope.sizeLimit else {
      throw DeliveryError(
        .oversizedDocument, "the manifest of '\(channel)' has \(bytes.count) bytes, more than devices read")
    }
    guard signed.isPublished else {
      try Self.write(bytes, to: pendingFile(channel))
      return signed
    }
    try envelope.verify(by: role, keys: root.keys, subject: ReleaseManifest.documentName)
    // The draft records the version first, so that no later manifest can reuse it.
    try Self.write(DocumentJSON.encode(manifest) + Data("\n".utf8), to: draftFile(channel))
    try Self.write(bytes, to: host.appending(path: "channels/\(channel)/\(manifest.version).json"))
    try Self.write(bytes, to: channelFile(channel))
    unlink(pendingFile(channel).path)
    return signed
  }
}

extension ReleaseManifest {
  fileprivate func settingTimes(of other: ReleaseManifest) -> ReleaseManifest {
    var copy = self
    (copy.created, copy.expires) = (other.created, other.expires)
    return copy
  }
}
