import Foundation

/// A program of the operating system.
struct Tool {
  let url: URL

  init(_ url: URL) { self.url = url }

  /// nil if no program has this name.
  private init?(named name: String) {
    let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
    guard
      let found = folders.map({ "\($0)/\(name)" }).first(where: { FileManager.default.isExecutableFile(atPath: $0) })
    else { return nil }
    url = URL(filePath: found)
  }

  /// Programs that use a sanitized library must be built with the compiler of that library.
  static let compiler = Tool(named: Sanitizer.flags.isEmpty ? "cc" : "clang") ?? Tool(named: "clang")
  static let pkgConfig = Tool(named: "pkg-config")
  static let clang = Tool(named: "clang")
  static let python = Tool(named: "python3")
  static var nm: Tool { Tool(named: "nm") ?? Tool(URL(filePath: "/usr/bin/nm")) }
  static var readelf: Tool { Tool(named: "readelf") ?? Tool(URL(filePath: "/usr/bin/readelf")) }

  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  /// Runs the tool and returns its output.
  func run(_ arguments: [String], environment: [String: String] = [:]) throws -> String {
    let process = Process()
    let (output, errors) = (Pipe(), FileManager.default.temporaryDirectory.appending(path: "tool-\(UUID().uuidString)"))
    defer { try? FileManager.default.removeItem(at: errors) }
    try Data().write(to: errors)
    process.executableURL = url
    process.arguments = arguments
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    process.standardOutput = output
    process.standardError = try FileHandle(forWritingTo: errors)
    try process.run()
    let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    process.waitUntilExit()
    guard process.terminationStatus == 0, process.terminationReason == .exit else {
      let complaint = try String(contentsOf: errors, encoding: .utf8)
      throw Failure(
        description: "\(url.lastPathComponent) ended with \(process.terminationStatus): \(complaint)\(text)")
    }
    return text
  }
}

/// The sanitizers that the tests and the library were built with.
enum Sanitizer {
  private static func has(_ symbol: String) -> Bool { dlsym(nil, symbol) != nil }

  static let isAddress = has("__asan_init")
  static let isThread = has("__tsan_init")
  static var flags: [String] {
    guard isThread else { return isAddress ? ["-fsanitize=address"] : [] }
    // The sanitizer library of the Swift toolchain also instruments Dispatch queues.
    return ["-fsanitize=thread", "-L\(dispatch)", "-Wl,-rpath,\(dispatch)", "-ldispatch", "-lBlocksRuntime"]
  }

  /// The folder of the Dispatch library that this process has mapped.
  private static var dispatch: String {
    let maps = (try? FileHandle(forReadingFrom: URL(filePath: "/proc/self/maps")).readToEnd()).flatMap { $0 } ?? Data()
    let line = String(decoding: maps, as: UTF8.self).split(separator: "\n").first { $0.hasSuffix("/libdispatch.so") }
    guard let line, let start = line.firstIndex(of: "/") else { return "." }
    return URL(filePath: String(line[start...])).deletingLastPathComponent().path
  }

  /// The environment for a program that was built without the sanitizer.
  static func environment() throws -> [String: String] {
    guard isAddress, let clang = Tool.clang else { return [:] }
    let machine = ProcessInfo.processInfo.machine
    let library = try clang.run(["-print-file-name=libclang_rt.asan-\(machine).so"])
    // Python itself leaks much.
    return [
      "LD_PRELOAD": library.trimmingCharacters(in: .whitespacesAndNewlines),
      "ASAN_OPTIONS": "detect_leaks=0:use_sigaltstack=0",
    ]
  }
}

extension ProcessInfo {
  fileprivate var machine: String {
    var system = utsname()
    uname(&system)
    return withUnsafeBytes(of: system.machine) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
  }
}

/// A folder that is removed with the object.
final class Folder {
  let url = FileManager.default.temporaryDirectory.appending(path: "library-\(UUID().uuidString)")
  init() throws { try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true) }
  deinit { try? FileManager.default.removeItem(at: url) }
}
