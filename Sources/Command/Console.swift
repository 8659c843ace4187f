import Foundation
import Synchronization

/// Standard output and error, for people or for programs.
enum Console {
  static let outputIsTerminal = isatty(STDOUT_FILENO) == 1
  static let errorIsTerminal = isatty(STDERR_FILENO) == 1

  /// The current width of the terminal on standard error, in columns.
  static var errorWidth: Int {
    var size = winsize()
    if ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 { return Int(size.ws_col) }
    let columns = ProcessInfo.processInfo.environment["COLUMNS"].flatMap { Int($0) } ?? 0
    return columns > 0 ? columns : 80
  }

  /// How much the command writes to standard error.
  enum Noise: Sendable { case quiet, usual, verbose }

  private static let currentNoise = Mutex(Noise.usual)

  /// The level that the command line sets while it is parsed.
  static var noise: Noise {
    get { currentNoise.withLock { $0 } }
    set { currentNoise.withLock { $0 = newValue } }
  }

  /// One line on standard error about something that does not stop the command. Suppressed by `--quiet`.
  static func remark(_ sentence: String) { if noise != .quiet { complain(sentence) } }

  /// One line on standard error about what the command does. Only with `--verbose`.
  static func detail(_ sentence: @autoclosure () -> String) { if noise == .verbose { complain(sentence()) } }

  /// One line on standard error; line breaks in the sentence are removed.
  static func complain(_ sentence: String) {
    ProgressBar.clearCurrent()
    write("runtime: \(oneLine(sentence))\n", to: STDERR_FILENO)
  }

  /// Text on standard output. If it cannot be written the process exits with 73, as nobody would get the rest.
  static func say(_ text: String) {
    if let reason = write(text + "\n", to: STDOUT_FILENO) { outputFailed(reason) }
  }

  static func say(_ bytes: [UInt8]) {
    if let reason = bytes.withUnsafeBytes({ write($0, to: STDOUT_FILENO) }) { outputFailed(reason) }
  }

  /// Some file systems report a failed write only when the file is closed.
  static func closeOutput() {
    if close(STDOUT_FILENO) != 0, errno != EBADF, errno != EINTR { outputFailed(errno) }
  }

  private static func outputFailed(_ reason: Int32) -> Never {
    complain("standard output cannot be written: \(String(cString: strerror(reason)))")
    ExitStatus.cannotWrite.exit()
  }

  /// Opens descriptors 0 to 2 that were closed at the start on /dev/null, in a mode that refuses their use. Otherwise
  /// the next opened file would get one of these numbers, and receive text for standard output.
  static func keepStandardDescriptors() {
    for (descriptor, mode) in [(STDIN_FILENO, O_WRONLY), (STDOUT_FILENO, O_RDONLY), (STDERR_FILENO, O_RDONLY)]
    where fcntl(descriptor, F_GETFD) < 0 && errno == EBADF {
      _ = open("/dev/null", mode)
    }
  }

  /// A value as JSON on standard output: indented on a terminal, otherwise on one line. NaN and infinities are strings.
  static func say<Value: Encodable>(json value: Value) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting =
      outputIsTerminal
      ? [.sortedKeys, .withoutEscapingSlashes, .prettyPrinted] : [.sortedKeys, .withoutEscapingSlashes]
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "Infinity", negativeInfinity: "-Infinity", nan: "NaN")
    say(String(decoding: try encoder.encode(value), as: UTF8.self))
  }

  /// Columns padded to their widest cell. Numbers are right-aligned.
  static func table(_ rows: [[String]], rightAligned: Set<Int> = []) -> String {
    let columns = rows.map(\.count).max() ?? 0
    let widths = (0..<columns).map { column in rows.map { column < $0.count ? $0[column].count : 0 }.max() ?? 0 }
    return rows.map { row in
      var line = ""
      for (column, cell) in row.enumerated() {
        let padding = String(repeating: " ", count: widths[column] - cell.count)
        line += rightAligned.contains(column) ? padding + cell : column == row.count - 1 ? cell : cell + padding
        if column < row.count - 1 { line += "  " }
      }
      return line
    }.joined(separator: "\n")
  }

  /// Writes all of a text. Returns the errno of a failure.
  @discardableResult static func write(_ text: String, to descriptor: Int32) -> Int32? {
    var text = text
    return text.withUTF8 { write(UnsafeRawBufferPointer($0), to: descriptor) }
  }

  @discardableResult static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Int32? {
    var bytes = bytes[...]
    while !bytes.isEmpty {
      let count = Foundation.write(descriptor, UnsafeRawBufferPointer(rebasing: bytes).baseAddress, bytes.count)
      if count > 0 {
        bytes = bytes.dropFirst(count)
      } else if count < 0 && errno == EAGAIN {
        // The pipe is full, and another process made it non-blocking.
        var ready = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        _ = poll(&ready, 1, -1)
      } else if count == 0 || errno != EINTR {
        return count == 0 ? EIO : errno
      }
    }
    return nil
  }

  /// Names in files may contain any character. A terminal or a log gets one line of printable text.
  static func oneLine(_ text: String) -> String {
    let scalars = text.unicodeScalars.map { scalar -> Character in
      scalar.properties.generalCategory == .control || scalar.value == 0x2028 || scalar.value == 0x2029
        ? " " : Character(scalar)
    }
    let line = String(scalars).split(separator: " ", omittingEmptySubsequences: true).joined(separator: " ")
    return line.count > 2000 ? line.prefix(2000) + "..." : line
  }

  static func bytes(_ count: Int) -> String {
    var value = Double(count)
    for unit in ["bytes", "KB", "MB", "GB"] {
      if value < 1000 || unit == "GB" {
        return unit == "bytes" ? "\(count) bytes" : String(format: "%.1f %@", value, unit)
      }
      value /= 1000
    }
    return "\(count) bytes"
  }
}
