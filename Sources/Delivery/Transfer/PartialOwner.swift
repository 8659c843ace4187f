import CoreMLBase
import Foundation

/// The process that writes a partial file, encoded in the file's name. So no lock is needed to decide whether another
/// process may claim it.
struct PartialOwner: Hashable {
  /// The machine and, in a container, its PID namespace.
  let host: String
  /// The boot of the machine.
  let boot: String
  let process: Int32
  /// The start time of the process in kernel clock ticks. It distinguishes processes with the same PID.
  let start: String

  /// This process.
  static let current = PartialOwner(
    host: digest(
      (text("/etc/machine-id") ?? text("/proc/sys/kernel/hostname") ?? "")
        + ((try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/ns/pid")) ?? "")),
    boot: digest(text("/proc/sys/kernel/random/boot_id") ?? ""), process: getpid(),
    start: startTime(of: getpid()) ?? "0")

  enum State {
    /// The process has ended; all bytes that it wrote are intact.
    case gone
    /// The process has ended, and the machine has rebooted since. Only synchronized bytes are intact.
    case beforeRestart
    case alive
    /// The process is on another machine that shares the file system, or in another container.
    case elsewhere
  }

  var token: String { "\(host)-\(boot)-\(process)-\(start)" }

  init(host: String, boot: String, process: Int32, start: String) {
    self.host = host
    self.boot = boot
    self.process = process
    self.start = start
  }

  init?(token: Substring) {
    let parts = token.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 4, let process = Int32(parts[2]), process > 0 else { return nil }
    self.init(host: String(parts[0]), boot: String(parts[1]), process: process, start: String(parts[3]))
  }

  var state: State {
    let current = Self.current
    guard host == current.host else { return .elsewhere }
    guard boot == current.boot else { return .beforeRestart }
    if self == current { return .alive }
    // A process whose state cannot be determined counts as alive.
    if kill(process, 0) != 0 && errno == ESRCH { return .gone }
    guard let started = Self.startTime(of: process) else { return .alive }
    return started == start ? .alive : .gone
  }

  /// Returns field 22 of /proc/PID/stat (proc(5)). Field 2, a name in parentheses, may contain any character.
  static func startTime(of process: Int32) -> String? {
    guard let line = text("/proc/\(process)/stat"), let end = line.lastIndex(of: ")") else { return nil }
    let fields = line[end...].split(separator: " ")
    return fields.count > 20 ? String(fields[20]) : nil
  }

  private static func text(_ path: String) -> String? {
    (try? String(contentsOfFile: path, encoding: .utf8))?.trimmingCharacters(in: .whitespacesAndNewlines)
  }

  private static func digest(_ text: String) -> String {
    var sha = SHA256Digest()
    sha.append(field: text)
    return String(sha.hexadecimal().prefix(10))
  }
}
