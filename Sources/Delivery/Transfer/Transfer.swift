import Foundation

/// The transfer of one file from its mirrors to a sink.
struct Transfer {
  let item: TransferItem
  let sink: any TransferSink
  let transport: any Transport
  let policy: RetryPolicy
  let limiter: RateLimiter?
  let clock: TransferClock
  let progress: @Sendable (TransferProgress) -> Void
  let events: @Sendable (TransferEvent) -> Void

  private var restarts = 0
  /// The highest number of bytes received so far; only more bytes count as progress.
  private var highest: Int64 = 0
  /// Whether the bytes come from more than one response. If their digest is wrong, a single complete response may still
  /// be correct.
  private var isPatched = false
  /// The rate of each mirror over all of its responses, so that a slow host cannot evade the limit with many small
  /// parts.
  private var meters: [URL: RateMeter] = [:]
  /// Whether the sink accepted bytes of the current response, so that they may be the cause of a failure.
  private var isTaken = false

  init(
    item: TransferItem, sink: any TransferSink, transport: any Transport, policy: RetryPolicy, limiter: RateLimiter?,
    clock: TransferClock, progress: @escaping @Sendable (TransferProgress) -> Void,
    events: @escaping @Sendable (TransferEvent) -> Void
  ) {
    self.item = item
    self.sink = sink
    self.transport = transport
    self.policy = policy
    self.limiter = limiter
    self.clock = clock
    self.progress = progress
    self.events = events
  }

  /// The result of one response.
  private enum Outcome {
    case done(TransferResult)
    /// A part was received completely; more parts follow.
    case more
    /// The existing bytes are unusable; the whole file is requested again.
    case again(DeliveryError.Code)
  }

  /// A failure, with the pause that the host requests.
  private struct Refusal: Error {
    let error: DeliveryError
    let retryAfter: Duration?
  }

  mutating func run() async throws -> TransferResult {
    var schedule = MirrorSchedule(item.mirrors, policy: policy)
    let held = await sink.held
    if held.count > 0 {
      isPatched = true
      highest = held.count
      events(.resumed(bytes: held.count))
    }
    while true {
      try Task.checkCancellation()
      let (index, url, moment) = try schedule.next(now: clock.now(), preferring: await bound)
      let wait = moment - clock.now()
      if wait > .zero { try await clock.sleep(wait) }
      let failure: Refusal
      do {
        switch try await ask(url) {
        case .done(let result): return result
        case .more:
          if try await isNew() { schedule.succeeded(index) }
          continue
        case .again(let reason):
          try await restart(reason, url)
          if reason != .cutShort { try countRestart(reason, url) }
          continue
        }
      } catch let error as DeliveryError {
        failure = Refusal(error: error, retryAfter: nil)
      } catch let refusal as Refusal {
        failure = refusal
      }
      let error = failure.error
      if error.code.isLocal { throw error }
      if try await isNew(), error.code != .tooSlow { schedule.succeeded(index) }
      if [.tooSlow, .stalled].contains(error.code), schedule.hasOther(than: index), await bound != nil {
        // Without a digest no other mirror can continue the bytes. Downloading the whole file from another one is
        // faster.
        try await restart(error.code, url)
      }
      if error.code == .wrongRange { try await restart(.wrongRange, url) }
      if isTaken && [.wrongDigest, .wrongSize, .tooLarge].contains(error.code) {
        // The existing bytes are not the file. If they combine parts of different versions, the whole file is requested
        // once more.
        let wasPatched = isPatched
        try await restart(error.code, url)
        if wasPatched { continue }
      }
      if error.code.isTemporary,
        let pause = schedule.failed(index, error, retryAfter: failure.retryAfter, now: clock.now())
      {
        events(.retrying(url.withoutCredentials, reason: error.code, after: pause))
      } else {
        schedule.giveUp(index, error)
        events(.gaveUp(url.withoutCredentials, reason: error.code))
      }
    }
  }

  /// Returns whether at least 16 KiB more than ever before have arrived. The minimum prevents endless requests to a
  /// host that keeps disconnecting.
  private mutating func isNew() async throws -> Bool {
    let count = await sink.held.count
    defer { highest = max(highest, count) }
    return count - highest >= 1 << 14
  }

  private mutating func restart(_ reason: DeliveryError.Code, _ url: URL) async throws {
    highest = max(highest, await sink.held.count)
    isPatched = false
    try await sink.restart()
    events(.restarted(reason: reason))
  }

  /// Limits the restarts for a file that keeps changing, or a host that keeps refusing its own parts.
  private mutating func countRestart(_ reason: DeliveryError.Code, _ url: URL) throws {
    restarts += 1
    guard restarts > policy.restarts else { return }
    throw DeliveryError(
      .keepsChanging,
      "\(url.display): what had come had to be dropped more than \(policy.restarts) times (\(reason.rawValue))")
  }

  /// The only mirror that can continue the existing bytes; nil if there is no such restriction.
  private var bound: URL? {
    get async {
      let held = await sink.held
      return held.count > 0 && item.sha256 == nil ? held.url : nil
    }
  }

  /// Returns whether a mirror can continue the existing bytes.
  private func canContinue(_ held: HeldBytes, from url: URL) -> Bool {
    held.count > 0 && (item.sha256 != nil || (held.url == url && held.validator != nil))
  }

