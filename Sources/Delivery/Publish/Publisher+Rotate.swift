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
    let proposal = try rotation.proposal(with: keys, held: [], change)
    let accepted = try proposal.old.next(proposal.envelope)
    try rotation.publish(proposal.envelope, accepted)
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
    let proposal = try rotation.proposal(with: keys, held: held, change)
    return try rotation.settle(proposal.old, proposal.next, proposal.envelope, dryRun: dryRun)
  }

  /// Adds signatures to the pending root.
  public func signRoot(with keys: [any DocumentSigner], dryRun: Bool = false) throws -> RootChange {
    try rotation.sign(with: keys, dryRun: dryRun)
  }

  private var rotation: RootRotation { RootRotation(files: files, now: now, lifetime: settings.rootLifetime) }
}
