import Foundation

extension Publisher {
  /// The state of a channel: its draft, pending and published manifests.
  public struct ChannelState: Sendable {
    /// The draft: the channel's content after the next signing.
    public let draft: ReleaseManifest
    /// The published manifest; nil if the channel was never published.
    public let published: ReleaseManifest?
    /// A signed draft that lacks signatures: its version and its number of signatures.
    public let pending: (version: Int, signatures: Int)?
    /// When the published freshness statement expires; nil if there is none.
    public let fresh: Timestamp?
    /// The changes that signing would publish.
    public var changes: [ManifestChange] { draft.changes(since: published) }
  }

  /// Returns the state of a channel from the publisher's folder. Signatures are not verified here; use
  /// ``verify(unpacking:)``.
  ///
  /// - Throws: ``DeliveryError`` if the channel does not exist or one of its documents is unreadable.
  public func state(_ channel: String) throws -> ChannelState {
    let draft = try draft(channel)
    let release = try root().roles.release
    let pending = try document(files.pendingFile(channel)).map { envelope in
      (
        version: try envelope.document(ReleaseManifest.self).version,
        signatures: Set(envelope.signatures.map(\.keyid)).intersection(release.keys).count
      )
    }
    return ChannelState(
      draft: draft, published: try document(files.channelFile(channel))?.document(ReleaseManifest.self),
      pending: pending,
      fresh: try document(files.statementFile(channel))?.document(FreshnessStatement.self).expires)
  }

  private func document(_ file: URL) throws -> SignedEnvelope? {
    FileManager.default.fileExists(atPath: file.path) ? try files.envelope(file) : nil
  }
}
