import Foundation

/// Changes of the trust root.
extension Publisher {
  /// The result of a root change.
  public struct RootChange: Sendable, Equatable {
    /// The new root.
    public let root: TrustRoot
    /// The numbers of valid signatures by root keys of the previous root and of the new root.
    public let signatures: (old: Int, new: Int)
    /// The numbers of required signatures by root keys of the previous root and of the new root.
    public let thresholds: (old: Int, new: Int)
    /// Whether the root is published. If not, it lacks signatures or this was a dry run.
    public let isPublished: Bool

    /// Whether enough root keys of both roots have signed.
    public var isComplete: Bool { signatures.old >= thresholds.old && signatures.new >= thresholds.new }

    public static func == (a: Self, b: Self) -> Bool {
      a.root == b.root && a.signatures == b.signatures && a.thresholds == b.thresholds && a.isPublished == b.isPublished
    }
  }

  /// Publishes a new root with other keys, thresholds or minimum channel versions.
  ///
  /// - Parameters:
  ///   - keys: enough keys of the old root and of the new root.
  ///   - change: edits the new root; its version and times are set afterwards.
  @discardableResult
  public func rotate(
    with keys: [any DocumentSigner], _ change: (inout TrustRoot) throws -> Void
  ) throws -> TrustRoot {
    let proposal = try proposal(with: keys, held: [], change)
    let accepted = try proposal.old.next(proposal.envelope)
    try publish(proposal.envelope, accepted)
    return accepted
  }

  /// Prepares the next root, and publishes it once enough keys have signed. Until then it is kept for
  /// ``signRoot(with:dryRun:)``.
  ///
  /// - Parameters:
  ///   - held: identifiers of available keys that are neither in `keys` nor in the folder.
  ///   - dryRun: writes nothing.
  /// - Throws: ``DeliveryError`` `cannotPublish` if the available keys of some role cannot reach its threshold.
  public func changeRoot(
    with keys: [any DocumentSigner], held: Set<String> = [], dryRun: Bool = false,
    _ change: (inout TrustRoot) throws -> Void
  ) throws -> RootChange {
    let proposal = try proposal(with: keys, held: held, change)
    return try settle(proposal.old, proposal.next, proposal.envelope, dryRun: dryRun)
  }

  /// Adds signatures to the pending root.
  public func signRoot(with keys: [any DocumentSigner], dryRun: Bool = false) throws -> RootChange {
    guard FileManager.default.fileExists(atPath: pendingRootFile.path) else {
      throw DeliveryError(.cannotPublish, "no root waits for signatures", file: folder.path)
    }
    let old = try root()
    var envelope = try envelope(pendingRootFile)
    let next = try envelope.document(TrustRoot.self)
    guard next.version == old.version + 1 else {
      throw DeliveryError(
        .cannotPublish, "the root that waits is version \(next.version), and \(old.version) is published",
        file: pendingRootFile.path)
    }
    let known = old.roles.root.keys.union(next.roles.root.keys)
    for key in keys {
      guard known.contains(key.publicKey.id) else {
        throw DeliveryError(.unknownKey, "the key \(key.publicKey.id.prefix(16)) may not sign this root")
      }
      try envelope.sign(with: key)
    }
    return try settle(old, next, envelope, dryRun: dryRun)
  }

  private func settle(
    _ old: TrustRoot, _ next: TrustRoot, _ envelope: SignedEnvelope, dryRun: Bool
  ) throws -> RootChange {
    let signed = (
      old: envelope.signers(of: old.roles.root, keys: old.keys).count,
      new: envelope.signers(of: next.roles.root, keys: next.keys).count
    )
    let thresholds = (old: old.roles.root.threshold, new: next.roles.root.threshold)
    let isComplete = signed.old >= thresholds.old && signed.new >= thresholds.new
    if isComplete {
      // Verified as a device does it.
      _ = try old.next(envelope)
      if !dryRun { try publish(envelope, next) }
    } else if !dryRun {
      guard signed.old + signed.new > 0 else {
        throw DeliveryError(.unknownKey, "none of the keys that were given may sign a root")
      }
      try Self.write(envelope.encoded(), to: pendingRootFile)
    }
    return RootChange(root: next, signatures: signed, thresholds: thresholds, isPublished: isComplete && !dryRun)
  }

  /// Never replaces a published root, because devices may have it.
  private func publish(_ envelope: SignedEnvelope, _ next: TrustRoot) throws {
    guard try publishedRoot(next.version) == nil else {
      throw DeliveryError(
        .cannotPublish, "version \(next.version) of the root is published already", file: folder.path)
    }
    try Self.write(envelope.encoded(), to: host.appending(path: "root/\(next.version).json"))
    try Self.write(envelope.encoded(), to: rootFile)
    unlink(pendingRootFile.path)
  }

  private func proposal(
    with keys: [any DocumentSigner], held: Set<String>, _ change: (inout TrustRoot) throws -> Void
  ) throws -> (old: TrustRoot, next: TrustRoot, envelope: SignedEnvelope) {
    let old = try root()
    var next = old
    try change(&next)
    next.version = old.version + 1
    next.created = now
    next.expires = now.advanced(by: settings.rootLifetime)
    try requireReach(next, held: held.union(keys.map(\.publicKey.id)).union(keyFiles().map(\.publicKey.id)))
    guard next.expires > old.created else {
      throw DeliveryError(
        .cannotPublish, "the new root would expire at \(next.expires), before the one that it follows was made")
    }
    var envelope = try SignedEnvelope.unsigned(next)
    let known = old.roles.root.keys.union(next.roles.root.keys)
    for key in keys where known.contains(key.publicKey.id) { try envelope.sign(with: key) }
    return (old, next, envelope)
  }

  /// Checks that the available keys reach the threshold of each role. Otherwise the publisher could neither publish nor
  /// repair the root.
  private func requireReach(_ next: TrustRoot, held: Set<String>) throws {
    for role in KeyRole.allCases {
      guard let wanted = next.role(role) else { continue }
      let reachable = wanted.keys.intersection(held)
      guard reachable.count >= max(wanted.threshold, 1) else {
        let missing = wanted.keys.subtracting(held).map { String($0.prefix(16)) }.sorted()
        throw DeliveryError(
          .cannotPublish,
          "after this change \(wanted.threshold) keys of the role '\(role.rawValue)' must sign, and \(reachable.count) are at hand"
            + (missing.isEmpty ? "" : "; say so if others hold \(missing.joined(separator: ", "))"))
      }
    }
  }
}
