import ArgumentParser
import CoreML
import CoreMLBase
import CoreMLRuntime
import FeatureFiles
import Foundation

/// The file for the intermediate values of a prediction.
struct DumpOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Write the output of every operation to an .npz, with the names that `inspect --stage program` shows.",
      valueName: "file"), completion: .file())
  var dump: String?
  @Option(help: ArgumentHelp("Write only this value. May be repeated.", valueName: "name"))
  var dumpValue: [String] = []

  func validate() throws {
    if let dump, URL(filePath: dump).pathExtension.lowercased() != "npz" {
      throw ValidationError("--dump is \(dump), expected a path that ends in .npz")
    }
    if dump == nil, !dumpValue.isEmpty { throw ValidationError("--dump-value needs --dump") }
  }

  /// Predicts once more for the intermediate values, if the user wants them.
  func write(_ model: MLModel, _ features: [String: MLFeatureValue], _ limit: TimeLimit) throws {
    guard let dump else { return }
    let wanted = dumpValue.isEmpty ? nil : dumpValue
    let input = UncheckedSendable(try MLDictionaryFeatureProvider(dictionary: features))
    let values = try ProgressBar.during("Predicting step by step") {
      try limit.run("the prediction") {
        UncheckedSendable(try model.intermediateValues(of: input.value, named: wanted))
      }
    }
    try NPZ.write(values.map { (name: $0.name, array: FeatureConversion.array($0.array)) }, to: dump)
  }
}
