import Foundation

extension Processor {
  /// Processors that this process may keep busy: those that it may run on, and no more than its control groups give it time for.
  public static let count: Int = {
    let active = ProcessInfo.processInfo.activeProcessorCount
    return max(min(active, ProcessorQuota(root: "/").processors ?? active), 1)
  }()
}

/// The processor time that control groups give the process, as the files under `root` tell it.
struct ProcessorQuota {
  let root: String

  /// The least of the process's group and those around it, in whole processors; nil where none has a limit.
  var processors: Int? {
    let lines = text("proc/self/cgroup").split(separator: "\n")
    let quotas = lines.flatMap { line -> [Double] in
      let parts = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
      guard parts.count == 3 else { return [] }
      if parts[0] == "0" { return groups(String(parts[2]), "sys/fs/cgroup").compactMap(version2) }
      guard parts[1].split(separator: ",").contains("cpu") else { return [] }
      // The controller's folder has its name alone, or that of all that are mounted with it.
      return ["cpu", String(parts[1])].flatMap { groups(String(parts[2]), "sys/fs/cgroup/\($0)").compactMap(version1) }
    }
    return quotas.min().map { max(Int(min($0, 65536).rounded(.up)), 1) }
  }

  /// The folders of a group and of every one that it lies in. A container may see its own group as the root.
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

  /// A quota of -1 is none.
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
