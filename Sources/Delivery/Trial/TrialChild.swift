import CoreMLBase
import CPlatform
import CoreMLSpec
import Foundation

/// A child process that is waited for, on one thread from its start to its end: it dies with that thread.
struct TrialChild {
  /// How it ended.
  struct End {
    var report = Data()
    /// The last of what it wrote on its outputs.
    var words = Data()
    /// nil where somebody else has taken note of its end.
    var status: Int32?
    /// The most memory that it had.
    var peak = 0
    var isTimedOut = false
    var isStopped = false

    var signal: Int32? { status.flatMap { $0 & 0x7f == 0 ? nil : $0 & 0x7f } }
    var exit: Int32? { status.flatMap { $0 & 0x7f == 0 ? $0 >> 8 & 0xff : nil } }
  }

  private static let wordLimit = 4096

  /// Runs a program to its end, or kills it.
  ///
  /// - Parameters:
  ///   - order: what it reads from standard input.
  ///   - seconds: after these it is killed; a machine that sleeps does not count.
  ///   - shouldStop: asked many times a second; once it is true, the child is killed.
  /// - Throws: ``DeliveryError`` `noTrialHelper` where it cannot be started.
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
    // Whatever happens here, it does not outlive this.
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
    // What it started goes with it; then nobody writes any more.
    _ = Foundation.kill(-process, SIGKILL)
    words.receive(into: &end.words, keepingLast: wordLimit)
    reports.receive(into: &end.report, atMost: TrialReport.sizeLimit)
    return end
  }

  private static func kill(_ process: Int32, _ end: inout End) {
    _ = Foundation.kill(-process, SIGKILL)
    _ = collect(process, &end, block: true)
  }

  /// Takes note of the child's end; false while it runs.
  private static func collect(_ process: Int32, _ end: inout End, block: Bool) -> Bool {
    var (status, usage) = (Int32(0), rusage())
    while true {
      let found = wait4(process, &status, block ? 0 : WNOHANG, &usage)
      if found == 0 { return false }
      if found < 0 && errno == EINTR { continue }
      // Where a program ignores SIGCHLD, nobody is told how children end.
      if found == process { (end.status, end.peak) = (status, Int(usage.ru_maxrss) << 10) }
      return true
    }
  }

  private static func wait(_ orders: Ends, _ words: Ends, _ reports: Ends, hasOrder: Bool) {
    func item(_ ends: Ends, _ events: Int32) -> pollfd { pollfd(fd: ends.ours, events: Int16(events), revents: 0) }
    var items: [pollfd] = []
    if hasOrder && orders.isOpen { items.append(item(orders, POLLOUT)) }
    for ends in [words, reports] where ends.isOpen { items.append(item(ends, POLLIN)) }
    // Its outputs are closed a moment before its end can be seen.
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

/// A pair of sockets, closed with the value: writing to a pipe that nobody reads from would end this process.
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

  /// Sends what there is room for, and closes after the last of it.
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

  /// Takes all that is there; of more than fits only the last, or nothing more at all.
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
