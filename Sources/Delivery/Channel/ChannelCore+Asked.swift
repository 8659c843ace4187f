import Foundation

/// What this device, or its user, asks of a channel by name and number.
extension ChannelCore {
  /// Makes sure that the channel can give what this device is told to use.
  ///
  /// - Throws: ``DeliveryError`` `noSuchRelease`; nothing is to be switched then.
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

  /// Why there is nothing for a model that this device follows by name; nil where there is something.
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

  /// The models of the channel that this device knows, installed or not.
  func knownModels() throws -> Set<String> {
    Set(try files.standing().models.keys).union(options.baselines.keys)
  }

  /// - Throws: ``DeliveryError`` `notOffered` for a name that is no model's.
  func requireKnown(_ model: String, among known: Set<String>) throws {
    guard !known.contains(model) else { return }
    let names = known.isEmpty ? "no models are here" : "here are: \(known.sorted().joined(separator: ", "))"
    throw DeliveryError(
      .notOffered, "'\(repository):\(options.channel)' has no model '\(model.prefix(64))' on this device (\(names))")
  }
}
