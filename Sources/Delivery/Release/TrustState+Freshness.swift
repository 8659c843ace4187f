import Foundation

/// Time and freshness, as signed documents tell them.
extension TrustState {
  /// A statement whose signatures hold, and its envelope where it is new.
  struct Vouched {
    let statement: FreshnessStatement
    let envelope: SignedEnvelope?
  }

  /// The latest moment that was signed, as far as is known: it is no earlier now.
  func signedTime() throws -> Timestamp {
    let seen = try Self.newest(in: directory.appending(path: "times"), epoch: root.version)
    return max(root.created, seen.map { Timestamp(seconds: Int64($0)) } ?? root.created)
  }

  /// The version of the root that a statement names, where its signatures hold under the root that is trusted.
  func rootVersion(namedBy statement: SignedEnvelope) -> Int? {
    guard let role = root.roles.freshness,
      (try? statement.verify(by: role, keys: root.keys, subject: FreshnessStatement.documentName)) != nil
    else { return nil }
    return try? statement.document(FreshnessStatement.self).root
  }

  /// What vouches for a channel: the statement that the host has, or the one that was kept where that is no newer. Nil where there is neither,
  /// and where the root asks for none.
  ///
  /// - Throws: ``DeliveryError`` as for a manifest; `withheld` when it names a later root than the host has.
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
    // Of two that were signed within one second, the one that names more.
    if let kept,
      (statement.created, statement.manifest) <= (kept.statement.created, kept.statement.manifest)
    {
      return kept
    }
    // It speaks of versions that a new floor has done away with.
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

  /// Keeps what has been found to hold together with a manifest: a statement alone moves no clock.
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
