import Foundation

/// The complete, signed content of a channel: its models and releases, who gets them, and the digests of all their
/// bytes.
///
/// A single document holds everything, so an attacker cannot combine parts of different publications.
public struct ReleaseManifest: Sendable, Equatable, Codable {
  /// Makes devices use the baselines that shipped with the application instead of the channel's releases.
  public struct KillSwitch: Sendable, Equatable, Codable {
    /// A readable reason.
    public var reason: String
    /// Creates a kill switch.
    public init(reason: String) { self.reason = reason }
  }

  /// The name of the repository that the channel belongs to.
  public var repository: String
  /// The name of the channel.
  public var channel: String
  /// Increases with each signed manifest of the channel.
  public var version: Int
  /// When it was signed.
  public var created: Timestamp
  /// After this time, a host may be withholding newer manifests from the device.
  public var expires: Timestamp
  /// The models, by name.
  public var models: [String: ModelRecord]
  /// Models that switch together, by the collection's name.
  public var collections: [String: [String]]
  /// The trees that must not be used even if they are installed, with the reasons. The keys are ``TreeDigest`` digests.
  public var blocked: [String: String]
  /// The kill switch of all models; nil if it is off.
  public var killSwitch: KillSwitch?

  /// Creates a manifest without validating it.
  public init(
    repository: String, channel: String, version: Int, created: Timestamp, expires: Timestamp,
    models: [String: ModelRecord] = [:], collections: [String: [String]] = [:], blocked: [String: String] = [:],
    killSwitch: KillSwitch? = nil
  ) {
    self.repository = repository
    self.channel = channel
    self.version = version
    self.created = created
    self.expires = expires
    self.models = models
    self.collections = collections
    self.blocked = blocked
    self.killSwitch = killSwitch
  }

  /// The digests of all objects that the manifest refers to.
  public var objects: Set<String> {
    var digests: Set<String> = []
    for release in models.values.flatMap(\.releases) {
      for variant in release.variants {
        let files = variant.files + variant.golden.flatMap { [$0.inputs, $0.outputs] } + variant.deltas.map(\.payload)
        for file in files { digests.formUnion(file.encodings.map(\.object)) }
      }
    }
    return digests
  }
}

/// A channel's releases of one model.
public struct ModelRecord: Sendable, Equatable, Codable {
  /// The releases, by ascending number.
  public var releases: [Release]
  /// The number of a release that every device must use, regardless of rollouts.
  public var forced: Int?
  /// An experiment that assigns releases to devices; nil if the rollouts decide.
  public var experiment: Experiment?
  /// The kill switch of this model; nil if it is off.
  public var killSwitch: ReleaseManifest.KillSwitch?

  /// Creates a record. Without releases, devices use the baseline.
  public init(
    releases: [Release] = [], forced: Int? = nil, experiment: Experiment? = nil,
    killSwitch: ReleaseManifest.KillSwitch? = nil
  ) {
    self.releases = releases
    self.forced = forced
    self.experiment = experiment
    self.killSwitch = killSwitch
  }
}

/// A comparison of releases. Each device always belongs to the same arm.
public struct Experiment: Sendable, Equatable, Codable {
  /// A release in the experiment, and its share of the devices.
  public struct Arm: Sendable, Equatable, Codable {
    /// The role of a release in the comparison.
    public enum Role: String, Sendable, Codable {
      /// The reference that challengers are compared with.
      case champion
      /// A candidate to replace the champion.
      case challenger
    }
    /// The role of the release in the comparison.
    public var role: Role
    /// The number of the release.
    public var release: Int
    /// The weight of the arm, above 0. The arm's share of devices is its weight divided by the sum of all weights.
    public var weight: Double

    /// Creates an arm for a release.
    public init(role: Role, release: Int, weight: Double) {
      self.role = role
      self.release = release
      self.weight = weight
    }
  }

  /// The input of the assignment, together with the device's identifier.
  public var id: String
  /// The compared releases.
  public var arms: [Arm]

  /// Creates an experiment. The order of the arms affects the assignment of devices.
  public init(id: String, arms: [Arm]) {
    self.id = id
    self.arms = arms
  }
}

/// A published version of a model.
public struct Release: Sendable, Equatable, Codable {
  /// The distribution state of a release.
  public enum State: String, Sendable, Codable, CaseIterable {
    /// Uploaded; only devices that request its number get it.
    case staged
    /// Distributed according to its rollout.
    case active
    /// Devices that have it keep it; no other device gets it.
    case paused
    /// Withdrawn: devices that have it leave it.
    case withdrawn
  }

  /// Orders the releases of a model; numbers are never reused.
  public var number: Int
  /// The version string shown to users.
  public var version: String
  /// The distribution state.
  public var state: State
  /// The share of devices that get the release while it is active.
  public var rollout: Rollout
  /// When it was added to the channel.
  public var created: Timestamp
  /// Whether devices install the release without waiting for an idle period.
  public var critical: Bool
  /// Release notes for users.
  public var notes: String?
  /// The variants, in the publisher's order of preference.
  public var variants: [Variant]

  /// Creates a release.
  public init(
    number: Int, version: String, state: State, rollout: Rollout, created: Timestamp, critical: Bool = false,
    notes: String? = nil, variants: [Variant]
  ) {
    self.number = number
    self.version = version
    self.state = state
    self.rollout = rollout
    self.created = created
    self.critical = critical
    self.notes = notes
    self.variants = variants
  }
}
