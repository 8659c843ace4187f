import Foundation

/// What a device has come to trust of one repository, kept in its state directory: the newest root, and of each channel the newest
/// manifest that was accepted. Nothing that is fetched can write here unless its signatures hold.
///
/// Every version is a file of its own whose name says it, so that any number of processes may accept manifests at once without locks:
/// the highest name counts, and nothing puts a lower one in its place. A file whose contents are damaged still counts by its name.
public struct TrustState: Sendable {
  /// A manifest that was verified, with what is to be told about it.
  public struct Accepted: Sendable {
    public let manifest: ReleaseManifest
    public let warnings: [DeliveryWarning]
  }

  /// The newest root.
  public private(set) var root: TrustRoot
  private let directory: URL
  private let policy: FreshnessPolicy

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
      guard let data = FileManager.default.contents(atPath: folder.appending(path: "\(version).json").path),
        let kept = try? TrustRoot(trusting: SignedEnvelope(data)), kept.version == version,
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
  /// - Throws: ``DeliveryError`` `wrongSignature`, `unknownKey`, `thresholdNotMet`, `malformedEnvelope`, `malformedManifest`,
  ///   `mixAndMatch`, `expired`, `rollback`, `equivocation`; nothing is kept then.
  public func accept(manifest envelope: SignedEnvelope, channel: String, now: Timestamp = .now) throws -> Accepted {
    try DeliveryMetrics.step(.manifest) { try take(envelope, channel, now) }
  }

  private func take(_ envelope: SignedEnvelope, _ channel: String, _ now: Timestamp) throws -> Accepted {
    let accepted = try verify(envelope, channel: channel, now: now)
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
      return accepted
    }
    try keep(envelope, in: folder, name: name)
    return accepted
  }

  /// The newest manifest that was accepted, for a device that is offline; nil when there is none.
  ///
  /// - Throws: ``DeliveryError`` `expired` once its grace is over, and when its keys are no longer trusted.
  public func kept(channel: String, now: Timestamp = .now) throws -> Accepted? {
    guard let version = try newestVersion(of: channel) else { return nil }
    let name = Self.name(epoch: root.floors?[channel]?.since ?? 0, version: version)
    return try verify(
      envelopeKept(in: directory.appending(path: "channels/\(channel)"), name: name), channel: channel, now: now)
  }

  /// The highest version of a channel that was accepted since its floor was set.
  public func newestVersion(of channel: String) throws -> Int? {
    guard ReleaseName.isValid(channel) else {
      throw DeliveryError(.mixAndMatch, "'\(channel.prefix(64))' cannot be the name of a channel")
    }
    let epoch = root.floors?[channel]?.since ?? 0
    return try Self.names(in: directory.appending(path: "channels/\(channel)")).compactMap { name -> Int? in
      let parts = name.split(separator: "-", omittingEmptySubsequences: false).map { Int($0) }
      guard parts.count == 2, parts[0] == epoch else { return nil }
      return parts[1]
    }.max()
  }

  private func verify(_ envelope: SignedEnvelope, channel: String, now: Timestamp) throws -> Accepted {
    try envelope.verify(by: root.roles.release, keys: root.keys, subject: ReleaseManifest.documentName)
    let manifest = try envelope.document(ReleaseManifest.self)
    guard manifest.repository == root.repository, manifest.channel == channel else {
      throw DeliveryError(
        .mixAndMatch,
        "expected the channel '\(channel)' of '\(root.repository)', found '\(manifest.channel)' of '\(manifest.repository)'"
      )
    }
    let warnings =
      try policy.check(TrustRoot.documentName, created: root.created, expires: root.expires, now: now)
      + policy.check(
        ReleaseManifest.documentName, created: manifest.created, expires: manifest.expires, now: now)
    return Accepted(manifest: manifest, warnings: warnings)
  }
}

// MARK: files

extension TrustState {
  private static func name(epoch: Int, version: Int) -> String { "\(epoch)-\(version)" }

  /// The names of the documents in a folder, without their extension; none when there is no folder.
  private static func names(in folder: URL) throws -> [String] {
    do {
      return try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".json") }
        .map { String($0.dropLast(5)) }
    } catch CocoaError.fileReadNoSuchFile {
      return []
    } catch {
      throw DeliveryError(.unreadable, "the trust state cannot be listed: \(reason(error))", file: folder.path)
    }
  }

  private func envelopeKept(in folder: URL, name: String) throws -> SignedEnvelope {
    let file = folder.appending(path: "\(name).json")
    guard let data = FileManager.default.contents(atPath: file.path) else {
      throw DeliveryError(.unreadable, "the manifest that was kept cannot be read", file: file.path)
    }
    return try SignedEnvelope(data)
  }

  /// Writes a document by renaming, then removes those before it.
  private func keep(_ envelope: SignedEnvelope, in folder: URL, name: String) throws {
    try DurableFile.write([UInt8](envelope.encoded()), to: folder.appending(path: "\(name).json"))
    func order(_ name: String) -> [Int] { name.split(separator: "-").map { Int($0) ?? -1 } }
    for other in try Self.names(in: folder) where order(other).lexicographicallyPrecedes(order(name)) {
      unlink(folder.appending(path: "\(other).json").path)
    }
  }
}
