import Foundation

/// The name of the processor, as the kernel reports it.
public enum Processor {
  public static let name: String = {
    guard let file = FileHandle(forReadingAtPath: "/proc/cpuinfo") else { return "unknown" }
    defer { try? file.close() }
    let text = (try? file.read(upToCount: 1 << 16)).flatMap { $0 }.map { String(decoding: $0, as: UTF8.self) } ?? ""
    let line = text.split(separator: "\n").first { $0.hasPrefix("model name") }
    return line?.split(separator: ":").last.map { $0.trimmingCharacters(in: .whitespaces) } ?? "unknown"
  }()
}
