import Foundation

extension Publisher {
  /// Signs a statement that a channel's manifest and the root are the newest ones. It must be renewed before it
  /// expires.
  ///
  /// - Parameters:
  ///   - keys: enough keys of the role `freshness`.
  ///   - lifetime: in seconds; nil for the lifetime of the settings.
  /// - Throws: ``DeliveryError`` `cannotPublish` if the root has no freshness role or the channel has no manifest;
  ///   `unknownKey`, `thresholdNotMet`; `expired` if the manifest or the root has expired.
  @discardableResult
  public func freshen(
    _ channel: String, with keys: [any DocumentSigner], lifetime: Int64? = nil
  ) throws -> FreshnessStatement {
    let root = try root()
    guard let role = root.roles.freshness else {
      throw DeliveryError(.cannotPublish, "the root has no role 'freshness'; give it one with rotate")
    }
    guard ReleaseName.isValid(channel), FileManager.default.fileExists(atPath: channelFile(channel).path) else {
      throw DeliveryError(.cannotPublish, "no manifest of the channel '\(channel)' is published")
    }
    let served = try envelope(channelFile(channel))
    try served.verify(by: root.roles.release, keys: root.keys, subject: ReleaseManifest.documentName)
    let manifest = try served.document(ReleaseManifest.self)
    // A manifest older than the last published one, for example from an old backup, must not be declared the newest.
    let hasDraft = FileManager.default.fileExists(atPath: draftFile(channel).path)
    let published = hasDraft ? try draft(channel).version : manifest.version
    guard published <= manifest.version else {
      throw DeliveryError(
        .cannotPublish,
        "version \(manifest.version) of the channel '\(channel)' is on the host, and version \(published) was published",
        file: channelFile(channel).path)
    }
    guard now < manifest.expires, now < root.expires else {
      throw DeliveryError(
        .expired, "the manifest of '\(channel)' or the root has expired: sign it anew before you vouch for it")
    }
    let statement = FreshnessStatement(
      repository: settings.repository, channel: channel, created: now,
      expires: now.advanced(by: lifetime ?? settings.statementLifetime ?? 2 * 86_400), manifest: manifest.version,
      sha256: FreshnessStatement.digest(served.payload), root: root.version)
    var envelope = try SignedEnvelope.unsigned(statement)
    for key in keys {
      guard role.keys.contains(key.publicKey.id) else {
        throw DeliveryError(.unknownKey, "the key \(key.publicKey.id.prefix(16)) may not sign freshness statements")
      }
      try envelope.sign(with: key)
    }
    try envelope.verify(by: role, keys: root.keys, subject: FreshnessStatement.documentName)
    try Self.write(envelope.encoded(), to: statementFile(channel))
    return statement
  }
}
