import CoreMLRuntime
import Foundation

/// An atomic switch group: offers for models of a channel that switch in one step.
struct UpdateUnit: Sendable {
  let offers: [ChannelCheck.Offer]

  /// Groups the offers to install into units. Models of one collection belong to one unit; collections that share a
  /// model are merged.
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

  /// The releases to install. For each model the release to use precedes the experiment arms.
  var wanted: [(model: String, release: Release, variant: Variant)] {
    offers.flatMap { offer in
      (offer.chosen.map { [$0] } ?? []).map { (offer.model, $0.release, $0.variant) }
        + offer.arms.map { (offer.model, $0.release, $0.variant) }
    }
  }

  /// Returns the installed state that each model of the unit gets once the items are installed: the release to use (nil
  /// for the baseline) and the experiment arms.
  func releases(
    _ items: [FetchedUnit.Item], activated: Timestamp
  ) -> [String: (current: InstalledRelease?, arms: [InstalledRelease])] {
    var installed: [String: (current: InstalledRelease?, arms: [InstalledRelease])] = [:]
    for offer in offers {
      let releases = items.filter { $0.model == offer.model }.map { item in
        InstalledRelease(
          release: item.release.number, version: item.release.version, variant: item.variant.name,
          tree: item.variant.tree, activated: activated)
      }
      let hasRelease = offer.chosen != nil
      let current = hasRelease ? releases.first : offer.keepsCurrent ? offer.current : nil
      installed[offer.model] = (current, Array(releases.dropFirst(hasRelease ? 1 : 0)))
    }
    return installed
  }
}

extension ChannelCheck.Offer {
  /// The release that the device should use; nil for the baseline.
  var chosen: (release: Release, variant: Variant)? {
    guard case .release(let release, let variant) = choice.outcome else { return nil }
    return (release, variant)
  }
}

/// A unit whose models are in private staging folders or already in the store.
struct FetchedUnit: Sendable {
  struct Item: Sendable {
    let model: String
    let release: Release
    let variant: Variant
    /// The model's path in the staging folder; nil if the store has the model.
    var staged: URL?
    /// The folder that contains the staged model and the golden inputs and outputs.
    let folder: StagingFolder
    var request: ModelInstaller.Request
    let fetch: PayloadFetch
    var isNew: Bool { staged != nil }

    init(
      model: String, release: Release, variant: Variant, folder: StagingFolder, key: ModelKeySource?,
      fetch: PayloadFetch
    ) {
      (self.model, self.release, self.variant, self.folder, self.fetch) = (model, release, variant, folder, fetch)
      request = ModelInstaller.Request()
      (request.expected, request.origin, request.activates) = (variant.tree, .fetched, false)
      request.key = key
      let golden = golden
      request.golden = variant.golden.map { test in
        GoldenFiles(
          inputs: golden.appending(path: test.inputs.path), outputs: golden.appending(path: test.outputs.path),
          absoluteTolerance: test.absoluteTolerance, relativeTolerance: test.relativeTolerance)
      }
    }

    /// The folder of the golden inputs and outputs.
    var golden: URL { folder.url.appending(path: "golden", directoryHint: .isDirectory) }
    /// The folder that contains the staged model.
    var files: URL { folder.url.appending(path: "tree", directoryHint: .isDirectory) }
    /// The path that the model is fetched to.
    var target: URL {
      files.appending(
        path: variant.form.isFile ? TreeDigest.fileName : "model.\(variant.form.rawValue)",
        directoryHint: variant.form.isFile ? .notDirectory : .isDirectory)
    }
  }

  let unit: UpdateUnit
  let items: [Item]
}

/// Why a unit cannot be installed.
struct UnitFailure: Error {
  let model: String
  /// The release and variant that failed.
  let release: Release?
  let variant: Variant?
  let error: DeliveryError

  init(model: String, release: Release, variant: Variant, _ error: any Error) {
    (self.model, self.release, self.variant) = (model, release, variant)
    self.error = error as? DeliveryError ?? DeliveryError(.doesNotLoad, "\(error)")
  }
}

/// A unit whose models were compiled, tried and stored, up to the first failure.
struct TriedUnit: Sendable {
  let unit: UpdateUnit
  var items: [FetchedUnit.Item] = []
  /// Keep the models in the store until the switch.
  var leases: [ModelLease] = []
  var failure: UnitFailure?
}
