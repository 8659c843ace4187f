import CoreMLBase
import Foundation

/// The destination of the bytes of one transfer.
protocol TransferSink: Actor {
  /// The bytes received so far.
  var held: HeldBytes { get }
  /// Announces the next bytes, and reserves space for them.
  func expect(_ held: HeldBytes) throws
  func append(_ bytes: [UInt8]) throws
  /// Removes all bytes.
  func restart() throws
  /// Returns the SHA-256 of all bytes in hexadecimal.
  func digest() -> String
}

/// The received bytes and their source.
struct HeldBytes: Sendable, Hashable {
  /// The number of bytes, from the beginning of the file.
  var count: Int64 = 0
  /// The mirror that they come from.
  var url: URL?
  /// The strong validator of their response.
  var validator: String?
  /// The total size, if the host declared it.
  var total: Int64?
}

/// A sink in memory, for small documents that are checked before anything is written.
actor MemorySink: TransferSink {
  private(set) var held = HeldBytes()
  private(set) var bytes: [UInt8] = []
  private var sha = SHA256Digest()

  func expect(_ held: HeldBytes) { self.held = held }

  func append(_ piece: [UInt8]) {
    bytes += piece
    held.count += Int64(piece.count)
    piece.withUnsafeBytes { sha.append($0) }
  }

  func restart() {
    bytes = []
    sha = SHA256Digest()
    held = HeldBytes()
  }

  func digest() -> String { sha.hexadecimal() }
}

/// Runs an actor on its own dispatch queue, so that blocking file access does not occupy threads of the shared
/// concurrency pool.
final class QueueExecutor: SerialExecutor {
  private let queue: DispatchQueue

  init(label: String) { queue = DispatchQueue(label: label) }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let executor = asUnownedSerialExecutor()
    queue.async { job.runSynchronously(on: executor) }
  }
}
