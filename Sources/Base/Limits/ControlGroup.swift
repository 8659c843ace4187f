import Foundation

/// The control group that limits the process's memory.
struct ControlGroup: Sendable {
  let limit: Int
  private let usage: String
  private let statistics: String

  /// The one with the least limit of the process's group and those around it; nil where none has any.
  static let own: ControlGroup? = {
    let groups = SystemFile.text("/proc/self/cgroup").split(separator: "\n").compactMap { line -> [ControlGroup]? in
      let parts = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
      guard parts.count == 3 else { return nil }
      if parts[0] == "0" { return around(String(parts[2]), root: "/sys/fs/cgroup", version2) }
      guard parts[1].split(separator: ",").contains("memory") else { return nil }
      return around(String(parts[2]), root: "/sys/fs/cgroup/memory", version1)
    }
    return groups.joined().min { $0.limit < $1.limit }
  }()

  private static let version2 = ("memory.max", "memory.current")
  private static let version1 = ("memory.limit_in_bytes", "memory.usage_in_bytes")

  /// The group at a path and every one that it lies in. A container may see its own group as the root.
  private static func around(
    _ path: String, root: String, _ names: (limit: String, usage: String)
  ) -> [ControlGroup] {
    var parts = path.split(separator: "/").map(String.init)
    var found: [ControlGroup] = []
    while true {
      let folder = ([root] + parts).joined(separator: "/")
      // Version 1 writes "no limit" as a number that no machine has.
      if let limit = SystemFile.number("\(folder)/\(names.limit)"), limit < 1 << 60 {
        found.append(
          ControlGroup(limit: limit, usage: "\(folder)/\(names.usage)", statistics: "\(folder)/memory.stat"))
      }
      guard !parts.isEmpty else { return found }
      parts.removeLast()
    }
  }

  /// What is left of the limit, counting what the kernel would take back of cached files.
  func available() -> Int? {
    guard let used = SystemFile.number(usage) else { return nil }
    var cached = 0
    for line in SystemFile.text(statistics).split(separator: "\n") {
      guard line.hasPrefix("inactive_file ") || line.hasPrefix("active_file ") else { continue }
      cached += line.split(separator: " ").last.flatMap { Int($0) } ?? 0
    }
    return max(limit - used + cached, 0)
  }
}
