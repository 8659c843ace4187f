import Foundation

/// Signs the statement that a published manifest and the root are the newest ones.
struct StatementSigning {
  let files: PublisherFiles
  let repository: String
  let now: Timestamp
  /// The lifetime of the statement in seconds.
  let lifetime: Int64

  func sign(_ channel: String, with keys: [any DocumentSigner]) throws -> FreshnessStatement {
    let root = try files.root()
    guard let role = root.roles.freshness else {
      throw DeliveryError(.cannotPublish, "the root has no role 'freshness'; give it one with rotate")
    }
    guard ReleaseName.isValid(channel), FileManager.default.fileExists(atPath: files.channelFile(channel).path) else {
      throw DeliveryError(.cannotPublish, "no manifest of the channel '\(channel)' is published")
    }
    let served = try files.envelope(files.channelFile(channel))
    try served.verify(by: root.roles.release, keys: root.keys, subject: ReleaseManifest.documentName)
    let manifest = try served.document(ReleaseManifest.self)
    // A manifest older than the last published one, for example from an old backup, must not be declared the newest.
    let hasDraft = FileManager.default.fileExists(atPath: files.draftFile(channel).path)
    let published = hasDraft ? try files.draft(channel).version : manifest.version
    guard published <= manifest.version else {
      throw DeliveryError(
        .cannotPublish,
        "version \(manifest.version) of the channel '\(channel)' is on the host, and version \(published) was published",
        file: files.channelFile(channel).path)
    }
    guard now < manifest.expires, now < root.expires else {
      throw DeliveryError(
        .expired, "the manifest of '\(channel)' or the root has expired: sign it anew before you vouch for it")
    }
    let statement = FreshnessStatement(
      repository: repository, channel: channel, created: now,
      expires: now.advanced(by: lifetime), manifest: manifest.version,
      sha256: FreshnessStatement.digest(served.payload), root: root.version)
    var envelope = try SignedEnvelope.unsigned(statement)
    for key in keys {
      guard role.keys.contains(key.publicKey.id) else {
        throw DeliveryError(.unknownKey, "the key \(key.publicKey.id.prefix(16)) may not sign freshness statements")
      }
      try envelope.sign(with: key)
    }
    try envelope.verify(by: role, keys: root.keys, subject: FreshnessStatement.documentName)
    try PublisherFiles.write(envelope.encoded(), to: files.statementFile(channel))
    return statement
  }
}
