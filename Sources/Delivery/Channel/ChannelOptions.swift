import CoreMLRuntime
import Foundation

/// What a ``ModelChannel`` follows, and how.
public struct ChannelOptions: Sendable {
  /// The name of the channel at its publisher, such as `stable`.
  public var channel: String
  /// Where the publisher's tree is served: the folder that holds `channels` and `objects`. The first that answers well is used.
  public var hosts: [URL]
  /// The trust root that came with the software: the publisher's `root/1.json`, or a later one.
  public var root: SignedEnvelope
  /// Where models, caches and states are kept.
  public var places: DeliveryDirectories
  /// The version of the runtime: releases are chosen by it, and what is remembered of a model on this device depends on it.
  public var runtimeVersion: String
  /// The models that came with the software, by name: `.mlmodelc`, `.mlpackage` or `.mlmodel`. Used until something better is installed,
  /// and whenever nothing else works.
  public var baselines: [String: URL] = [:]
  /// The models to follow; nil: all of the channel's, and those that came with the software.
  public var models: Set<String>?
  /// What releases are chosen by; nil: this machine.
  public var device: TargetDevice?
  /// Where the keys of encrypted models are had from, by name.
  public var keys: [String: ModelKeySource] = [:]
  /// The same for models that ``keys`` does not name.
  public var key: ModelKeySource?
  /// How models are run, and what they are tried with.
  public var configuration: @Sendable () -> MLModelConfiguration = { MLModelConfiguration() }
  /// When a new model is taken back, and when it is trusted.
  public var health = HealthPolicy()
  /// How long signed documents are believed.
  public var freshness = FreshnessPolicy()
  /// Whether a new model must take the inputs and give the outputs of the one before it: the program that calls it knows no others.
  public var keepsInterface = true
  /// Whether all arms of experiments are installed, to be used side by side (`prediction(from:options:for:)`).
  public var runsAllArms = false
  /// Earlier models that are kept once a new one has proved itself.
  public var keptModels = 0
  /// What becomes of models that were trained on this device (``ModelChannel/personalize(_:continuing:_:)``) when those that they were
  /// trained from give way to others, by name; what is not named is kept.
  public var rebase: [String: RebasePolicy] = [:]
  /// How often an update reads all models again, about; nil for never. What the file system tells of damage is looked at each time.
  public var verifyInterval: Duration? = .seconds(7 * 86_400)
  /// Whether the next update reads them.
  public var verifiesNow = false
  /// The number of a release that this device is told to use, by model, whatever its rollout: how staged releases are tried.
  public var asked: [String: Int] = [:]
  /// How new models are tried before they are switched to.
  public var trials = TrialPolicy()
  /// Which build of the runtime runs here.
  var build = RuntimeBuild.identity
  /// What blocks hold for: the version, and which build of it.
  var runtime: String { "\(runtimeVersion) \(build)" }
  /// What time it is.
  public var now: @Sendable () -> Timestamp = { .now }

  func key(of model: String) -> ModelKeySource? { keys[model] ?? key }

  /// Options with what every channel needs; all else has defaults.
  public init(channel: String, hosts: [URL], root: SignedEnvelope, places: DeliveryDirectories, runtimeVersion: String)
  {
    self.channel = channel
    self.hosts = hosts
    self.root = root
    self.places = places
    self.runtimeVersion = runtimeVersion
  }
}
