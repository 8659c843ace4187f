import Foundation

/// Downloads files with retries, mirrors, resumption and verification before a file gets its final name.
///
/// A partial download is resumed only if the host can guarantee that the file is unchanged (a strong validator, RFC
/// 9110, 8.8.1), or if the digest of the whole file is known. Otherwise the file is downloaded from its beginning.
/// Received bytes are always counted and hashed, regardless of what the host declares.
public struct Downloader: Sendable {
  private let transport: any Transport
  private let policy: RetryPolicy
  private let limiter: RateLimiter?
  private let clock: TransferClock

  /// Creates a downloader for a transport. Without a limiter, the transfer rate is not limited.
  public init(
    transport: any Transport, policy: RetryPolicy = RetryPolicy(), limiter: RateLimiter? = nil,
    clock: TransferClock = .continuous
  ) {
    self.transport = transport
    self.policy = policy
    self.limiter = limiter
    self.clock = clock
  }

  /// Downloads a file to a path in an existing folder and replaces any existing file.
  ///
  /// Until the download is complete, it is stored next to the target under temporary names (`.NAME.fetch-*`). An
  /// interrupted download can be resumed later, by this process or another one.
  ///
  /// - Parameters:
  ///   - place: a path on the same file system that the temporary names are derived from. Set it if the target differs
  ///     in each attempt.
  ///   - progress: called after each chunk.
  ///   - events: called for each event.
  /// - Throws: ``DeliveryError``; `CancellationError` if the task is cancelled. An existing file at the target is then
  ///   unchanged.
  @discardableResult public func download(
    _ item: TransferItem, to target: URL, partialsBeside place: URL? = nil,
    progress: @escaping @Sendable (TransferProgress) -> Void = { _ in },
    events: @escaping @Sendable (TransferEvent) -> Void = { _ in }
  ) async throws -> TransferResult {
    let item = try item.checked()
    let file = try await PartialFile.open(for: target, beside: place, item: item)
    do {
      let result = try await run(item, file, progress, events)
      if result.isModified { try await file.commit() } else { await file.discard() }
      return result
    } catch let error as DeliveryError where error.code == .noSpace {
      // The partial file is removed, because it must not occupy the missing space.
      await file.discard()
      throw error
    } catch {
      if let bytes = await file.keep() {
        let event = TransferEvent.kept(bytes: bytes)
        DeliveryMetrics.count(event)
        events(event)
      }
      throw error
    }
  }

  /// Downloads a small file into memory; nil if it is not modified.
  public func data(
    _ item: TransferItem, events: @escaping @Sendable (TransferEvent) -> Void = { _ in }
  ) async throws -> (bytes: [UInt8], result: TransferResult)? {
    let sink = MemorySink()
    var item = try item.checked()
    item.timeout = [item.timeout, policy.documentTimeout].compactMap { $0 }.min()
    let result = try await run(item, sink, { _ in }, events)
    return result.isModified ? (await sink.bytes, result) : nil
  }

  private func run(
    _ item: TransferItem, _ sink: any TransferSink, _ progress: @escaping @Sendable (TransferProgress) -> Void,
    _ events: @escaping @Sendable (TransferEvent) -> Void
  ) async throws -> TransferResult {
    let timeout = [item.timeout, policy.timeout].compactMap { $0 }.min()
    let name = item.mirrors.first?.display ?? ""
    return try await DeliveryMetrics.transfer {
      try await Deadline.run(within: timeout, or: "\(name): not fetched in the time allowed") {
        var transfer = transfer(item, sink, progress, events)
        return try await transfer.run()
      }
    }
  }

  private func transfer(
    _ item: TransferItem, _ sink: any TransferSink, _ progress: @escaping @Sendable (TransferProgress) -> Void,
    _ events: @escaping @Sendable (TransferEvent) -> Void
  ) -> Transfer {
    Transfer(
      item: item, sink: sink, transport: transport, policy: policy, limiter: limiter, clock: clock, progress: progress,
      events: { event in
        DeliveryMetrics.count(event)
        events(event)
      })
  }
}
