import CoreMLBase
import Foundation

/// Where the bytes of one transfer go.
protocol TransferSink: Actor {
  /// What is here so far.
  var held: HeldBytes { get }
  /// Says which bytes are coming next, and makes sure that there is room for them.
  func expect(_ held: HeldBytes) throws
  func append(_ bytes: [UInt8]) throws
  /// Drops all bytes.
  func restart() throws
  /// The SHA-256 of all bytes in hexadecimal.
  func digest() -> String
}

/// The bytes that are here, and what they are.
struct HeldBytes: Sendable, Hashable {
  /// So many, from the first on.
  var count: Int64 = 0
  /// Where they come from.
  var url: URL?
  /// The strong validator that they came under.
  var validator: String?
  /// The size of the whole, where the host told.
  var total: Int64?
}

/// Bytes kept in memory: for what is small and is looked at before anything is written.
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

/// Runs an actor on a queue of its own: what waits for a disk does not hold up the threads that all other tasks share.
final class QueueExecutor: SerialExecutor {
  private let queue: DispatchQueue

  init(label: String) { queue = DispatchQueue(label: label) }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let executor = asUnownedSerialExecutor()
    queue.async { job.runSynchronously(on: executor) }
  }
}
