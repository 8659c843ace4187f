import Foundation

extension Processor {
  /// The number of processors that this process may use: those in its affinity mask, limited by the CPU quota of its
  /// control groups.
  public static let count: Int = {
    let active = ProcessInfo.processInfo.activeProcessorCount
    return max(min(active, ProcessorQuota(root: "/").processors ?? active), 1)
  }()
}

/// The CPU quota of the process's control groups, read from the files under `root`.
struct ProcessorQuota {
  let root: String

  /// The smallest quota of the process's group and all its ancestors, rounded up to whole processors. Nil if there is
  /// no limit.
  var processors: Int? {
    let lines = text("proc/self/cgroup").split(separator: "\n")
    let quotas = lines.flatMap { line -> [Double] in
      let parts = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
      guard parts.count == 3 else { return [] }
      if parts[0] == "0" { return groups(String(parts[2]), "sys/fs/cgroup").compactMap(version2) }
      guard parts[1].split(separator: ",").contains("cpu") else { return [] }
      // The controller's folder is named after it alone, or after all controllers mounted with it.
      return ["cpu", String(parts[1])].flatMap { groups(String(parts[2]), "sys/fs/cgroup/\($0)").compactMap(version1) }
    }
    return quotas.min().map { max(Int(min($0, 65536).rounded(.up)), 1) }
  }

  /// The folders of a group and of all its ancestors. In a container, the process's own group may appear as the root.
  private func groups(_ path: String, _ base: String) -> [String] {
    let parts = path.split(separator: "/").filter { $0 != ".." }.map(String.init)
    return (0...parts.count).map { ([base] + parts.prefix($0)).joined(separator: "/") }
  }

  /// `cpu.max`: the quota or "max", and the period, in microseconds.
  private func version2(_ folder: String) -> Double? {
    let words = text("\(folder)/cpu.max").split(whereSeparator: \.isWhitespace)
    guard words.count == 2 else { return nil }
    return Self.share(Double(words[0]), of: Double(words[1]))
  }

  /// A quota of -1 means no limit.
  private func version1(_ folder: String) -> Double? {
    Self.share(number("\(folder)/cpu.cfs_quota_us"), of: number("\(folder)/cpu.cfs_period_us"))
  }

  private static func share(_ quota: Double?, of period: Double?) -> Double? {
    guard let quota, let period, quota > 0, period > 0, quota.isFinite, period.isFinite else { return nil }
    return quota / period
  }

  private func number(_ path: String) -> Double? {
    Double(text(path).trimmingCharacters(in: .whitespacesAndNewlines))
  }

  private func text(_ path: String) -> String {
    guard let file = FileHandle(forReadingAtPath: root + "/" + path) else { return "" }
    defer { try? file.close() }
    let bytes = (try? file.read(upToCount: 1 << 16)).flatMap { $0 }
    return bytes.map { String(decoding: $0, as: UTF8.self) } ?? ""
  }
}
