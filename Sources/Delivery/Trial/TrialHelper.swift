import CPlatform
import Foundation
import Logging
import Synchronization

/// The helper program that tries models for this process.
enum TrialHelper {
  /// Returns the program; nil if there is none.
  static func program(_ helper: TrialPolicy.Helper) -> URL? {
    switch helper {
    case .none: return nil
    case .program(let url): return url
    case .automatic:
      // This refers to the running executable even if its file was replaced.
      if TrialProcess.isOffered { return URL(filePath: "/proc/self/exe") }
      return beside
    }
  }

  /// The `runtime` command installed next to this executable or library.
  private static let beside: URL? = {
    let image = URL(filePath: RuntimeBuild.image).resolvingSymlinksInPath()
    let command = image.deletingLastPathComponent().appending(path: "runtime", directoryHint: .notDirectory)
    return FileManager.default.isExecutableFile(atPath: command.path) ? command : nil
  }()

  private static let told = Mutex<Set<String>>([])

  /// Logs once for each reason that models are tried in this process.
  static func tellAbsent(_ reason: String) {
    guard told.withLock({ $0.insert(reason).inserted }) else { return }
    Logger(label: "coreml.delivery").warning(
      "new models are tried in this process, which a bad one may end: \(reason) (TrialPolicy.helper, COREML_TRIAL_HELPER)"
    )
  }

  /// Returns where new models are tried, for status output.
  static func place(_ helper: TrialPolicy.Helper) -> String {
    guard let program = program(helper) else { return "in this process" }
    return program.path == "/proc/self/exe" ? "in processes of this program" : "in processes of \(program.path)"
  }
}
