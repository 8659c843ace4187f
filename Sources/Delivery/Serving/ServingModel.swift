import CoreMLRuntime
import Foundation
import Synchronization

/// The identity of a model that serves predictions.
public enum ModelVersion: Sendable, Hashable, CustomStringConvertible {
  /// The model that shipped with the application.
  case baseline
  /// An installed release.
  case release(InstalledRelease)
  /// A model trained on this device.
  case personal(PersonalModel)

  /// The release; nil for a baseline and for a personalised model.
  public var release: InstalledRelease? { if case .release(let release) = self { release } else { nil } }

  /// The tree digest; nil for the baseline.
  package var tree: String? {
    switch self {
    case .baseline: nil
    case .release(let release): release.tree
    case .personal(let model): model.tree
    }
  }

  public var description: String {
    switch self {
    case .baseline: "baseline"
    case .release(let release): "release \(release.release) (\(release.version))"
    case .personal(let model):
      "personalised from \(model.release.map { "release \($0)" } ?? "the one that came with the software")"
    }
  }
}

/// A loaded model with the leases on its files. Running predictions hold a reference to it. After a switch, the last of
/// them releases the model with its leases.
final class ServingModel: Sendable {
  let model: MLModel
  let version: ModelVersion
  let recorder: HealthRecorder
  private let metrics: DeliveryMetrics.Predictions
  private let leases: [ModelLease]
  private let probation: Mutex<Bool>
  private let hadWorked: Bool
  /// Whether prediction latency is a meaningful measure of the model.
  private let isTimed: Bool

  /// - Parameters:
  ///   - hadWorked: whether the model has produced outputs before, on this device or for its golden inputs.
  ///   - timesOpenInputs: ``HealthPolicy/timesOpenInputs``.
  init(
    _ model: MLModel, _ version: ModelVersion, named name: String, _ recorder: HealthRecorder, _ leases: [ModelLease],
    isNew: Bool, hadWorked: Bool, timesOpenInputs: Bool = false
  ) {
    (self.model, self.version, self.recorder, self.leases) = (model, version, recorder, leases)
    self.hadWorked = hadWorked
    isTimed = timesOpenInputs || model.modelDescription.inputsHaveOneSize
    metrics = DeliveryMetrics.Predictions(of: name)
    probation = Mutex(isNew)
  }

  func end(_ outcome: HealthRecorder.Outcome, latency: Duration, rows: Int) {
    recorder.endPrediction(outcome, latency: isTimed ? latency : nil, rows: rows)
    metrics.count(outcome, latency)
  }

  /// Whether the model has ever produced outputs.
  var hasWorked: Bool { hadWorked || recorder.counts.predictions > 0 }

  /// Whether the model is not proven yet.
  var isOnProbation: Bool {
    get { probation.withLock { $0 } }
    set { probation.withLock { $0 = newValue } }
  }

  /// Whether the model's files are still in use. Damaged files may have been set aside.
  var isCurrent: Bool { leases.allSatisfy(\.isCurrent) }
}
