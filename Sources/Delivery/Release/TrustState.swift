import CoreMLBase
import CoreMLSpec
import Foundation

/// What a device has come to trust of one repository, kept in its state directory: the newest root, and of each channel the newest
/// manifest that was accepted. Nothing that is fetched can write here unless its signatures hold.
///
/// Every version is a file of its own whose name says it, so that any number of processes may accept manifests at once without locks:
/// the highest name counts, and nothing puts a lower one in its place. A file whose contents are damaged still counts by its name.
///
///     roots/<version>.json                        the newest root
///     channels/<channel>/<epoch>-<version>.json   the newest manifest since the channel's floor was set
///     freshness/<channel>/<root>-<seconds>.json   the newest freshness statement under this version of the root
///     times/<root>-<seconds>.json                 the latest moment that anything was signed at, under this version of the root
///
/// What was signed under an earlier root says nothing of the time any more: whoever stole a key and signed in the name of the future has lost
/// that advantage, too, with the key.
public struct TrustState: Sendable {
  /// A manifest that was verified, with what is to be told about it.
  public struct Accepted: Sendable {
    /// The manifest, whose signatures and times have been checked.
    public let manifest: ReleaseManifest
    /// What is wrong and was let pass, such as an expiry that is still within its grace.
    public let warnings: [DeliveryWarning]
  }

  /// The newest root.
  public private(set) var root: TrustRoot
  let directory: URL
  let policy: FreshnessPolicy

  /// Opens the state of the initial root's repository.
  ///
  /// - Parameters:
  ///   - directory: usually `trust` below ``Places/state``; a folder for each repository is made in it.
  ///   - initialRoot: the root that came with the software. A newer one that was accepted since counts instead.
  /// - Throws: ``DeliveryError`` when the initial root does not vouch for itself, or the folder cannot be used.
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

  /// Accepts the root that follows the trusted one. A client asks the host for `root/<version + 1>.json` until there is none.
  public mutating func accept(root envelope: SignedEnvelope) throws {
    let next = try DeliveryMetrics.step(.root) { try root.next(envelope) }
    try keep(envelope, in: directory.appending(path: "roots"), name: "\(next.version)")
    root = next
  }

  // MARK: manifests

  /// Verifies a fetched manifest and keeps it: signatures before it is parsed, then that it is of this channel, fresh, and no older
  /// than any that was accepted before.
  ///
  /// - Parameter statement: the freshness statement that the host has; it is looked at where the root asks for one.
  /// - Throws: ``DeliveryError`` `wrongSignature`, `unknownKey`, `thresholdNotMet`, `malformedEnvelope`, `malformedManifest`,
  ///   `mixAndMatch`, `expired`, `stale`, `withheld`, `rollback`, `equivocation`; nothing is kept then.
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
    // One that is damaged is no other manifest.
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

  /// The newest manifest that was accepted, for a device that is offline; nil when there is none.
  ///
  /// - Parameter statement: the freshness statement that the host has; without one, the one that was kept counts.
  /// - Throws: ``DeliveryError`` `expired` once its grace is over, `stale`, `withheld`, and when its keys are no longer trusted.
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

  /// The highest version of a channel that was accepted since its floor was set.
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
