import CoreMLBase
import CoreMLSpec
import CPlatform
import Foundation

/// Runs a child process on one thread from start to end. The child dies with that thread.
struct TrialChild {
  /// How the child ended.
  struct End {
    var report = Data()
    /// The end of its standard output and error.
    var words = Data()
    /// The wait status; nil if other code has reaped the child.
    var status: Int32?
    /// The peak memory use in bytes.
    var peak = 0
    var isTimedOut = false
    var isStopped = false

    var signal: Int32? { status.flatMap { $0 & 0x7f == 0 ? nil : $0 & 0x7f } }
    var exit: Int32? { status.flatMap { $0 & 0x7f == 0 ? $0 >> 8 & 0xff : nil } }
  }

  private static let wordLimit = 4096

  /// Runs a program until it ends, or kills it.
  ///
  /// - Parameters:
  ///   - order: the data for its standard input.
  ///   - seconds: the time limit after which it is killed; suspended time does not count.
  ///   - shouldStop: polled many times per second; the child is killed once it returns true.
  /// - Throws: ``DeliveryError`` `noTrialHelper` if the program cannot be started.
  static func run(
    _ program: URL, order: SecretMemory, environment: [String: String], seconds: Double, shouldStop: () -> Bool
  ) throws -> End {
    let (orders, words, reports) = (try Ends(), try Ends(), try Ends())
    var process: Int32 = -1
    let error = withCStrings([program.lastPathComponent, TrialProcess.word]) { arguments in
      withCStrings(environment.map { "\($0.key)=\($0.value)" }) { variables in
        cplatform_child_start(
          program.path, arguments, variables, [orders.theirs, words.theirs, words.theirs, reports.theirs], &process)
      }
    }
    guard error == 0 else {
      throw DeliveryError(.noTrialHelper, "the program that tries models cannot be started", at: program, errno: error)
    }
    for ends in [orders, words, reports] { ends.closeTheirs() }
    var (end, rest, hasEnded) = (End(), UnsafeRawBufferPointer(order.bytes)[...], false)
    defer { withExtendedLifetime(order) {} }
    // The child never outlives this call.
    defer { if !hasEnded { kill(process, &end) } }
    let clock = SuspendingClock()
    let deadline = clock.now + .seconds(seconds)
    while true {
      wait(orders, words, reports, hasOrder: !rest.isEmpty)
      orders.send(&rest)
      words.receive(into: &end.words, keepingLast: wordLimit)
      reports.receive(into: &end.report, atMost: TrialReport.sizeLimit)
      if collect(process, &end, block: false) { break }
      if shouldStop() {
        end.isStopped = true
      } else if clock.now >= deadline {
        end.isTimedOut = true
      } else {
        continue
      }
      break
    }
    if end.status == nil { kill(process, &end) }
    hasEnded = true
    // The child's process group is killed as well, so that nothing writes to the sockets any more.
    _ = Foundation.kill(-process, SIGKILL)
    words.receive(into: &end.words, keepingLast: wordLimit)
    reports.receive(into: &end.report, atMost: TrialReport.sizeLimit)
    return end
  }

  private static func kill(_ process: Int32, _ end: inout End) {
    _ = Foundation.kill(-process, SIGKILL)
    _ = collect(process, &end, block: true)
  }

  /// Reaps the child if it has ended. Returns false while it runs.
  private static func collect(_ process: Int32, _ end: inout End, block: Bool) -> Bool {
    var (status, usage) = (Int32(0), rusage())
    while true {
      let found = wait4(process, &status, block ? 0 : WNOHANG, &usage)
      if found == 0 { return false }
      if found < 0 && errno == EINTR { continue }
      // If the program ignores SIGCHLD, the kernel reaps children and the status is unknown.
      if found == process { (end.status, end.peak) = (status, Int(usage.ru_maxrss) << 10) }
      return true
    }
  }

  private static func wait(_ orders: Ends, _ words: Ends, _ reports: Ends, hasOrder: Bool) {
    func item(_ ends: Ends, _ events: Int32) -> pollfd { pollfd(fd: ends.ours, events: Int16(events), revents: 0) }
    var items: [pollfd] = []
    if hasOrder && orders.isOpen { items.append(item(orders, POLLOUT)) }
    for ends in [words, reports] where ends.isOpen { items.append(item(ends, POLLIN)) }
    // The sockets are closed shortly before the end of the child is visible.
    _ = poll(&items, nfds_t(items.count), items.isEmpty ? 2 : 50)
  }

  private static func withCStrings<Result>(
    _ texts: [String], _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Result
  ) -> Result {
    var pointers: [UnsafeMutablePointer<CChar>?] = texts.map { strdup($0) }
    defer { for pointer in pointers { free(pointer) } }
    pointers.append(nil)
    return body(pointers)
  }
}

/// A socket pair, closed when this object is released. Sockets are used because writing to a closed pipe would raise
/// SIGPIPE in this process.
private final class Ends {
  private(set) var ours: Int32 = -1
  private(set) var theirs: Int32 = -1
  var isOpen: Bool { ours >= 0 }

  init() throws {
    var pair: [Int32] = [-1, -1]
    let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
    guard socketpair(AF_UNIX, kind, 0, &pair) == 0 else {
      throw DeliveryError(
        .noTrialHelper, "nothing can be opened to speak with a trial's process: \(String(cString: strerror(errno)))")
    }
    (ours, theirs) = (pair[0], pair[1])
    _ = fcntl(ours, F_SETFL, O_NONBLOCK)
  }

  deinit {
    closeTheirs()
    closeOurs()
  }

  func closeTheirs() {
    if theirs >= 0 { close(theirs) }
    theirs = -1
  }

  private func closeOurs() {
    if ours >= 0 { close(ours) }
    ours = -1
  }

  /// Sends as much as possible without blocking, and closes the socket after the last byte.
  func send(_ data: inout Slice<UnsafeRawBufferPointer>) {
    while isOpen {
      guard !data.isEmpty else { return closeOurs() }
      let piece = UnsafeRawBufferPointer(rebasing: data)
      let count = Foundation.send(ours, piece.baseAddress, piece.count, Int32(MSG_NOSIGNAL))
      if count < 0 && errno == EINTR { continue }
      if count < 0 && errno == EAGAIN { return }
      guard count > 0 else { return closeOurs() }
      data = data.dropFirst(count)
    }
  }

  /// Receives all available data. Keeps only the last `keepingLast` bytes, or closes the socket once there are more
  /// than `atMost` bytes.
  func receive(into data: inout Data, keepingLast: Int? = nil, atMost: Int = .max) {
    var buffer = [UInt8](repeating: 0, count: 4096)
    while isOpen {
      let count = read(ours, &buffer, buffer.count)
      if count < 0 && errno == EINTR { continue }
      if count < 0 && errno == EAGAIN { return }
      guard count > 0 else { return closeOurs() }
      data.append(contentsOf: buffer.prefix(count))
      if let keepingLast { data = Data(data.suffix(keepingLast)) }
      if data.count > atMost { return closeOurs() }
    }
  }
}
