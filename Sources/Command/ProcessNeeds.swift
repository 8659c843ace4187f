import CPlatform
import Foundation

/// The system resources that the command needs at the start: threads, descriptors, memory.
///
/// Dispatch, which runs Swift's tasks, waits forever for a thread that the system refuses, and aborts without a
/// descriptor. So these checks request the resources first, with calls that may fail.
enum ProcessNeeds {
  /// The most threads that Dispatch uses at one time for signals, timers and the work itself. Kernels use additional
  /// threads if there are any.
  private static let threads: Int32 = 6
  /// Descriptors that are open at one time before the first file is read.
  private static let descriptors = 12
  /// Bytes that the libraries use before a model is read, without the stacks of threads.
  private static let memory = 64 << 20
  /// The stack size of a thread in bytes, the default of most systems. Readers of nested models rely on it.
  private static let stack = 8 << 20

  /// The smallest stack of the first thread, in bytes. With less the command may crash without a message.
  private static let leastStack = 1 << 20

  /// Makes the system return errors where it would kill the process.
  static func prepare() {
    // A write beyond `ulimit -f` then fails with EFBIG.
    signal(SIGXFSZ, SIG_IGN)
    cplatform_use_stacks(stack)
    cplatform_limit_arenas(16 << 30)
  }

  /// - Throws: `Failure` of status 75 that names the missing resource and its limit.
  static func require() throws {
    try requireStack()
    try requireThreads(threads)
    let room = mmap(nil, memory, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
    guard let room, room != MAP_FAILED else {
      throw Failure(
        .temporary,
        "the system gives this process less than \(memory >> 20) MB of memory: \(reason(errno)); "
          + "its limit (ulimit -v, -d) is too low")
    }
    munmap(room, memory)
    try requireDescriptors()
  }

  /// Checks the additional resources of transfers: SwiftNIO aborts without a thread or a descriptor.
  static func requireNetwork() throws {
    try requireThreads(2)
    try requireDescriptors()
  }

  private static func requireThreads(_ count: Int32) throws {
    let status = cplatform_try_threads(count)
    guard status == 0 else {
      throw Failure(
        .temporary,
        "the system gives this process fewer than \(count) threads more: \(reason(status)); "
          + "the limit of processes (ulimit -u), of a container (pids.max), or of memory (ulimit -v, -d) is reached")
    }
  }

  private static func requireStack() throws {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_STACK.rawValue), &limit) == 0, limit.rlim_cur < leastStack else {
      return
    }
    throw Failure(
      .temporary,
      "the stack of this process is limited to \(limit.rlim_cur >> 10) kB, expected \(leastStack >> 10) or more; "
        + "its limit (ulimit -s) is too low")
  }

  private static func requireDescriptors() throws {
    var opened: [Int32] = []
    defer { for descriptor in opened { close(descriptor) } }
    while opened.count < descriptors {
      // Duplicates an open descriptor.
      let descriptor = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0)
      guard descriptor >= 0 else {
        guard errno == EMFILE else { return }
        throw Failure(
          .temporary,
          "this process may open fewer than \(descriptors) files more: \(reason(errno)); "
            + "the limit of open files (ulimit -n) is too low")
      }
      opened.append(descriptor)
    }
  }

  private static func reason(_ number: Int32) -> String { String(cString: strerror(number)) }
}
