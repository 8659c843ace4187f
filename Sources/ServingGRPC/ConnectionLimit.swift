import NIOCore
import Synchronization

/// Closes connections beyond a number at once.
final class ConnectionLimit: Sendable {
  private let most: Int
  private let open = Atomic(0)

  init(_ most: Int) { self.most = most }

  func accept(_ channel: any Channel) -> EventLoopFuture<Void> {
    let (_, count) = open.add(1, ordering: .relaxed)
    channel.closeFuture.whenComplete { _ in self.open.subtract(1, ordering: .relaxed) }
    if count > most { channel.close(promise: nil) }
    return channel.eventLoop.makeSucceededVoidFuture()
  }
}
