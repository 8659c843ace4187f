import Foundation

extension Publisher {
  /// How a channel stands: what is prepared, what waits, what is published.
  public struct ChannelState: Sendable {
    /// What is prepared: what the channel will say once it is signed.
    public let draft: ReleaseManifest
    /// Nil where the channel was never published.
    public let published: ReleaseManifest?
    /// A signed draft that waits for more signatures: its version, and how many keys have signed.
    public let pending: (version: Int, signatures: Int)?
    /// Until when the published manifest is said to be the newest; nil where nothing says so.
    public let fresh: Timestamp?
    /// What signing would publish.
    public var changes: [ManifestChange] { draft.changes(since: published) }
  }

  /// How a channel stands. Documents are those of the publisher's own folder, and their signatures are not checked: ``verify(unpacking:)``
  /// does.
  ///
  /// - Throws: ``DeliveryError`` where there is no such channel, or a document of it cannot be read.
  public func state(_ channel: String) throws -> ChannelState {
    let draft = try draft(channel)
    let release = try root().roles.release
    let pending = try document(pendingFile(channel)).map { envelope in
      (
        version: try envelope.document(ReleaseManifest.self).version,
        signatures: Set(envelope.signatures.map(\.keyid)).intersection(release.keys).count
      )
    }
    return ChannelState(
      draft: draft, published: try document(channelFile(channel))?.document(ReleaseManifest.self), pending: pending,
      fresh: try document(statementFile(channel))?.document(FreshnessStatement.self).expires)
  }

  private func document(_ file: URL) throws -> SignedEnvelope? {
    FileManager.default.fileExists(atPath: file.path) ? try envelope(file) : nil
  }
}
