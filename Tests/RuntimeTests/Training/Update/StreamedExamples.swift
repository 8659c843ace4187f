import Foundation
import Synchronization

@testable import CoreMLRuntime

/// Examples that are created on access, with a count of how many exist at the same time.
final class StreamedExamples: MLBatchProvider {
  let count: Int
  private let tally = Tally()

  /// The number of examples created so far, the number alive now, and its maximum.
  final class Tally: Sendable {
    fileprivate let numbers = Mutex((made: 0, alive: 0, most: 0))
    fileprivate func count(_ change: Int) {
      numbers.withLock {
        $0.alive += change
        if change > 0 { $0.made += 1 }
        $0.most = max($0.most, $0.alive)
      }
    }
  }

  var made: Int { tally.numbers.withLock { $0.made } }
  var alive: Int { tally.numbers.withLock { $0.alive } }
  var most: Int { tally.numbers.withLock { $0.most } }

  init(_ count: Int) { self.count = count }

  func features(at index: Int) -> any MLFeatureProvider { Example(index, tally) }

  private final class Example: MLFeatureProvider {
    private let index: Int
    private let tally: Tally

    init(_ index: Int, _ tally: Tally) {
      (self.index, self.tally) = (index, tally)
      tally.count(1)
    }

    deinit { tally.count(-1) }

    let featureNames: Set<String> = ["x", "label"]

    func featureValue(for name: String) -> MLFeatureValue? {
      let (x, label) = UpdatableNetwork.points[index % UpdatableNetwork.points.count]
      if name == "label" { return MLFeatureValue(string: label) }
      return (try? MLMultiArray(x)).map { MLFeatureValue(multiArray: $0) }
    }
  }
}
