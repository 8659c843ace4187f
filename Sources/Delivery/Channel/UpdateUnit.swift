import CoreMLRuntime
import Foundation

/// Models of a channel that switch together.
struct UpdateUnit: Sendable {
  let offers: [ChannelCheck.Offer]

  /// What is to be installed, in groups that switch together.
  static func all(of check: ChannelCheck) -> [UpdateUnit] {
    var rest = check.offers.filter(\.isUpdate)
    var units: [UpdateUnit] = []
    while let first = rest.first {
      var names: Set<String> = [first.model]
      while true {
        let more = check.manifest.collections.values.filter { !names.isDisjoint(with: $0) }.flatMap { $0 }
        if names.isSuperset(of: more) { break }
        names.formUnion(more)
      }
      units.append(UpdateUnit(offers: rest.filter { names.contains($0.model) }))
      rest.removeAll { names.contains($0.model) }
    }
    return units
  }

  /// The releases that devices are to have, the one to be used before the arms of an experiment.
  var wanted: [(model: String, release: Release, variant: Variant)] {
    offers.flatMap { offer in
      (offer.chosen.map { [$0] } ?? []).map { (offer.model, $0.release, $0.variant) }
        + offer.arms.map { (offer.model, $0.release, $0.variant) }
    }
  }

  /// What the device is to stand at with the items installed, by model.
  func standing(
    _ items: [FetchedUnit.Item], activated: Timestamp
  ) -> [String: (current: InstalledRelease?, arms: [InstalledRelease])] {
    var standing: [String: (current: InstalledRelease?, arms: [InstalledRelease])] = [:]
    for offer in offers {
      let releases = items.filter { $0.model == offer.model }.map { item in
        InstalledRelease(
          release: item.release.number, version: item.release.version, variant: item.variant.name,
          tree: item.variant.tree, activated: activated)
      }
      let hasRelease = offer.chosen != nil
      let current = hasRelease ? releases.first : offer.keepsCurrent ? offer.current : nil
      standing[offer.model] = (current, Array(releases.dropFirst(hasRelease ? 1 : 0)))
    }
    return standing
  }
}

extension ChannelCheck.Offer {
  /// The release that the device is to use; nil for what came with the software.
  var chosen: (release: Release, variant: Variant)? {
    guard case .release(let release, let variant) = choice.outcome else { return nil }
    return (release, variant)
  }
}

/// A unit whose models are here, in private folders or in the store.
struct FetchedUnit: Sendable {
  struct Item: Sendable {
    let model: String
    let release: Release
    let variant: Variant
    /// Where the model stands; nil where the store has it.
    var staged: URL?
    /// What holds it, and the golden inputs.
    let folder: StagingFolder
    var request: ModelInstaller.Request
    let fetch: PayloadFetch
    var isNew: Bool { staged != nil }
  }

  let unit: UpdateUnit
  let items: [Item]
}

/// Why a unit cannot be installed.
struct UnitFailure: Error {
  let model: String
  /// What was to be installed then.
  let release: Release?
  let variant: Variant?
  let error: DeliveryError

  init(model: String, release: Release, variant: Variant, _ error: any Error) {
    (self.model, self.release, self.variant) = (model, release, variant)
    self.error = error as? DeliveryError ?? DeliveryError(.doesNotLoad, "\(error)")
  }
}

/// A unit whose models are in the store, compiled and tried; or why they are not.
struct TriedUnit: Sendable {
  let unit: UpdateUnit
  var items: [FetchedUnit.Item] = []
  /// Keep the models in the store until they are switched to.
  var leases: [ModelLease] = []
  var failure: UnitFailure?
}
