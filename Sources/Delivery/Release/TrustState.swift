import CoreMLBase
import CoreMLSpec
import Foundation

/// The trust state of one repository, kept in the state folder: the newest root, and the newest accepted manifest of
/// each channel. Downloaded data is written here only after its signatures were verified.
///
/// Each version is a separate file with the version in its name, so concurrent processes need no locks. The highest
/// version counts, and it is never replaced by a lower one. A file with damaged content still counts by its name.
///
///     roots/<version>.json                        the newest root
///     channels/<channel>/<epoch>-<version>.json   the newest manifest since the channel's floor was set
///     freshness/<channel>/<root>-<seconds>.json   the newest freshness statement under this version of the root
///     times/<root>-<seconds>.json                 the latest signing time seen under this version of the root
///
/// Signing times seen under earlier roots are ignored. So an attacker who signed times in the future with a stolen key
/// has no effect once the key is revoked.
public struct TrustState: Sendable {
  /// A verified manifest with its warnings.
  public struct Accepted: Sendable {
    /// The manifest, with verified signatures and times.
    public let manifest: ReleaseManifest
    /// Problems that do not reject the manifest, such as an expiry within its grace period.
    public let warnings: [DeliveryWarning]
  }

  /// The newest root.
  public private(set) var root: TrustRoot
  let directory: URL
  let policy: FreshnessPolicy

  /// Opens the state of the initial root's repository.
  ///
  /// - Parameters:
  ///   - directory: usually `trust` below ``DeliveryDirectories/state``; it contains a folder for each repository.
  ///   - initialRoot: the root that shipped with the software. A newer accepted root replaces it.
  /// - Throws: ``DeliveryError`` if the initial root is not validly signed by its own keys, or the folder cannot be
  ///   used.
  public init(directory: URL, initialRoot: SignedEnvelope, policy: FreshnessPolicy = FreshnessPolicy()) throws {
    let initial = try TrustRoot(trusting: initialRoot)
    self.directory = directory.appending(path: initial.repository, directoryHint: .isDirectory)
    self.policy = policy
    root = initial
    let folder = self.directory.appending(path: "roots")
    for version in try Self.names(in: folder).compactMap({ Int($0) }).sorted(by: >) where version > initial.version {
      guard
        let data = OpenFile.contents(
          atPath: folder.appending(path: "\(version).json").path, limit: SignedEnvelope.sizeLimit + 1),
        let kept = try? TrustRoot(trusting: SignedEnvelope(Data(data))), kept.version == version,
        kept.repository == initial.repository
      else { continue }
      root = kept
      break
    }
  }

  // MARK: roots

  /// Accepts the successor of the trusted root. A client requests `root/<version + 1>.json` from the host until there
  /// is none.
  public mutating func accept(root envelope: SignedEnvelope) throws {
    let next = try DeliveryMetrics.step(.root) { try root.next(envelope) }
    try keep(envelope, in: directory.appending(path: "roots"), name: "\(next.version)")
    root = next
  }

  // MARK: manifests

  /// Verifies a downloaded manifest and stores it.
  ///
  /// The signatures are verified before the manifest is parsed. It must then belong to this channel, be fresh, and not
  /// be older than any accepted manifest.
  ///
  /// - Parameter statement: the host's freshness statement; used only if the root has a freshness role.
  /// - Throws: ``DeliveryError`` `wrongSignature`, `unknownKey`, `thresholdNotMet`, `malformedEnvelope`,
  ///   `malformedManifest`, `mixAndMatch`, `expired`, `stale`, `withheld`, `rollback`, `equivocation`; nothing is
  ///   stored then.
  public func accept(
    manifest envelope: SignedEnvelope, freshness statement: SignedEnvelope? = nil, channel: String,
    now: Timestamp = .now
  ) throws -> Accepted {
    try DeliveryMetrics.step(.manifest) { try take(envelope, statement, channel, now) }
  }

