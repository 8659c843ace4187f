import Foundation

/// Gets the newest manifest of a channel that can be believed.
struct ManifestFetch: Sendable {
  /// What the host said of the manifest that was fetched last.
  struct Record: Codable {
    var host: URL
    var etag: String?
    var lastModified: String?
    /// When the host was last asked for a later trust root.
    var rootsAsked: Timestamp

    /// Names and passwords of URLs are not written down.
    init(host: URL, etag: String?, lastModified: String?, rootsAsked: Timestamp) {
      (self.host, self.etag, self.lastModified, self.rootsAsked) =
        (host.withoutCredentials, etag, lastModified, rootsAsked)
    }
  }

  let core: ChannelCore
  let downloader: Downloader
  /// Also without a new manifest, later roots are asked for this often.
  private static let rootInterval: Int64 = 86_400
  /// No repository has changed its keys more often than this since the software was made.
  private static let rootLimit = 1024

  private var options: ChannelOptions { core.options }

  func trust() throws -> TrustState {
    try TrustState(
      directory: options.places.state.appending(path: "trust", directoryHint: .isDirectory), initialRoot: options.root,
      policy: options.freshness)
  }

  /// Asks the hosts in turn, until one has a manifest that holds.
  ///
  /// - Returns: the manifest, and whether it is another one than before.
  /// - Throws: ``DeliveryError``: why the first host's was refused, with what the others said; `CancellationError`.
  func newest() async throws -> (accepted: TrustState.Accepted, isNew: Bool) {
    var failures: [DeliveryError] = []
    for host in options.hosts {
      core.events.tell(.asking(host: host.host() ?? host.path))
      do { return try await newest(from: host) } catch let error as DeliveryError { failures.append(error) }
    }
    guard let first = failures.first else {
      throw DeliveryError(.unsupportedURL, "expected a host to follow a channel of, found none")
    }
    if failures.count == 1 { throw first }
    throw DeliveryError(
      first.code, "no host has a manifest that holds: \(failures.map(\.message).joined(separator: "; "))")
  }

  private func newest(from host: URL) async throws -> (accepted: TrustState.Accepted, isNew: Bool) {
    var trust = try trust()
    let before = try trust.newestVersion(of: options.channel)
    var record = (try? DurableFile.read(json: Record.self, at: core.files.fetched)).flatMap { $0 }
    let now = options.now()
    // Before the manifest: one that was published in between is newer than the statement, and not older.
    var statement = try await statement(trust, of: host)
    // A manifest that was kept and is damaged is fetched again.
    let isKept = (try? trust.kept(channel: options.channel, freshness: statement, now: now)).flatMap { $0 } != nil
    if record?.host != host.withoutCredentials || !isKept { record = nil }
    let url = host.appending(path: "channels/\(options.channel).json")
    let item = TransferItem(
      mirrors: [url], limit: Int64(SignedEnvelope.sizeLimit), knownETag: record?.etag,
      knownLastModified: record?.lastModified)
    guard let (bytes, result) = try await downloader.data(item) else {
      // A time that is to come was told by a clock that was ahead.
      if var asked = record, asked.rootsAsked.advanced(by: Self.rootInterval) <= now || asked.rootsAsked > now {
        try await followRoots(&trust, of: host)
        asked.rootsAsked = now
        try DurableFile.write(json: asked, to: core.files.fetched)
      }
      if let fresh = statement, (trust.rootVersion(namedBy: fresh) ?? .max) > trust.root.version {
        try await followRoots(&trust, of: host)
      }
      if statement == nil { statement = try await self.statement(trust, of: host) }
      guard let kept = try trust.kept(channel: options.channel, freshness: statement, now: now) else {
        throw DeliveryError(.badResponse, "\(url.display): not modified, says the host, and nothing was fetched before")
      }
      return (kept, false)
    }
    // Who may sign is known first; then the manifest is looked at.
    try await followRoots(&trust, of: host)
    if statement == nil { statement = try await self.statement(trust, of: host) }
    let accepted = try trust.accept(
      manifest: SignedEnvelope(Data(bytes)), freshness: statement, channel: options.channel, now: now)
    let fetched = Record(host: host, etag: result.etag, lastModified: result.lastModified, rootsAsked: now)
    try DurableFile.write(json: fetched, to: core.files.fetched)
    return (accepted, accepted.manifest.version != before)
  }

  /// The host's word that its manifest is the newest one, where the root asks for that and the host has it.
  private func statement(_ trust: TrustState, of host: URL) async throws -> SignedEnvelope? {
    guard trust.root.roles.freshness != nil else { return nil }
    let item = TransferItem(
      host.appending(path: FreshnessStatement.path(options.channel)), limit: Int64(FreshnessStatement.sizeLimit))
    do {
      return try await downloader.data(item).map { try SignedEnvelope(Data($0.bytes)) }
    } catch let error as DeliveryError where [.notFound, .forbidden].contains(error.code) { return nil }
  }

  /// Accepts the roots that follow the trusted one.
  private func followRoots(_ trust: inout TrustState, of host: URL) async throws {
    for _ in 0..<Self.rootLimit {
      let next = trust.root.version + 1
      let item = TransferItem(host.appending(path: "root/\(next).json"), limit: Int64(SignedEnvelope.sizeLimit))
      let fetched: (bytes: [UInt8], result: TransferResult)?
      // Some hosts say "forbidden" of what is not there.
      do { fetched = try await downloader.data(item) } catch let error as DeliveryError
        where [.notFound, .forbidden].contains(error.code)
      { return }
      guard let fetched else { return }
      try trust.accept(root: SignedEnvelope(Data(fetched.bytes)))
      core.events.tell(.rootAccepted(version: next))
    }
  }
}
