import Foundation

@testable import CoreMLDelivery

/// Programs that try models, or pretend to: what a model may do to such a process is written as a script.
struct TrialScript {
  /// What a helper says before it looks at anything.
  static let ready = #"printf 'coreml-trial \#(TrialOrder.version)\n' >&3"#
  /// Goes on as the command that lies beside the tests, with the order that was read.
  static let goOn = #"printf '%s\n' "$order" > "$0.$$"; exec "\#(runtime.path)" "$1" < "$0.$$""#
  static let runtime = ProgramRun.folder.appending(path: "runtime")

  let program: URL
  private let log: URL

  /// - Parameter body: of a shell script; `$order` is what the process was told, `note WORD` writes a line to a log.
  init(_ body: String, in folder: TemporaryFolder) throws {
    let name = "helper-\(UUID().uuidString)"
    log = folder.url.appending(path: "\(name).log")
    program = try folder.write(
      """
      #!/bin/bash
      note() { echo "$1 $$" >> '\(log.path)'; }
      order=$(cat)
      \(body)
      """, to: name)
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: program.path)
  }

  /// What was noted, and by which process.
  var notes: [(word: String, process: Int32)] {
    let text = (try? String(contentsOf: log, encoding: .utf8)) ?? ""
    return text.split(separator: "\n").compactMap { line in
      let parts = line.split(separator: " ")
      guard parts.count == 2, let process = Int32(parts[1]) else { return nil }
      return (String(parts[0]), process)
    }
  }

  func policy(seconds: Double = 600, _ change: (inout TrialPolicy) -> Void = { _ in }) -> TrialPolicy {
    var policy = TrialPolicy()
    (policy.helper, policy.requiresHelper, policy.seconds) = (.program(program), true, seconds)
    change(&policy)
    return policy
  }

  /// Waits until so many lines were noted.
  func waitForNotes(_ count: Int) async throws {
    for _ in 0..<30_000 where notes.count < count { try await Task.sleep(for: .milliseconds(20)) }
  }

  /// Whether a process is there, not counting those that nobody has asked about since their end.
  static func isAlive(_ process: Int32) -> Bool {
    guard let line = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8),
      let end = line.lastIndex(of: ")")
    else { return false }
    return !line[end...].hasPrefix(") Z")
  }
}