  private func take(
    _ envelope: SignedEnvelope, _ statement: SignedEnvelope?, _ channel: String, _ now: Timestamp
  ) throws -> Accepted {
    let vouched = try vouched(statement, channel)
    let accepted = try verify(envelope, vouched?.statement, channel: channel, now: now)
    let manifest = accepted.manifest
    let floor = root.floors?[channel]
    let newest = try newestVersion(of: channel)
    let least = max(floor?.version ?? 0, newest ?? 0)
    guard manifest.version >= least else {
      throw DeliveryError(
        .rollback,
        "version \(manifest.version) of the channel '\(channel)' is older than version \(least), which is known")
    }
    let name = Self.name(epoch: floor?.since ?? 0, version: manifest.version)
    let folder = directory.appending(path: "channels/\(channel)")
    // A damaged stored manifest is replaced, not reported as equivocation.
    if manifest.version == newest, let kept = try? envelopeKept(in: folder, name: name),
      (try? kept.verify(by: root.roles.release, keys: root.keys, subject: ReleaseManifest.documentName)) != nil
    {
      guard kept.payload == envelope.payload else {
        throw DeliveryError(
          .equivocation, "version \(manifest.version) of the channel '\(channel)' is another than the one that is known"
        )
      }
    } else {
      try keep(envelope, in: folder, name: name)
    }
    try keep(vouched, channel, manifest)
    return accepted
  }

  /// Returns the newest accepted manifest, for offline devices; nil if there is none.
  ///
  /// - Parameter statement: the host's freshness statement; nil uses the stored one.
  /// - Throws: ``DeliveryError`` `expired` after the grace period, `stale`, `withheld`, and the errors of signatures by
  ///   keys that are no longer trusted.
  public func kept(
    channel: String, freshness statement: SignedEnvelope? = nil, now: Timestamp = .now
  ) throws -> Accepted? {
    guard let version = try newestVersion(of: channel) else { return nil }
    let name = Self.name(epoch: root.floors?[channel]?.since ?? 0, version: version)
    let vouched = try vouched(statement, channel)
    let accepted = try verify(
      envelopeKept(in: directory.appending(path: "channels/\(channel)"), name: name), vouched?.statement,
      channel: channel, now: now)
    if statement != nil { try keep(vouched, channel, accepted.manifest) }
    return accepted
  }

  /// Returns the highest version of a channel accepted since its floor was set.
  public func newestVersion(of channel: String) throws -> Int? {
    guard ReleaseName.isValid(channel) else {
      throw DeliveryError(.mixAndMatch, "'\(channel.prefix(64))' cannot be the name of a channel")
    }
    return try Self.newest(
      in: directory.appending(path: "channels/\(channel)"), epoch: root.floors?[channel]?.since ?? 0)
  }

  private func verify(
    _ envelope: SignedEnvelope, _ statement: FreshnessStatement?, channel: String, now: Timestamp
  ) throws -> Accepted {
    try envelope.verify(by: root.roles.release, keys: root.keys, subject: ReleaseManifest.documentName)
    let manifest = try envelope.document(ReleaseManifest.self)
    guard manifest.repository == root.repository, manifest.channel == channel else {
      throw DeliveryError(
        .mixAndMatch,
        "expected the channel '\(channel)' of '\(root.repository)', found '\(manifest.channel)' of '\(manifest.repository)'"
      )
    }
    let signed = max(try signedTime(), statement?.created ?? root.created)
    var warnings = try policy.check(
      [
        SignedTimes(TrustRoot.documentName, created: root.created, expires: root.expires),
        SignedTimes(
          ReleaseManifest.documentName, created: manifest.created, expires: manifest.expires,
          atMost: policy.manifestLifetime),
      ], signed: signed, now: now)
    if root.roles.freshness != nil {
      try statement?.require(manifest, payload: envelope.payload)
      let expires = statement.map { min($0.expires, $0.created.advanced(by: policy.statementLifetime)) }
      warnings += try policy.checkStatement(
        expires: expires, root: root.created, moment: max(now, signed, manifest.created))
    }
    return Accepted(manifest: manifest, warnings: warnings)
  }
}
