import CoreMLRuntime
import Foundation

extension ModelChannel {
  /// Returns the newest model trained on this device for a name, whether or not it is in use.
  public nonisolated func personalModel(_ model: String) throws -> PersonalModel? {
    try core.personals.record(of: core.name(of: model)).models.first
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
    let standing = core.standing()
    if continuing, let before = core.personalised(model, standing).first {
      return try await self.train(model, from: .personal(before), base: before.base, release: before.release, train)
    }
    guard let base = try core.base(of: model, standing) else {
      throw DeliveryError(.notOffered, "no model '\(model)' is here to be personalised")
    }
    return try await self.train(
      model, from: base.version, base: base.tree, release: base.version.release?.release, train)
  }

  /// Removes all models trained on this device for a name permanently. The publisher's model is used again.
  ///
  /// - Throws: ``DeliveryError`` `notPersonalised`.
  public func forgetPersonalModel(_ model: String) throws {
    let name = core.name(of: model)
    guard try !core.personals.record(of: name).models.isEmpty else {
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
    for model in Set(core.standing().models.keys).union(core.options.baselines.keys).sorted() {
      do { try await rebase(model) } catch is CancellationError { throw CancellationError() } catch {
        core.tell(error, model: model)
      }
    }
  }

  private func rebase(_ model: String) async throws {
    let (name, standing, policy) = (core.name(of: model), core.standing(), core.options.rebase[model] ?? .keep)
    guard let newest = try core.personals.record(of: name).models.first, let base = try core.base(of: model, standing),
      newest.base != base.tree
    else { return }
    switch policy {
    case .keep: return
    case .discard:
      guard let release = base.version.release, core.files.book(of: model).isProven(release.tree) else { return }
      try discard(model)
    case .retrain(let train):
      // If another process holds the lock, it does the same work. Where file locks do not work, both processes train,
      // and the later result replaces the earlier one.
      let lock = FileLock(core.store.staging.appending(path: "retrain-\(name).lock"), patience: 0)
      defer { withExtendedLifetime(lock) {} }
      guard !lock.isElsewhere, try core.personals.record(of: name).models.first?.base != base.tree,
        try core.personals.beginAttempt(of: name, on: base.tree)
      else { return }
      do {
        _ = try await self.train(
          model, from: base.version, base: base.tree, release: base.version.release?.release, train)
      } catch is CancellationError {
        try core.personals.forgetAttempt(of: name)
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
    let (url, leases) = try core.place(model, start)
    defer { withExtendedLifetime(leases) {} }
    let folder = try core.store.stagingFolder()
    let target = folder.url.appending(path: "personal.mlmodelc", directoryHint: .isDirectory)
    try await train(url, target)
    try Task.checkCancellation()
    try core.requireInterface(of: target, fits: url)
    let made = try core.personals.adopt(
      target, as: core.name(of: model), base: base, release: release, core.installer, now: core.options.now())
    core.events.tell(.personalised(model: model, release: release))
    core.refresh([model])
    return made
  }

  private func discard(_ model: String) throws {
    let name = core.name(of: model)
    let trees = try core.personals.record(of: name).models.map(\.tree)
    try core.personals.remove(name)
    core.events.tell(.personalDiscarded(model: model))
    core.refresh([model])
    // Dropped again, because this process stops predicting with the models only after the refresh.
    try core.personals.drop(trees)
  }
}

extension ChannelCore {
  /// - Throws: ``DeliveryError`` `otherInterface`; `doesNotLoad` if the training wrote no loadable model.
  fileprivate func requireInterface(of trained: URL, fits start: URL) throws {
    guard options.keepsInterface else { return }
    let old = try MLModel(contentsOf: start, configuration: options.configuration()).modelDescription
    let new: MLModelDescription
    do { new = try MLModel(contentsOf: trained, configuration: options.configuration()).modelDescription } catch {
      throw DeliveryError(.doesNotLoad, "the trained model cannot be loaded: \(error)", file: trained.path)
    }
    try InterfaceCheck.require(new, fits: old)
  }
}
