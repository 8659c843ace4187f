import Foundation

/// The control group that limits the process's memory.
struct ControlGroup: Sendable {
  let limit: Int
  private let usage: String
  private let statistics: String

  /// The group with the smallest limit among the process's group and its ancestors; nil if none has a limit.
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

  /// The group at a path and all its ancestors that have a limit. In a container, the process's own group may appear as
  /// the root.
  private static func around(
    _ path: String, root: String, _ names: (limit: String, usage: String)
  ) -> [ControlGroup] {
    var parts = path.split(separator: "/").map(String.init)
    var found: [ControlGroup] = []
    while true {
      let folder = ([root] + parts).joined(separator: "/")
      // Version 1 represents "no limit" by a very large number.
      if let limit = SystemFile.number("\(folder)/\(names.limit)"), limit < 1 << 60 {
        found.append(
          ControlGroup(limit: limit, usage: "\(folder)/\(names.usage)", statistics: "\(folder)/memory.stat"))
      }
      guard !parts.isEmpty else { return found }
      parts.removeLast()
    }
  }

  /// The unused part of the limit. Cached file pages count as unused, since the kernel can reclaim them.
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
