import Foundation

/// Marks that a trial has begun and not ended, beside what is counted of the model. A mark whose process is no more tells of a trial during
/// which the process ended, whatever ended it. That does not count against the model, for the process may have been told to stop; but such a
/// model is tried after all others, and alone, so that it keeps none of them from being updated.
///
/// Where there is no process for trials, a model that ends this one would do so at every update: such trials are noted in the mark, and so many
/// as there may be crashes count like those.
final class TrialMark: Sendable {
  static let fileExtension = "trial"
  /// That of the trial which goes on.
  @TaskLocal static var current: TrialMark?
  private let file: URL

  /// - Parameter folder: of the model's health.
  init(in folder: URL) {
    let random = String(UInt64.random(in: .min ... .max), radix: 36)
    file = folder.appending(path: "\(PartialOwner.current.token)~\(random).\(Self.fileExtension)")
    // Without it the model only loses its place behind the others.
    try? DeliveryDirectories.makeFolder(folder)
    let descriptor = open(file.path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    if descriptor >= 0 { close(descriptor) }
  }

  deinit { unlink(file.path) }

  /// Notes that the model is tried in this process.
  func noteHere() { try? DurableFile.write(Array("here\n".utf8), to: file, mode: 0o600) }
}

extension HealthStore {
  /// Trials of a model during which the process ended that tried it, or waited for it.
  func trialsCutShort(_ tree: String) -> [URL] {
    let folder = folder(of: tree)
    return ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? [])
      .filter { $0.hasSuffix(".\(TrialMark.fileExtension)") }
      .filter { name in
        guard let owner = name.split(separator: "~").first.flatMap({ PartialOwner(token: $0) }) else { return true }
        switch owner.state {
        case .alive: return false
        case .gone, .beforeRestart: return true
        case .elsewhere: return Staging.age(of: folder.appending(path: name)) > Staging.forgottenUnnamed
        }
      }.map { folder.appending(path: $0) }
  }

  /// Those of them that were made in the process which ended, since the machine was started.
  func trialsThatEndedTheirProcess(_ tree: String) -> Int {
    trialsCutShort(tree).count { file in
      guard (DiskUse.size(file) ?? 0) > 0 else { return false }
      let owner = file.lastPathComponent.split(separator: "~").first.flatMap { PartialOwner(token: $0) }
      return owner.map { $0.state == .gone } ?? false
    }
  }

  /// Once a trial has come to its end, those before it say nothing any more.
  func forgetTrials(of tree: String) { for file in trialsCutShort(tree) { unlink(file.path) } }

  private func tried(_ tree: String) -> URL { folder(of: tree).appending(path: "tried") }

  /// Notes that a model has given the right outputs for inputs that came with it.
  func noteTried(_ tree: String) throws { try DurableFile.write(Array("tried\n".utf8), to: tried(tree)) }

  func isTried(_ tree: String) -> Bool { FileManager.default.fileExists(atPath: tried(tree).path) }
}
