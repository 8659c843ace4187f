import Foundation

/// All that a channel offers, in one signed document: which releases of which models there are, who is to get them, and every byte of
/// them by its digest. There is no second document to mix it with.
public struct ReleaseManifest: Sendable, Equatable, Codable {
  /// A reason to use the models that came with the software, and nothing from the channel.
  public struct KillSwitch: Sendable, Equatable, Codable {
    /// Why, for people.
    public var reason: String
    /// A kill switch for a reason.
    public init(reason: String) { self.reason = reason }
  }

  /// The name of the repository that the channel is of.
  public var repository: String
  /// The name of the channel.
  public var channel: String
  /// Grows by at least one each time the channel is signed anew.
  public var version: Int
  /// When it was signed.
  public var created: Timestamp
  /// After this, somebody may be keeping newer manifests from the device.
  public var expires: Timestamp
  /// By name.
  public var models: [String: ModelRecord]
  /// Models that switch together, by the collection's name.
  public var collections: [String: [String]]
  /// Trees that must not be used, also where they are installed, with the reason: by ``TreeDigest``'s text.
  public var blocked: [String: String]
  /// For all models.
  public var killSwitch: KillSwitch?

  /// A manifest as a publisher writes it; nothing is checked here.
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

  /// The digests of all objects that the manifest speaks of.
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

/// What a channel offers of one model.
public struct ModelRecord: Sendable, Equatable, Codable {
  /// By their numbers, ascending.
  public var releases: [Release]
  /// The number of a release that every device must run, whatever the rollouts say.
  public var forced: Int?
  /// Releases that devices are divided among; nil: the rollouts decide.
  public var experiment: Experiment?
  /// Why the publisher has switched the model off: devices use what came with the software; nil: it is not.
  public var killSwitch: ReleaseManifest.KillSwitch?

  /// A record of releases; with none, devices use what came with the software.
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

/// Releases side by side: each device belongs to one arm, always the same.
public struct Experiment: Sendable, Equatable, Codable {
  /// A release that takes part, and its share of the devices.
  public struct Arm: Sendable, Equatable, Codable {
    /// Which side of the comparison a release is on.
    public enum Role: String, Sendable, Codable {
      /// What the others are compared with.
      case champion
      /// What is to prove better.
      case challenger
    }
    /// Which part the release has in the comparison.
    public var role: Role
    /// The number of the release.
    public var release: Int
    /// The arm's share is its weight in the sum of all; more than 0.
    public var weight: Double

    /// An arm for the release of a number.
    public init(role: Role, release: Int, weight: Double) {
      self.role = role
      self.release = release
      self.weight = weight
    }
  }

  /// What the assignment is computed from, with the device's identifier.
  public var id: String
  /// The releases that are compared.
  public var arms: [Arm]

  /// An experiment with its arms, in the order in which devices are assigned to them.
  public init(id: String, arms: [Arm]) {
    self.id = id
    self.arms = arms
  }
}

/// One published state of a model.
public struct Release: Sendable, Equatable, Codable {
  /// How far a release is given out.
  public enum State: String, Sendable, Codable, CaseIterable {
    /// Uploaded; only devices that are told its number get it.
    case staged
    /// Given out as its rollout says.
    case active
    /// Those who have it keep it; nobody else gets it.
    case paused
    /// Taken back: those who have it leave it.
    case withdrawn
  }

  /// Orders the releases of a model; a number is never given twice.
  public var number: Int
  /// For people.
  public var version: String
  /// Who may get it.
  public var state: State
  /// How many devices get it while it is active.
  public var rollout: Rollout
  /// When it was added to the channel.
  public var created: Timestamp
  /// Do not wait for a quiet moment to install it.
  public var critical: Bool
  /// What people are told about it.
  public var notes: String?
  /// The publisher's order of preference.
  public var variants: [Variant]

  /// A release as a manifest states it.
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
