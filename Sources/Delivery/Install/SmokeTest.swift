import CoreMLRuntime
import FeatureFiles
import Foundation

/// Golden inputs of a model, and the expected outputs.
public struct GoldenFiles: Sendable, Hashable, Codable {
  /// A `.npz` or `.json` file with the inputs by name.
  public let inputs: URL
  /// A `.npz` or `.json` file with the outputs to compare, by name.
  public let outputs: URL
  /// The folder of the pictures that the inputs name. Nil refuses inputs that name files: a release ships none.
  public let images: URL?
  /// The absolute term of the tolerance. An output passes if |found - expected| <= absolute + relative * |expected|.
  public let absoluteTolerance: Double
  /// The relative term of the tolerance.
  public let relativeTolerance: Double

  /// Creates a golden test; the default tolerances are 1e-4 absolute and 1e-3 relative.
  public init(
    inputs: URL, outputs: URL, images: URL? = nil, absoluteTolerance: Double = 1e-4, relativeTolerance: Double = 1e-3
  ) {
    self.inputs = inputs
    self.outputs = outputs
    self.images = images
    self.absoluteTolerance = absoluteTolerance
    self.relativeTolerance = relativeTolerance
  }
}

/// Tries a model on this device before it is used.
public enum SmokeTest {
  /// Loads a model and runs a prediction on each golden input.
  ///
  /// - Parameter load: loads the model.
  /// - Returns: the loaded model.
  /// - Throws: ``DeliveryError`` `doesNotLoad`, `doesNotPredict`, `failsSmokeTest`, `trialOutOfMemory`; `trialTimedOut`
  ///   if a time limit ended the trial; `CancellationError` if the trial was cancelled, which is not a fault of the
  ///   model.
  @discardableResult
  public static func run(_ golden: [GoldenFiles], named name: String, _ load: () throws -> MLModel) throws -> MLModel {
    let model = try telling(.doesNotLoad, "the model cannot be loaded on this device", name, load)
    for files in golden { try run(files, model, name) }
    return model
  }

  private static func run(_ files: GoldenFiles, _ model: MLModel, _ name: String) throws {
    let lines = try telling(.doesNotPredict, "the model cannot predict what came with it", name) {
      let images = files.images.map { ImageSource.files(relativeTo: $0.path) } ?? .none
      let inputs = try FeatureFile.features(files.inputs.path, for: model.modelDescription, images: images)
      // The golden outputs of a stateful model are computed from zero-initialized states.
      let found = try model.predictionFromFreshState(from: try MLDictionaryFeatureProvider(dictionary: inputs))
      let comparison = OutputComparison(rtol: files.relativeTolerance, atol: files.absoluteTolerance)
      return try comparison.lines(of: found, row: nil, expected: OutputComparison.expected(files.outputs.path))
    }
    guard !lines.isEmpty else {
      throw DeliveryError(.failsSmokeTest, "the file of expected outputs names none", file: files.outputs.path)
    }
    guard let failed = lines.first(where: { !$0.passed }) else { return }
    let detail = failed.note ?? failed.maxAbs.map { "it is off by \($0)" } ?? "it differs"
    throw DeliveryError(
      .failsSmokeTest, "the output '\(failed.output)' is not what it should be: \(detail)", file: name)
  }

  private static func telling<Result>(
    _ code: DeliveryError.Code, _ sentence: String, _ name: String, _ body: () throws -> Result
  ) throws -> Result {
    do { return try body() } catch let error as DeliveryError { throw error } catch is CancellationError {
      throw CancellationError()
    } catch {
      let model = error as? MLModelError
      switch model?.code {
      case _ where model?.cause == .overTime:
        throw DeliveryError(.trialTimedOut, "\(sentence): \(error)", file: name)
      case .predictionCancelled: throw CancellationError()
      case _ where model?.cause == .memory:
        throw DeliveryError(.trialOutOfMemory, "\(sentence): \(error)", file: name)
      case .customLayer, .customModel: throw DeliveryError(.needsApplication, "\(sentence): \(error)", file: name)
      default: throw DeliveryError(code, "\(sentence): \(error)", file: name)
      }
    }
  }
}
