import CoreML
import CoreMLDelivery
import Foundation

/// A device's program. It reads digits with its current model, and checks for a better one.
///
///     OverTheAir HOST ROOT BUNDLED-MODEL IMAGES DEVICE
///
/// `examples/OverTheAir/play` simulates a publisher and two such devices.
@main struct OverTheAir {
  /// The error for a wrong digit on an image whose digit is known.
  struct WrongDigit: Error {}

  static func main() async {
    // A new instance of this program tries new models.
    TrialProcess.runIfAsked()
    // Stopping the device while it reads must not count as a failure of its model.
    CleanShutdownMark.announce(on: [SIGTERM, SIGINT])
    let words = CommandLine.arguments
    guard words.count == 6, let host = URL(string: words[1]) else {
      print("usage: OverTheAir HOST ROOT BUNDLED-MODEL IMAGES DEVICE")
      exit(64)
    }
    do { try await live(words, host) } catch {
      print("  \(error)")
      exit(74)
    }
  }

  private static func live(_ words: [String], _ host: URL) async throws {
    let manager = try ModelDownloadManager(
      model: "Digits", bundled: URL(filePath: words[3]), host: host, root: URL(filePath: words[2]), device: words[5])
    let images = try FileManager.default.contentsOfDirectory(
      at: URL(filePath: words[4]), includingPropertiesForKeys: nil
    )
    .filter { $0.pathExtension == "png" }.sorted { $0.path < $1.path }
    let model = try manager.latestModel()
    do { try await manager.checkForModelUpdates() } catch { print("  no update: \(error)") }
    var (right, wrong) = (0, 0)
    for round in 0..<32 {
      let image = images[round % images.count]
      do {
        try read(image, model)
        right += 1
      } catch is WrongDigit { wrong += 1 }
    }
    print("  \(ModelDownloadManager.name(model.version.release)): \(right) digits right, \(wrong) wrong")
    for line in try manager.leftModels() { print("  \(line)") }
  }

  /// Reads an image whose file name is its digit. A wrong digit counts as a failure of the model: a program should
  /// report what it knows about the quality of outputs.
  private static func read(_ image: URL, _ model: ManagedModel) throws {
    try model.withModel { model, _ in
      guard let constraint = model.modelDescription.inputDescriptionsByName["image"]?.imageConstraint else { return }
      let value = try MLFeatureValue(imageAt: image, constraint: constraint)
      let output = try model.prediction(from: MLDictionaryFeatureProvider(dictionary: ["image": value]))
      let digit = output.featureValue(for: "classLabel")?.stringValue
      if digit != image.deletingPathExtension().lastPathComponent { throw WrongDigit() }
    }
  }
}
