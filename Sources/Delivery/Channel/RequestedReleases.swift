import Foundation

/// Requests of the caller for certain models (by name) and releases (by number).
struct RequestedReleases {
  let records: ChannelRecords
  let manifest: ReleaseManifest

  /// Checks that this device can use the releases that ``ChannelOptions/asked`` names.
  ///
  /// - Throws: ``DeliveryError`` `noSuchRelease`; the caller must then not switch anything.
  func require(_ offers: [ChannelCheck.Offer]) throws {
    for (model, number) in records.options.asked.sorted(by: { $0.key < $1.key }) {
      guard let record = manifest.models[model], let offer = offers.first(where: { $0.model == model }) else {
        throw DeliveryError(
          .noSuchRelease, "release \(number) of '\(model.prefix(64))' is asked for: \(absent(model))")
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
  func missing() -> [String: DeliveryError] {
    let names = (records.options.models ?? []).filter { manifest.models[$0] == nil && !records.hasBaseline($0) }
    return Dictionary(uniqueKeysWithValues: names.map { ($0, DeliveryError(.notOffered, absent($0))) })
  }

  private func absent(_ model: String) -> String {
    if manifest.models[model] != nil { return "this device does not follow the model" }
    let known = manifest.models.keys.sorted()
    let list = known.isEmpty ? "it has none" : "it has \(known.prefix(20).joined(separator: ", "))"
    return "the channel has no model '\(model.prefix(64))' (\(list))"
  }
}
