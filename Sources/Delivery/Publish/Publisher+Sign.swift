import Foundation

extension Publisher {
  /// The result of signing a manifest.
  public struct Signed: Sendable, Equatable {
    /// The signed manifest.
    public let manifest: ReleaseManifest
    /// The number of release keys that have signed.
    public let signatures: Int
    /// The number of release keys that must sign.
    public let threshold: Int
    /// Whether the manifest is published; if not, it lacks signatures.
    public var isPublished: Bool { signatures >= threshold }
  }

  /// Signs a channel's draft as its next version, or adds signatures to the pending version. The manifest is published
  /// once enough keys have signed.
  ///
  /// - Parameter keys: the signing keys; any key without the release role is rejected.
  public func sign(_ channel: String, with keys: [any DocumentSigner]) throws -> Signed {
    try ManifestSigning(files: files, now: now, lifetime: settings.manifestLifetime).sign(channel, with: keys)
  }
}
