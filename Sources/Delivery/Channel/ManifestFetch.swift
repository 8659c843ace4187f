import Foundation

/// Fetches the newest valid manifest of a channel.
struct ManifestFetch: Sendable {
  /// The HTTP metadata of the manifest last fetched.
  struct Record: Codable {
    var host: URL
    var etag: String?
    var lastModified: String?
    /// When a later trust root was last requested from the host.
    var rootsAsked: Timestamp

    /// Credentials in URLs are not stored.
    init(host: URL, etag: String?, lastModified: String?, rootsAsked: Timestamp) {
      (self.host, self.etag, self.lastModified, self.rootsAsked) =
        (host.withoutCredentials, etag, lastModified, rootsAsked)
    }
  }

  let core: ChannelCore
  let downloader: Downloader
  /// The interval in seconds between requests for later roots while the manifest is unchanged.
  private static let rootInterval: Int64 = 86_400
  /// Limits the number of roots followed in one request. No repository rotates its keys this often in the lifetime of
  /// the software.
  private static let rootLimit = 1024

  private var options: ChannelOptions { core.options }

  func trust() throws -> TrustState {
    try TrustState(
      directory: options.places.state.appending(path: "trust", directoryHint: .isDirectory), initialRoot: options.root,
      policy: options.freshness)
  }

  /// Tries the hosts in turn until one has a valid manifest.
  ///
  /// - Returns: the manifest, and whether its version differs from the previous one.
  /// - Throws: ``DeliveryError`` with the first host's error code and the messages of all hosts; `CancellationError`.
  func newest() async throws -> (accepted: TrustState.Accepted, isNew: Bool) {
    var failures: [DeliveryError] = []
    for host in options.hosts {
      core.log.send(.asking(host: host.host() ?? host.path))
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
    // The freshness statement is fetched before the manifest. If a manifest is published in between, the manifest is
    // newer than the statement. The reverse order could make it seem outdated.
    var statement = try await statement(trust, of: host)
    // A damaged local copy of the manifest is fetched again.
    let isKept = (try? trust.kept(channel: options.channel, freshness: statement, now: now)).flatMap { $0 } != nil
    if record?.host != host.withoutCredentials || !isKept { record = nil }
    let url = host.appending(path: "channels/\(options.channel).json")
    let item = TransferItem(
      mirrors: [url], limit: Int64(SignedEnvelope.sizeLimit), knownETag: record?.etag,
      knownLastModified: record?.lastModified)
    guard let (bytes, result) = try await downloader.data(item) else {
      // A timestamp in the future comes from a clock that ran ahead.
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
    // Roots come first: they define the keys that the manifest is verified with.
    try await followRoots(&trust, of: host)
    if statement == nil { statement = try await self.statement(trust, of: host) }
    let accepted = try trust.accept(
      manifest: SignedEnvelope(Data(bytes)), freshness: statement, channel: options.channel, now: now)
    let fetched = Record(host: host, etag: result.etag, lastModified: result.lastModified, rootsAsked: now)
    try DurableFile.write(json: fetched, to: core.files.fetched)
    return (accepted, accepted.manifest.version != before)
  }

  /// Fetches the statement that the host's manifest is the newest. Returns nil if the root has no freshness role or the
  /// host has none.
  private func statement(_ trust: TrustState, of host: URL) async throws -> SignedEnvelope? {
    guard trust.root.roles.freshness != nil else { return nil }
    let item = TransferItem(
      host.appending(path: FreshnessStatement.path(options.channel)), limit: Int64(FreshnessStatement.sizeLimit))
    do {
      return try await downloader.data(item).map { try SignedEnvelope(Data($0.bytes)) }
    } catch let error as DeliveryError where [.notFound, .forbidden].contains(error.code) { return nil }
  }

  /// Fetches and accepts the successors of the trusted root.
  private func followRoots(_ trust: inout TrustState, of host: URL) async throws {
    for _ in 0..<Self.rootLimit {
      let next = trust.root.version + 1
      let item = TransferItem(host.appending(path: "root/\(next).json"), limit: Int64(SignedEnvelope.sizeLimit))
      let fetched: (bytes: [UInt8], result: TransferResult)?
      // Some hosts respond with "forbidden" to requests for missing files.
      do { fetched = try await downloader.data(item) } catch let error as DeliveryError
        where [.notFound, .forbidden].contains(error.code)
      { return }
      guard let fetched else { return }
      try trust.accept(root: SignedEnvelope(Data(fetched.bytes)))
      core.log.send(.rootAccepted(version: next))
    }
  }
}
