import Foundation

/// Requests of the caller for certain models (by name) and releases (by number).
extension ChannelCore {
  /// Checks that this device can use the releases that ``ChannelOptions/asked`` names.
  ///
  /// - Throws: ``DeliveryError`` `noSuchRelease`; the caller must then not switch anything.
  func requireAsked(_ manifest: ReleaseManifest, _ offers: [ChannelCheck.Offer]) throws {
    for (model, number) in options.asked.sorted(by: { $0.key < $1.key }) {
      guard let record = manifest.models[model], let offer = offers.first(where: { $0.model == model }) else {
        throw DeliveryError(
          .noSuchRelease, "release \(number) of '\(model.prefix(64))' is asked for: \(absent(model, manifest))")
      }
      if case .release = offer.choice.outcome { continue }
      guard record.releases.contains(where: { $0.number == number }) else {
        let known = record.releases.map { "\($0.number)" }
        let list = known.isEmpty ? "it has none" : "it has \(known.suffix(20).joined(separator: ", "))"
        throw DeliveryError(.noSuchRelease, "the channel has no release \(number) of '\(model)' (\(list))")
      }
      let reasons = offer.choice.verdicts.filter { $0.release == number || $0.release == nil }.map(\.sentence)
      throw DeliveryError(
        .noSuchRelease, "release \(number) of '\(model)' cannot be used here: \(reasons.joined(separator: "; "))")
    }
  }

  /// Returns the errors for models that are followed by name, but are neither in the channel nor available as a
  /// baseline.
  func missing(_ manifest: ReleaseManifest) -> [String: DeliveryError] {
    let names = (options.models ?? []).filter { manifest.models[$0] == nil && !hasBaseline($0) }
    return Dictionary(uniqueKeysWithValues: names.map { ($0, DeliveryError(.notOffered, absent($0, manifest))) })
  }

  private func absent(_ model: String, _ manifest: ReleaseManifest) -> String {
    if manifest.models[model] != nil { return "this device does not follow the model" }
    let known = manifest.models.keys.sorted()
    let list = known.isEmpty ? "it has none" : "it has \(known.prefix(20).joined(separator: ", "))"
    return "the channel has no model '\(model.prefix(64))' (\(list))"
  }

  /// Returns the models of the channel that have an installed state or a baseline on this device.
  func knownModels() throws -> Set<String> {
    Set(try files.standing().models.keys).union(options.baselines.keys)
  }

  /// - Throws: ``DeliveryError`` `notOffered` if no model has this name.
  func requireKnown(_ model: String, among known: Set<String>) throws {
    guard !known.contains(model) else { return }
    let names = known.isEmpty ? "no models are here" : "here are: \(known.sorted().joined(separator: ", "))"
    throw DeliveryError(
      .notOffered, "'\(repository):\(options.channel)' has no model '\(model.prefix(64))' on this device (\(names))")
  }
}
