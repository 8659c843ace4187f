import Foundation

/// Marks an unfinished trial in the health folder of the model. A mark of an ended process shows that the process ended
/// during the trial.
///
/// That alone does not count against the model, because the process may have been asked to stop. But such a model is
/// tried last and alone, so that it does not hold up other updates.
///
/// Without a helper process, a model that crashes this process would do so at every update. So trials in this process
/// are noted in the mark, and ``HealthPolicy/crashes`` of them block the model.
final class TrialMark: Sendable {
  static let fileExtension = "trial"
  /// The mark of the current trial.
  @TaskLocal static var current: TrialMark?
  private let file: URL

  /// - Parameter folder: the health folder of the model.
  init(in folder: URL) {
    let random = String(UInt64.random(in: .min ... .max), radix: 36)
    file = folder.appending(path: "\(PartialOwner.current.token)~\(random).\(Self.fileExtension)")
    // Without a mark, the model is only not moved behind the others.
    try? DeliveryDirectories.makeFolder(folder)
    let descriptor = open(file.path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    if descriptor >= 0 { close(descriptor) }
  }

  deinit { unlink(file.path) }

  /// Notes that the trial runs in this process.
  func noteHere() { try? DurableFile.write(Array("here\n".utf8), to: file, mode: 0o600) }
}

extension HealthStore {
  /// Returns the marks of trials that ended with the process that ran or awaited them.
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

  /// Returns how many trials ended the process that they ran in, since the machine booted.
  func trialsThatEndedTheirProcess(_ tree: String) -> Int {
    trialsCutShort(tree).count { file in
      guard (DiskUse.size(file) ?? 0) > 0 else { return false }
      let owner = file.lastPathComponent.split(separator: "~").first.flatMap { PartialOwner(token: $0) }
      return owner.map { $0.state == .gone } ?? false
    }
  }

  /// Removes the marks of earlier trials, which are irrelevant once a trial has ended.
  func forgetTrials(of tree: String) { for file in trialsCutShort(tree) { unlink(file.path) } }

  private func tried(_ tree: String) -> URL { folder(of: tree).appending(path: "tried") }

  /// Records that a model passed its golden tests.
  func noteTried(_ tree: String) throws { try DurableFile.write(Array("tried\n".utf8), to: tried(tree)) }

  func isTried(_ tree: String) -> Bool { FileManager.default.fileExists(atPath: tried(tree).path) }
}
