import Foundation

/// The result of a check.
public struct ChannelCheck: Sendable {
  /// The manifest's offer for one model on this device.
  public struct Offer: Sendable {
    /// The name of the model in the channel.
    public let model: String
    /// The release or baseline that the manifest selects for this device, with the reasons against the others.
    public let choice: ReleaseChoice
    /// The release in use on this device; nil for the baseline.
    public let current: InstalledRelease?
    /// Whether a release must be fetched or switched to.
    public let isUpdate: Bool
    /// The experiment arms to install in addition.
    let arms: [(release: Release, variant: Variant)]
    /// Whether the device keeps its release although the manifest selects none, because it has no other model.
    let keepsCurrent: Bool
  }

  /// The accepted manifest.
  public let manifest: ReleaseManifest
  /// Whether the manifest differs from that of the previous check.
  public let isNew: Bool
  /// Warnings about the accepted manifest.
  public let warnings: [DeliveryWarning]
  /// The offers, sorted by model name.
  public let offers: [Offer]
  /// The errors for models followed by name that the channel does not have; installed models stay in use.
  public let missing: [String: DeliveryError]
  /// The models that left a release because the publisher withdrew it, blocked it or used a kill switch.
  public let switches: [ChannelUpdate.Switch]
  /// Whether a release of any model must be fetched or switched to.
  public var hasUpdates: Bool { offers.contains(where: \.isUpdate) }
}

/// The result of an update.
public struct ChannelUpdate: Sendable {
  /// A model whose later predictions use another release.
  public struct Switch: Sendable, Hashable {
    /// The name of the model in the channel.
    public let model: String
    /// The release before the switch; nil for the baseline.
    public let from: InstalledRelease?
    /// The release after the switch; nil for the baseline.
    public let to: InstalledRelease?
  }

  /// The result of the check that began the update.
  public let check: ChannelCheck
  /// The models that were switched.
  public internal(set) var switches: [Switch] = []
  /// The errors of models that could not be installed, by name; the previous models stay in use.
  public internal(set) var failures: [String: DeliveryError] = [:]

  /// Adds switches. Two switches of one model are merged into one.
  mutating func add(_ more: [Switch]) {
    for new in more {
      if let index = switches.firstIndex(where: { $0.model == new.model }) {
        switches[index] = Switch(model: new.model, from: switches[index].from, to: new.to)
      } else {
        switches.append(new)
      }
    }
  }
}