  private mutating func ask(_ url: URL) async throws -> Outcome {
    isTaken = false
    var held = await sink.held
    if held.count > 0 && !canContinue(held, from: url) { return .again(.cutShort) }
    if held.count > 0, let total = held.total, held.count >= total {
      isTaken = true
      return .done(try await finish(url, held, nil))
    }
    var request = TransferRequest(url: url, offset: held.count)
    if held.count > 0 {
      // A validator is only valid for its own host; for other mirrors the digest guards the bytes.
      if held.url == url { request.ifRange = held.validator }
    } else {
      request.ifNoneMatch = item.knownETag
      request.ifModifiedSince = item.knownLastModified
    }
    events(.asked(url.withoutCredentials, offset: held.count))
    let asked = clock.now()
    let response = try await transport.response(to: request)
    let rate = meter(url, 0, since: asked)
    if response.status == 304 && (request.ifNoneMatch != nil || request.ifModifiedSince != nil) {
      events(.notModified(url.withoutCredentials))
      return .done(
        TransferResult(
          url: url, isModified: false, size: 0, sha256: "", etag: response.etag ?? item.knownETag,
          lastModified: response.lastModified ?? item.knownLastModified))
    }
    if let code = TransferChecks.refusal(of: response.status) {
      throw Refusal(
        error: DeliveryError(code, "\(response.url.display): the host answered with status \(response.status)"),
        retryAfter: response.retryAfter)
    }
    if let rate { throw tooSlow(url, rate) }
    let checks = TransferChecks(item: item, response: response, ifRange: request.ifRange)
    switch try checks.beginning(after: held) {
    case .again(let reason): return .again(reason)
    case .whole where held.count > 0:
      let reason: DeliveryError.Code = request.ifRange == nil ? .wrongRange : .keepsChanging
      try await restart(reason, url)
      try countRestart(reason, url)
      held = HeldBytes()
    case .whole, .part: break
    }
    let declared = try checks.declared(after: held)
    isPatched = held.count > 0
    held.url = url
    // Bytes from several mirrors have no common validator.
    held.validator = held.count == 0 ? checks.validator : request.ifRange
    held.total = declared.total
    try await sink.expect(held)
    isTaken = true
    try await receive(response, declared, from: held.count, of: url)
    held = await sink.held
    if let total = held.total, held.count < total { return .more }
    return .done(try await finish(url, held, response))
  }

  /// Receives the body to its end.
  private mutating func receive(
    _ response: TransferResponse, _ declared: TransferChecks.Declared, from start: Int64, of mirror: URL
  ) async throws {
    var count = start
    progress(TransferProgress(received: count, total: declared.total))
    while true {
      let asked = clock.now()
      guard let piece = try await response.body.next() else { break }
      let rate = meter(mirror, piece.count, since: asked)
      try await limiter?.take(piece.count)
      // A chunk is in memory, so its size cannot overflow the sum.
      count += Int64(piece.count)
      if let end = declared.end, count > end {
        throw DeliveryError(
          .wrongSize, "\(response.url.display): expected \(end) bytes, found more")
      }
      if count > item.limit {
        throw DeliveryError(.tooLarge, "\(response.url.display): expected at most \(item.limit) bytes, found more")
      }
      try await sink.append(piece)
      progress(TransferProgress(received: count, total: declared.total))
      if let rate, declared.end.map({ count < $0 }) ?? true { throw tooSlow(response.url, rate) }
    }
    try Task.checkCancellation()
    if let end = declared.end, count < end {
      throw DeliveryError(.cutShort, "\(response.url.display): the connection ended after \(count) of \(end) bytes")
    }
  }

  /// Records the waiting time for bytes of a mirror. Returns its rate if it is too low, otherwise nil.
  private mutating func meter(_ mirror: URL, _ count: Int, since asked: Duration) -> Double? {
    let (wait, new) = (clock.now() - asked, RateMeter(minimum: policy.minimumRate, window: policy.rateWindow))
    return meters[mirror, default: new].add(count, after: wait)
  }

  private func tooSlow(_ url: URL, _ rate: Double) -> DeliveryError {
    DeliveryError(
      .tooSlow, "\(url.display): expected at least \(policy.minimumRate) bytes a second, found \(Int(rate))")
  }

  /// Verifies the size and digest of the whole file.
  private func finish(_ url: URL, _ held: HeldBytes, _ response: TransferResponse?) async throws -> TransferResult {
    if let size = item.size, size != held.count {
      throw DeliveryError(.wrongSize, "\(url.display): expected \(size) bytes, found \(held.count)")
    }
    let sha256 = await sink.digest()
    if let expected = item.sha256, expected != sha256 {
      throw DeliveryError(.wrongDigest, "\(url.display): expected the SHA-256 \(expected), found \(sha256)")
    }
    events(.finished(url.withoutCredentials, bytes: held.count))
    return TransferResult(
      url: url, isModified: true, size: held.count, sha256: sha256,
      etag: response?.etag ?? held.validator.flatMap { $0.hasPrefix("\"") ? $0 : nil },
      lastModified: response.flatMap { Validator.settled(lastModified: $0.lastModified, date: $0.date) })
  }
}
