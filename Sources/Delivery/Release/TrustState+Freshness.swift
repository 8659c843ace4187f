import Foundation

/// Time and freshness, derived from signed documents.
extension TrustState {
  /// A freshness statement with valid signatures. `envelope` is nil if the statement is stored already.
  struct Vouched {
    let statement: FreshnessStatement
    let envelope: SignedEnvelope?
  }

  /// Returns the latest known signing time, which is a lower bound of the current time.
  func signedTime() throws -> Timestamp {
    let seen = try Self.newest(in: directory.appending(path: "times"), epoch: root.version)
    return max(root.created, seen.map { Timestamp(seconds: Int64($0)) } ?? root.created)
  }

  /// Returns the root version that a statement names; nil if its signatures are invalid under the trusted root.
  func rootVersion(namedBy statement: SignedEnvelope) -> Int? {
    guard let role = root.roles.freshness,
      (try? statement.verify(by: role, keys: root.keys, subject: FreshnessStatement.documentName)) != nil
    else { return nil }
    return try? statement.document(FreshnessStatement.self).root
  }

  /// Returns the freshness statement to use for a channel: the host's statement, or the stored one if the host's is not
  /// newer. Returns nil if neither exists or the root has no freshness role.
  ///
  /// - Throws: ``DeliveryError`` as for a manifest; `withheld` if the statement names a later root than the host has.
  func vouched(_ given: SignedEnvelope?, _ channel: String) throws -> Vouched? {
    guard let role = root.roles.freshness else { return nil }
    let kept = try keptStatement(channel)
    guard let given else { return kept }
    try given.verify(by: role, keys: root.keys, subject: FreshnessStatement.documentName)
    let statement = try given.document(FreshnessStatement.self)
    guard statement.repository == root.repository, statement.channel == channel else {
      throw DeliveryError(
        .mixAndMatch,
        "expected the freshness statement of the channel '\(channel)' of '\(root.repository)', found that of '\(statement.channel)' of '\(statement.repository)'"
      )
    }
    guard statement.root <= root.version else {
      throw DeliveryError(
        .withheld,
        "the freshness statement of \(statement.created) names version \(statement.root) of the root, and the host has version \(root.version)"
      )
    }
    // Of two statements signed in the same second, the one with the higher manifest version is newer.
    if let kept,
      (statement.created, statement.manifest) <= (kept.statement.created, kept.statement.manifest)
    {
      return kept
    }
    // A statement from before the channel's floor refers to versions that no longer count.
    if let floor = root.floors?[channel], statement.root < floor.since { return kept }
    return Vouched(statement: statement, envelope: given)
  }

  private func keptStatement(_ channel: String) throws -> Vouched? {
    let folder = directory.appending(path: "freshness/\(channel)")
    guard let newest = try Self.newest(in: folder, epoch: root.version),
      let envelope = try? envelopeKept(in: folder, name: Self.name(epoch: root.version, version: newest)),
      let role = root.roles.freshness,
      (try? envelope.verify(by: role, keys: root.keys, subject: FreshnessStatement.documentName)) != nil,
      let statement = try? envelope.document(FreshnessStatement.self)
    else { return nil }
    return Vouched(statement: statement, envelope: nil)
  }

  /// Stores a statement and its signing time once they are verified with a manifest. A statement alone must not advance
  /// the clock.
  func keep(_ vouched: Vouched?, _ channel: String, _ manifest: ReleaseManifest) throws {
    if let vouched, let envelope = vouched.envelope {
      let name = Self.name(epoch: root.version, version: Int(vouched.statement.created.seconds))
      try keep(envelope, in: directory.appending(path: "freshness/\(channel)"), name: name)
    }
    let signed = max(manifest.created, vouched?.statement.created ?? manifest.created)
    guard signed > (try signedTime()) else { return }
    try keep(
      Array("{}\n".utf8), in: directory.appending(path: "times"),
      name: Self.name(epoch: root.version, version: Int(signed.seconds)))
  }
}
