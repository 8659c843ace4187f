import CoreMLRuntime
import FeatureFiles
import Foundation

/// Inputs that a model came with, and what a good one makes of them.
public struct GoldenFiles: Sendable, Hashable {
  /// `.npz` or `.json`: an input each, by name.
  public let inputs: URL
  /// `.npz` or `.json`: the outputs to look at, by name.
  public let outputs: URL
  /// An output passes where |found - expected| <= absolute + relative * |expected|.
  public let absoluteTolerance: Double
  public let relativeTolerance: Double

  public init(inputs: URL, outputs: URL, absoluteTolerance: Double = 1e-4, relativeTolerance: Double = 1e-3) {
    self.inputs = inputs
    self.outputs = outputs
    self.absoluteTolerance = absoluteTolerance
    self.relativeTolerance = relativeTolerance
  }
}

/// Tries a model on this device before it is used.
public enum SmokeTest {
  /// Loads the model and predicts every golden input.
  ///
  /// - Parameter load: loads the model.
  /// - Throws: ``DeliveryError`` `doesNotLoad`, `doesNotPredict`, `failsSmokeTest`.
  public static func run(_ golden: [GoldenFiles], named name: String, _ load: () throws -> MLModel) throws {
    let model: MLModel
    do { model = try load() } catch let error as DeliveryError { throw error } catch {
      throw DeliveryError(.doesNotLoad, "the model cannot be loaded on this device: \(error)", file: name)
    }
    for files in golden { try run(files, model, name) }
  }

  private static func run(_ files: GoldenFiles, _ model: MLModel, _ name: String) throws {
    let lines: [OutputComparison.Line]
    do {
      let inputs = try FeatureFile.features(files.inputs.path, for: model.modelDescription)
      let found = try model.prediction(from: try MLDictionaryFeatureProvider(dictionary: inputs))
      let comparison = OutputComparison(rtol: files.relativeTolerance, atol: files.absoluteTolerance)
      lines = try comparison.lines(of: found, row: nil, expected: OutputComparison.expected(files.outputs.path))
    } catch {
      throw DeliveryError(.doesNotPredict, "the model cannot predict what came with it: \(error)", file: name)
    }
    guard !lines.isEmpty else {
      throw DeliveryError(.failsSmokeTest, "the file of expected outputs names none", file: files.outputs.path)
    }
    guard let failed = lines.first(where: { !$0.passed }) else { return }
    let detail = failed.note ?? failed.maxAbs.map { "it is off by \($0)" } ?? "it differs"
    throw DeliveryError(
      .failsSmokeTest, "the output '\(failed.output)' is not what it should be: \(detail)", file: name)
  }
}
