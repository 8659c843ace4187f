import Foundation

@testable import CoreMLDelivery

/// Helper programs, real or simulated. A script simulates what a model can do to its process.
struct TrialScript {
  /// The first output of a helper.
  static let ready = #"printf 'coreml-trial \#(TrialOrder.version)\n' >&3"#
  /// Continues as the `runtime` command next to the tests, with the order that was read.
  static let goOn = #"printf '%s\n' "$order" > "$0.$$"; exec "\#(runtime.path)" "$1" < "$0.$$""#
  static let runtime = ProgramRun.folder.appending(path: "runtime")

  let program: URL
  private let log: URL

  /// - Parameter body: a shell script. `$order` is the order of the trial; `note WORD` writes a line to a log.
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

  /// The noted words, with the processes that noted them.
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

  /// Waits until `count` lines were noted.
  func waitForNotes(_ count: Int) async throws {
    for _ in 0..<30_000 where notes.count < count { try await Task.sleep(for: .milliseconds(20)) }
  }

  /// Returns whether a process is running; zombies do not count.
  static func isAlive(_ process: Int32) -> Bool {
    guard let line = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8),
      let end = line.lastIndex(of: ")")
    else { return false }
    return !line[end...].hasPrefix(") Z")
  }
}
