import CPlatform
import Foundation
import Logging
import Synchronization

/// The program that tries models for this process.
enum TrialHelper {
  /// nil where there is none.
  static func program(_ helper: TrialPolicy.Helper) -> URL? {
    switch helper {
    case .none: return nil
    case .program(let url): return url
    case .automatic:
      // The very file that runs, also where another has taken its place.
      if TrialProcess.isOffered { return URL(filePath: "/proc/self/exe") }
      return beside
    }
  }

  /// The command, where it was installed with this program or library.
  private static let beside: URL? = {
    let image = URL(filePath: RuntimeBuild.image).resolvingSymlinksInPath()
    let command = image.deletingLastPathComponent().appending(path: "runtime", directoryHint: .notDirectory)
    return FileManager.default.isExecutableFile(atPath: command.path) ? command : nil
  }()

  private static let told = Mutex<Set<String>>([])

  /// Says once for each reason that models are tried in this process.
  static func tellAbsent(_ reason: String) {
    guard told.withLock({ $0.insert(reason).inserted }) else { return }
    Logger(label: "coreml.delivery").warning(
      "new models are tried in this process, which a bad one may end: \(reason) (TrialPolicy.helper, COREML_TRIAL_HELPER)"
    )
  }

  /// For status: where new models are tried.
  static func place(_ helper: TrialPolicy.Helper) -> String {
    guard let program = program(helper) else { return "in this process" }
    return program.path == "/proc/self/exe" ? "in processes of this program" : "in processes of \(program.path)"
  }
}
