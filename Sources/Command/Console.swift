import Foundation
import Synchronization

/// Standard output and error, for people or for programs.
enum Console {
  static let outputIsTerminal = isatty(STDOUT_FILENO) == 1
  static let errorIsTerminal = isatty(STDERR_FILENO) == 1

  /// Columns of the terminal that standard error is, as it is now.
  static var errorWidth: Int {
    var size = winsize()
    if ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 { return Int(size.ws_col) }
    let columns = ProcessInfo.processInfo.environment["COLUMNS"].flatMap { Int($0) } ?? 0
    return columns > 0 ? columns : 80
  }

  /// How much is said on standard error.
  enum Noise: Sendable { case quiet, usual, verbose }

  private static let currentNoise = Mutex(Noise.usual)

  /// What the command line asks for; set while it is parsed.
  static var noise: Noise {
    get { currentNoise.withLock { $0 } }
    set { currentNoise.withLock { $0 = newValue } }
  }

  /// One line on standard error about what goes on all the same: none where the command is to be quiet.
  static func remark(_ sentence: String) { if noise != .quiet { complain(sentence) } }

  /// One line on standard error for whoever asks what is done.
  static func detail(_ sentence: @autoclosure () -> String) { if noise == .verbose { complain(sentence()) } }

  /// One line on standard error, whatever is in the sentence.
  static func complain(_ sentence: String) {
    ProgressBar.clearCurrent()
    write("runtime: \(oneLine(sentence))\n", to: STDERR_FILENO)
  }

  /// Text on standard output. Where it cannot be written the process ends with 73: nobody would get what follows.
  static func say(_ text: String) {
    if let reason = write(text + "\n", to: STDOUT_FILENO) { outputFailed(reason) }
  }

  static func say(_ bytes: [UInt8]) {
    if let reason = bytes.withUnsafeBytes({ write($0, to: STDOUT_FILENO) }) { outputFailed(reason) }
  }

  /// Some file systems tell only when a file is closed that it was not written.
  static func closeOutput() {
    if close(STDOUT_FILENO) != 0, errno != EBADF, errno != EINTR { outputFailed(errno) }
  }

  private static func outputFailed(_ reason: Int32) -> Never {
    complain("standard output cannot be written: \(String(cString: strerror(reason)))")
    ExitStatus.cannotWrite.exit()
  }

  /// Descriptors 0 to 2 that came closed are taken by what can be neither read nor written there: otherwise the next file that is opened
  /// would have their number, and get what is meant for standard output.
  static func keepStandardDescriptors() {
    for (descriptor, mode) in [(STDIN_FILENO, O_WRONLY), (STDOUT_FILENO, O_RDONLY), (STDERR_FILENO, O_RDONLY)]
    where fcntl(descriptor, F_GETFD) < 0 && errno == EBADF {
      _ = open("/dev/null", mode)
    }
  }

  /// A value as JSON on standard output: indented on a terminal, one line otherwise. NaN and infinities are strings.
  static func say<Value: Encodable>(json value: Value) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting =
      outputIsTerminal
      ? [.sortedKeys, .withoutEscapingSlashes, .prettyPrinted] : [.sortedKeys, .withoutEscapingSlashes]
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "Infinity", negativeInfinity: "-Infinity", nan: "NaN")
    say(String(decoding: try encoder.encode(value), as: UTF8.self))
  }

  /// Columns padded to their widest cell; numbers to the right.
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

  /// Writes all of a text; gives the system's number (errno) for why it could not.
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
        // A pipe that others made non-blocking is full.
        var ready = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        _ = poll(&ready, 1, -1)
      } else if count == 0 || errno != EINTR {
        return count == 0 ? EIO : errno
      }
    }
    return nil
  }

  /// Names in files may hold anything; a terminal or a log gets one line of printable text.
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
