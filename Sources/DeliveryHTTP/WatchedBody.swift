import AsyncHTTPClient
import CoreMLDelivery
import Foundation
import NIOCore

/// A response body with a stall timeout. The timeout runs only while a caller waits for data, so readers may be slow.
actor WatchedBody {
  private var iterator: HTTPClientResponse.Body.AsyncIterator
  private let url: URL
  private let patience: Duration
  private var isOver = false

  init(_ body: HTTPClientResponse.Body, url: URL, patience: Duration) {
    iterator = body.makeAsyncIterator()
    self.url = url
    self.patience = patience
  }

  func next() async throws -> [UInt8]? {
    guard !isOver else { return nil }
    do {
      let buffer = try await race()
      try Task.checkCancellation()
      if buffer == nil { isOver = true }
      return buffer.map { Array($0.readableBytesView) }
    } catch {
      isOver = true
      try Task.checkCancellation()
      throw HTTPFailure.translate(error, url: url, isBody: true)
    }
  }

  /// Returns the next bytes, or throws if nothing arrives within the timeout.
  private func race() async throws -> ByteBuffer? {
    let (url, patience) = (url, patience)
    return try await withThrowingTaskGroup(of: ByteBuffer?.self) { group in
      group.addTask { try await self.pull() }
      group.addTask {
        try await Pause.wait(patience)
        throw DeliveryError(.stalled, "\(url.display): nothing came for \(patience)")
      }
      defer { group.cancelAll() }
      return try await group.next() ?? nil
    }
  }

  private func pull() async throws -> ByteBuffer? {
    var local = iterator
    let buffer = try await local.next(isolation: self)
    iterator = local
    return buffer
  }
}
