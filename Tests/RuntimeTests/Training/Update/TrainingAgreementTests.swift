import Foundation
import TestSupport
import Testing

@testable import CoreMLRuntime

/// Trainings that were also run in PyTorch.
@Suite struct TrainingAgreementTests {
  private static let archive = Checkout.shared.appending(path: "corpus/corpus-updatable.tar.gz")
  private static let recorded = Checkout.cases.appending(path: "training")

  /// The tolerance for losses, predictions and weights relative to PyTorch.
  private static let tolerance = 1e-4

  private static func folders(in url: URL) -> [URL] {
    ((try? FileManager.default.contentsOfDirectory(at: url, includingPropertiesForKeys: nil)) ?? [])
      .filter { FileManager.default.fileExists(atPath: $0.appending(path: "meta.json").path) }
      .sorted { $0.path < $1.path }
  }

  @Test(
    .tags(.process),
    .enabled(
      if: FileManager.default.fileExists(atPath: archive.path), "needs ../shared/corpus/corpus-updatable.tar.gz"))
  func theUpdatableCasesTrainAsTorchDoes() throws {
    let place = FileManager.default.temporaryDirectory.appending(path: "updatable-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: place) }
    let tar = Process()
    tar.executableURL = URL(filePath: "/usr/bin/env")
    tar.arguments = ["tar", "-xzf", Self.archive.path, "-C", place.path]
    try tar.run()
    tar.waitUntilExit()
    let folders = Self.folders(in: place.appending(path: "updatable_ref"))
    #expect(folders.count == 36)
    for folder in folders { check(folder) }
  }

  @Test func theRecordedTrainingsAreTorchs() throws {
    let folders = Self.folders(in: Self.recorded)
    #expect(folders.count == 12)
    for folder in folders {
      #expect(try TrainingFolder(folder).hasWeights, "\(folder.lastPathComponent): the weights were not recorded")
      check(folder)
    }
  }

  private func check(_ folder: URL) {
    do {
      let worst = try TrainingFolder(folder).worst()
      #expect(worst < Self.tolerance, "\(folder.lastPathComponent): off by \(worst)")
    } catch {
      Issue.record("\(folder.lastPathComponent): \(error)")
    }
  }
}
