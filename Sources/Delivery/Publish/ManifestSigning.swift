import Foundation

/// Signs the draft of a channel, and publishes it once enough keys have signed.
struct ManifestSigning {
  let files: PublisherFiles
  let now: Timestamp
  /// The lifetime of the manifest in seconds.
  let lifetime: Int64

  func sign(_ channel: String, with keys: [any DocumentSigner]) throws -> Publisher.Signed {
    try files.completeRoot()
    let root = try files.root()
    let role = root.roles.release
    for key in keys where !role.keys.contains(key.publicKey.id) {
      throw DeliveryError(.unknownKey, "the key \(key.publicKey.id.prefix(16)) may not sign releases")
    }
    guard !keys.isEmpty else { throw DeliveryError(.badKey, "there is no private key to sign with") }
    let draft = try files.draft(channel)
    var manifest = draft
    manifest.version = draft.version + 1
    manifest.created = now
    manifest.expires = now.advanced(by: lifetime)
    var envelope: SignedEnvelope
    // A pending document gets the signatures, unless the draft has changed since.
    if let waiting = try? files.envelope(files.pendingFile(channel)),
      let pending = try? waiting.document(ReleaseManifest.self),
      pending.settingTimes(of: manifest) == manifest
    {
      (envelope, manifest) = (waiting, pending)
    } else {
      envelope = try SignedEnvelope.unsigned(manifest)
    }
    for key in keys { try envelope.sign(with: key) }
    let signed = Publisher.Signed(
      manifest: manifest, signatures: Set(envelope.signatures.map(\.keyid)).intersection(role.keys).count,
      threshold: role.threshold)
    let bytes = try envelope.encoded()
    guard bytes.count <= SignedEnvelope.sizeLimit else {
      throw DeliveryError(
        .oversizedDocument, "the manifest of '\(channel)' has \(bytes.count) bytes, more than devices read")
    }
    guard signed.isPublished else {
      try PublisherFiles.write(bytes, to: files.pendingFile(channel))
      return signed
    }
    try envelope.verify(by: role, keys: root.keys, subject: ReleaseManifest.documentName)
    // The draft records the version first, so that no later manifest can reuse it.
    try PublisherFiles.write(DocumentJSON.encode(manifest) + Data("\n".utf8), to: files.draftFile(channel))
    try PublisherFiles.write(bytes, to: files.host.appending(path: "channels/\(channel)/\(manifest.version).json"))
    try PublisherFiles.write(bytes, to: files.channelFile(channel))
    unlink(files.pendingFile(channel).path)
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
