import CoreMLRuntime
import FeatureFiles
import Foundation

/// Inputs that a model came with, and what a good one makes of them.
public struct GoldenFiles: Sendable, Hashable, Codable {
  /// `.npz` or `.json`: an input each, by name.
  public let inputs: URL
  /// `.npz` or `.json`: the outputs to look at, by name.
  public let outputs: URL
  /// An output passes where |found - expected| <= absolute + relative * |expected|.
  public let absoluteTolerance: Double
  /// The part of the tolerance that grows with the expected value.
  public let relativeTolerance: Double

  /// Inputs and outputs in files, to be compared within 1e-4 and 1e-3 of each value unless told otherwise.
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
  /// - Returns: the model.
  /// - Throws: ``DeliveryError`` `doesNotLoad`, `doesNotPredict`, `failsSmokeTest`, `trialOutOfMemory`, `trialTimedOut` where a limit of
  ///   time ended it; `CancellationError` when the work was stopped, which says nothing of the model.
  @discardableResult
  public static func run(_ golden: [GoldenFiles], named name: String, _ load: () throws -> MLModel) throws -> MLModel {
    let model = try telling(.doesNotLoad, "the model cannot be loaded on this device", name, load)
    for files in golden { try run(files, model, name) }
    return model
  }

  private static func run(_ files: GoldenFiles, _ model: MLModel, _ name: String) throws {
    let lines = try telling(.doesNotPredict, "the model cannot predict what came with it", name) {
      let inputs = try FeatureFile.features(files.inputs.path, for: model.modelDescription)
      // Golden outputs of a model that keeps states are those from states of zeros.
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
