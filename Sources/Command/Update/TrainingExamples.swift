import CoreML
import Foundation
import Synchronization

/// Rows as training examples, read on demand. A row that cannot be read becomes an example without features, and
/// `failure` has the reason.
final class TrainingExamples: MLBatchProvider {
  private let rows: any BatchRows
  private let indices: [Int]
  private let first = Mutex<Failure?>(nil)

  init(_ rows: any BatchRows, _ indices: [Int]) {
    self.rows = rows
    self.indices = indices
  }

  /// The error of the first row that could not be read.
  var failure: Failure? { first.withLock { $0 } }
  var count: Int { indices.count }

  func features(at index: Int) -> any MLFeatureProvider {
    do {
      return try example(index)
    } catch {
      first.withLock { $0 = $0 ?? Failure(error) }
      return NoFeatures()
    }
  }

  func example(_ index: Int) throws -> any MLFeatureProvider {
    try MLDictionaryFeatureProvider(dictionary: rows.features(indices[index]))
  }
}

private final class NoFeatures: MLFeatureProvider {
  let featureNames: Set<String> = []
  func featureValue(for featureName: String) -> MLFeatureValue? { nil }
}
