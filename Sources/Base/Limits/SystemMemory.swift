import Foundation

/// The memory of the machine and of the process's control group.
package enum SystemMemory {
  /// The maximum memory of the process in bytes: memory and swap, or the group's limit. `Int.max` if neither is known.
  package static let capacity: Int = {
    let lines = meminfo()
    guard let total = lines["MemTotal"] else { return ControlGroup.own?.limit ?? .max }
    return min(total + (lines["SwapTotal"] ?? 0), ControlGroup.own?.limit ?? .max)
  }()

  /// Smaller requests are not checked, since touching the memory costs more than the check saves.
  private static let largeRequest = 64 << 20

  /// Refuses a request that exceeds the free memory. The kernel would grant it, and kill the process when the memory is
  /// touched.
  package static func requireAvailable(_ bytes: Int, for purpose: @autoclosure () -> String) throws {
    guard bytes >= largeRequest, let available = available(), bytes > available else { return }
    throw LimitError(
      .outOfMemory,
      "\(purpose()) needs \(MemorySize.text(bytes)); \(MemorySize.text(available)) of the machine's memory are free")
  }

  /// Refuses a request that exceeds the process's address space (`ulimit -v`), or that the kernel rejects.
  package static func requireAddressable(_ bytes: Int, for purpose: @autoclosure () -> String) throws {
    let flags = MAP_PRIVATE | MAP_ANONYMOUS
    guard let memory = mmap(nil, bytes, PROT_READ | PROT_WRITE, flags, -1, 0), memory != MAP_FAILED else {
      throw refused(bytes, for: purpose())
    }
    munmap(memory, bytes)
  }

  package static func refused(_ bytes: Int, for purpose: String) -> LimitError {
    LimitError(.outOfMemory, "\(purpose) needs \(MemorySize.text(bytes)), which the system refuses")
  }

  private static func available() -> Int? {
    let lines = meminfo()
    let machine = lines["MemAvailable"].map { $0 + (lines["SwapFree"] ?? 0) }
    let group = ControlGroup.own?.available()
    return [machine, group].compactMap { $0 }.min()
  }

  /// The entries of `/proc/meminfo` in bytes, by name.
  private static func meminfo() -> [String: Int] {
    var result: [String: Int] = [:]
    for line in SystemFile.text("/proc/meminfo").split(separator: "\n") {
      let parts = line.split(whereSeparator: { $0 == ":" || $0 == " " })
      guard parts.count >= 2, let number = Int(parts[1]) else { continue }
      result[String(parts[0])] = parts.count > 2 ? number << 10 : number
    }
    return result
  }
}

/// A file of the kernel, read as a whole.
package enum SystemFile {
  /// The text of a file; empty if the file does not exist.
  package static func text(_ path: String) -> String {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return "" }
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: 1 << 14)
    let count = read(file, &bytes, bytes.count)
    return String(decoding: bytes.prefix(max(count, 0)), as: UTF8.self)
  }

  package static func number(_ path: String) -> Int? {
    Int(text(path).trimmingCharacters(in: .whitespacesAndNewlines))
  }
}
