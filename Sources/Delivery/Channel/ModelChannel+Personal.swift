import CoreMLRuntime
import Foundation

extension ModelChannel {
  /// Returns the newest model trained on this device for a name, whether or not it is in use.
  public nonisolated func personalModel(_ model: String) throws -> PersonalModel? {
    try core.personal.record(of: model).models.first
  }

  /// Trains a model on this device; later predictions use it. The previous model is kept until the new one is proven,
  /// and returns if the new one is found faulty.
  ///
  /// - Parameters:
  ///   - continuing: starts from the personalised model in use, if there is one, instead of the publisher's model.
  ///   - train: reads the model at the first URL and writes the trained model to the second.
  /// - Throws: ``DeliveryError``, and the errors of `train`; the previous models then stay in use.
  @discardableResult
  public func personalize(
    _ model: String, continuing: Bool = true, _ train: @escaping Personalisation
  ) async throws -> PersonalModel {
    let state = core.records.installedState()
    if continuing, let before = core.personal.usable(model, state).first {
      return try await self.train(model, from: .personal(before), base: before.base, release: before.release, train)
    }
    guard let base = try core.personal.base(of: model, state) else {
      throw DeliveryError(.notOffered, "no model '\(model)' is here to be personalised")
    }
    return try await self.train(
      model, from: base.version, base: base.tree, release: base.version.release?.release, train)
  }

  /// Removes all models trained on this device for a name permanently. The publisher's model is used again.
  ///
  /// - Throws: ``DeliveryError`` `notPersonalised`.
  public func forgetPersonalModel(_ model: String) throws {
    guard try !core.personal.record(of: model).models.isEmpty else {
      throw DeliveryError(.notPersonalised, "nothing was trained on this device for '\(model)'")
    }
    try discard(model)
  }

  /// Applies ``ChannelOptions/rebase`` to personalised models whose base model has been replaced.
  ///
  /// Failures are reported as events and change nothing. ``update()`` calls this method at its end. A program whose
  /// baselines have changed can call it without network access.
  ///
  /// - Throws: `CancellationError`.
  public func rebase() async throws {
    for model in Set(core.records.installedState().models.keys).union(core.options.baselines.keys).sorted() {
      do { try await rebase(model) } catch is CancellationError { throw CancellationError() } catch {
        core.log.report(error, model: model)
      }
    }
  }

  private func rebase(_ model: String) async throws {
    let (state, policy) = (core.records.installedState(), core.options.rebase[model] ?? .keep)
    guard let newest = try core.personal.record(of: model).models.first,
      let base = try core.personal.base(of: model, state),
      newest.base != base.tree
    else { return }
    switch policy {
    case .keep: return
    case .discard:
      guard let release = base.version.release, core.records.health(of: model).isProven(release.tree) else { return }
      try discard(model)
    case .retrain(let train):
      let name = core.records.storeName(of: model)
      // If another process holds the lock, it does the same work. Where file locks do not work, both processes train,
      // and the later result replaces the earlier one.
      let lock = FileLock(core.store.staging.appending(path: "retrain-\(name).lock"), patience: 0)
      defer { withExtendedLifetime(lock) {} }
      guard !lock.isElsewhere, try core.personal.record(of: model).models.first?.base != base.tree,
        try core.personal.models.beginAttempt(of: name, on: base.tree)
      else { return }
      do {
        _ = try await self.train(
          model, from: base.version, base: base.tree, release: base.version.release?.release, train)
      } catch is CancellationError {
        try core.personal.models.forgetAttempt(of: name)
        throw CancellationError()
      } catch {
        throw DeliveryError(
          .retrainingFailed,
          "'\(model)' cannot be trained on \(base.version); the one before stays in use: \(error)")
      }
    }
  }

  private func train(
    _ model: String, from start: ModelVersion, base: String, release: Int?, _ train: Personalisation
  ) async throws -> PersonalModel {
    let (url, leases) = try core.loading.locate(model, start)
    defer { withExtendedLifetime(leases) {} }
    let folder = try core.store.stagingFolder()
    let target = folder.url.appending(path: "personal.mlmodelc", directoryHint: .isDirectory)
    try await train(url, target)
    try Task.checkCancellation()
    if core.options.keepsInterface {
      try InterfaceCheck.require(trained: target, fits: url, core.options.configuration)
    }
    let made = try core.personal.models.adopt(
      target, as: core.records.storeName(of: model), base: base, release: release, core.installer,
      now: core.options.now())
    core.log.send(.personalised(model: model, release: release))
    core.openModels.refresh([model])
    return made
  }

  private func discard(_ model: String) throws {
    let digests = try core.personal.record(of: model).models.map(\.tree)
    try core.personal.models.remove(core.records.storeName(of: model))
    core.log.send(.personalDiscarded(model: model))
    core.openModels.refresh([model])
    // Dropped again, because this process stops predicting with the models only after the refresh.
    try core.personal.models.drop(digests)
  }
}
