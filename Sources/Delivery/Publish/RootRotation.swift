import Foundation

/// The next trust root of a publisher: its proposal, its signatures and its publication.
struct RootRotation {
  let files: PublisherFiles
  let now: Timestamp
  /// The lifetime of the new root in seconds.
  let lifetime: Int64

  /// Adds signatures to the pending root.
  func sign(with keys: [any DocumentSigner], dryRun: Bool = false) throws -> Publisher.RootChange {
    guard FileManager.default.fileExists(atPath: files.pendingRootFile.path) else {
      throw DeliveryError(.cannotPublish, "no root waits for signatures", file: files.folder.path)
    }
    let old = try files.root()
    var envelope = try files.envelope(files.pendingRootFile)
    let next = try envelope.document(TrustRoot.self)
    guard next.version == old.version + 1 else {
      throw DeliveryError(
        .cannotPublish, "the root that waits is version \(next.version), and \(old.version) is published",
        file: files.pendingRootFile.path)
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

  /// Publishes the root if enough keys have signed it. Otherwise it waits for signatures.
  func settle(
    _ old: TrustRoot, _ next: TrustRoot, _ envelope: SignedEnvelope, dryRun: Bool
  ) throws -> Publisher.RootChange {
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
      try PublisherFiles.write(envelope.encoded(), to: files.pendingRootFile)
    }
    return Publisher.RootChange(
      root: next, signatures: signed, thresholds: thresholds, isPublished: isComplete && !dryRun)
  }

  /// Never replaces a published root, because devices may have it.
  func publish(_ envelope: SignedEnvelope, _ next: TrustRoot) throws {
    guard try files.publishedRoot(next.version) == nil else {
      throw DeliveryError(
        .cannotPublish, "version \(next.version) of the root is published already", file: files.folder.path)
    }
    try PublisherFiles.write(envelope.encoded(), to: files.host.appending(path: "root/\(next.version).json"))
    try PublisherFiles.write(envelope.encoded(), to: files.rootFile)
    unlink(files.pendingRootFile.path)
  }

  /// Makes the next root, signed by those of the keys that may sign it.
  func proposal(
    with keys: [any DocumentSigner], held: Set<String>, _ change: (inout TrustRoot) throws -> Void
  ) throws -> (old: TrustRoot, next: TrustRoot, envelope: SignedEnvelope) {
    let old = try files.root()
    var next = old
    try change(&next)
    next.version = old.version + 1
    next.created = now
    next.expires = now.advanced(by: lifetime)
    try requireReach(
      next, held: held.union(keys.map(\.publicKey.id)).union(PublisherKeys(files: files).all().map(\.publicKey.id)))
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
