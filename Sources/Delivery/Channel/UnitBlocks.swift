import Foundation

/// Blocks models that failed their trial.
struct UnitBlocks: Sendable {
  let records: ChannelRecords
  private var options: ChannelOptions { records.options }

  private static let reasons: [DeliveryError.Code: RollbackReason] = [
    .failsSmokeTest: .failsSmokeTest, .doesNotLoad: .doesNotLoad, .doesNotPredict: .doesNotPredict,
    .otherInterface: .otherInterface, .trialCrashed: .crashed, .trialKilled: .crashed, .trialTimedOut: .timedOut,
    .trialOutOfMemory: .outOfMemory,
  ]
  /// Reasons that a failed disk, memory pressure or an overloaded device can cause as well. They block a model only
  /// after repeated failures.
  private static let uncertain: Set<RollbackReason> = [
    .doesNotLoad, .doesNotPredict, .crashed, .timedOut, .outOfMemory,
  ]

  /// Blocks a failed model on this device, so that not every update fetches it again. The other new releases of its
  /// unit are blocked, too, because they cannot switch without it.
  ///
  /// An error that is not in `reasons`, such as a failed download, blocks nothing. One of the `uncertain` reasons is
  /// recorded as a failed load; it blocks after `HealthPolicy.loadFailures` failed loads.
  func block(
    _ unit: UpdateUnit, _ release: Release, _ variant: Variant, of model: String, _ error: DeliveryError
  ) throws {
    guard let reason = Self.reasons[error.code] else { return }
    if Self.uncertain.contains(reason) {
      let health = records.health(of: model)
      let recorder = health.recorder(of: variant.tree)
      recorder.begin()
      recorder.endLoad(.failed)
      guard health.counts(of: variant.tree).loadFailures >= options.health.loadFailures else { return }
    }
    func block(_ model: String, _ release: Release, _ digest: String, _ message: String) throws {
      let block = ModelBlock(
        reason: reason, message: message, release: release.number, date: options.now(),
        runtimeVersion: options.runtime)
      if try records.health(of: model).block(digest, block) {
        records.log.send(.rolledBack(model: model, release: release.number, reason: reason))
      }
    }
    try block(model, release, variant.tree, error.message)
    for other in unit.offers where other.model != model {
      guard let (release, variant) = other.chosen, variant.tree != other.current?.tree else { continue }
      try block(other.model, release, variant.tree, "it switches together with '\(model)': \(error.message)")
    }
  }
}
