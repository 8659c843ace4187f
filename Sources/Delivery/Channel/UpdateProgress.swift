import Foundation

/// What an update has achieved so far.
struct UpdateProgress: Sendable {
  let core: ChannelCore
  var update: ChannelUpdate
  /// Units that exceeded their share of memory or were killed. They must be tried alone.
  var later: [UpdateUnit] = []
  /// The error that stops further trials.
  var failure: (any Error)?

  init(core: ChannelCore, update: ChannelUpdate) { (self.core, self.update) = (core, update) }

  /// - Parameter isShared: whether other trials ran concurrently.
  mutating func take(_ result: Result<TriedUnit, any Error>, isShared: Bool) {
    do {
      let tried = try result.get()
      if isShared, let error = tried.failure?.error, [.trialOutOfMemory, .trialKilled].contains(error.code) {
        later.append(tried.unit)
      } else {
        try finish(tried)
      }
    } catch {
      failure = failure ?? error
    }
  }

  /// Switches to a unit that passed its trials; otherwise blocks the unit and reports its failure.
  mutating func finish(_ tried: TriedUnit) throws {
    if let failure = tried.failure {
      if let release = failure.release, let variant = failure.variant {
        try UnitBlocks(records: core.records).block(tried.unit, release, variant, of: failure.model, failure.error)
      }
      for offer in tried.unit.offers { update.failures[offer.model] = failure.error }
      core.log.report(failure.error, model: failure.model)
      return
    }
    for item in tried.items where item.isNew {
      item.fetch.discard(item.variant)
      core.log.send(.installed(model: item.model, release: item.release.number))
    }
    defer { withExtendedLifetime(tried.leases) {} }
    do {
      let releases = tried.unit.releases(tried.items, activated: core.options.now())
      update.add(try core.releaseSwitch.switchModels(to: releases))
    } catch {
      let failure = error as? DeliveryError ?? DeliveryError(.unwritable, "\(error)")
      for offer in tried.unit.offers { update.failures[offer.model] = failure }
      core.log.report(failure, model: tried.unit.offers.first?.model)
    }
  }
}
