import Foundation

/// Fetches files: from several mirrors, again after failures, onward from what is here already; checked before they get their name.
///
/// A part is continued only when the host can say that it is still the same file (a strong validator, RFC 9110, 8.8.1), or when the digest
/// of the whole is known; otherwise the file is fetched from its beginning. Whatever the host says, what comes is counted and digested.
public struct Downloader: Sendable {
  private let transport: any Transport
  private let policy: RetryPolicy
  private let limiter: RateLimiter?
  private let clock: TransferClock

  /// A downloader over a transport; without a limiter it is as fast as the hosts are.
  public init(
    transport: any Transport, policy: RetryPolicy = RetryPolicy(), limiter: RateLimiter? = nil,
    clock: TransferClock = .continuous
  ) {
    self.transport = transport
    self.policy = policy
    self.limiter = limiter
    self.clock = clock
  }

  /// Fetches a file to a place in a folder that exists, replacing what stands there. Until it is whole it has private names beside its
  /// place (`.NAME.fetch-*`); when the transfer stops before its end, it can go on from there later, in this process or another one.
  ///
  /// - Parameters:
  ///   - place: what the private names are made of, where the target is another one each time: a path on the same file system.
  ///   - progress: told after each piece.
  ///   - events: told what happens.
  /// - Throws: ``DeliveryError``; `CancellationError` when the task was cancelled. What stood at the place is untouched then.
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
      // Room is what is wanted: a part must not hold it.
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

  /// Fetches what is small enough to keep in memory; nil when it is not modified.
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
