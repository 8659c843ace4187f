import CoreMLRuntime
import Foundation

/// The options of a ``ModelChannel``: what it follows, and how.
public struct ChannelOptions: Sendable {
  /// The publisher's name for the channel, such as `stable`.
  public var channel: String
  /// The URLs that serve the publisher's tree: the folder that contains `channels` and `objects`. The first host with a
  /// valid response is used.
  public var hosts: [URL]
  /// The trust root that shipped with the application: the publisher's `root/1.json`, or a later version.
  public var root: SignedEnvelope
  /// The folders for models, caches and state.
  public var places: DeliveryDirectories
  /// The runtime's version. It affects the choice of releases and the validity of this device's model blocks.
  public var runtimeVersion: String
  /// The models that shipped with the application, by name: `.mlmodelc`, `.mlpackage` or `.mlmodel`. A baseline is used
  /// until a release is installed, and whenever no release works.
  public var baselines: [String: URL] = [:]
  /// The models to follow; nil for all models of the channel and all baselines.
  public var models: Set<String>?
  /// The device properties that select releases; nil for this device.
  public var device: TargetDevice?
  /// The key sources of encrypted models, by name.
  public var keys: [String: ModelKeySource] = [:]
  /// The key source of models without an entry in ``keys``.
  public var key: ModelKeySource?
  /// Makes the configuration for running models and for their trials.
  public var configuration: @Sendable () -> MLModelConfiguration = { MLModelConfiguration() }
  /// The criteria for rolling a new model back and for proving it.
  public var health = HealthPolicy()
  /// The limits on the age of signed documents.
  public var freshness = FreshnessPolicy()
  /// Whether a new model must accept the inputs and produce the outputs of its predecessor, as the calling program
  /// expects them.
  public var keepsInterface = true
  /// Whether to install all arms of experiments, for concurrent use with `prediction(from:options:for:)`.
  public var runsAllArms = false
  /// The number of earlier models to keep once a new one is proven.
  public var keptModels = 0
  /// What happens to models trained on this device (``ModelChannel/personalize(_:continuing:_:)``) when their base
  /// model is replaced, by name. Models without an entry are kept.
  public var rebase: [String: RebasePolicy] = [:]
  /// The approximate interval at which an update verifies all models by reading them; nil for never. Damage that file
  /// metadata reveals is checked for in every update.
  public var verifyInterval: Duration? = .seconds(7 * 86_400)
  /// Whether the next update reads all models, regardless of the interval.
  public var verifiesNow = false
  /// The release number that this device must use, by model, regardless of its rollout. For testing staged releases.
  public var asked: [String: Int] = [:]
  /// How new models are tried before the switch.
  public var trials = TrialPolicy()
  /// The identity of this runtime build.
  var build = RuntimeBuild.identity
  /// The scope of this device's blocks: runtime version and build.
  var runtime: String { "\(runtimeVersion) \(build)" }
  /// The clock.
  public var now: @Sendable () -> Timestamp = { .now }

  func key(of model: String) -> ModelKeySource? { keys[model] ?? key }

  /// Creates options with the required values; all others have defaults.
  public init(channel: String, hosts: [URL], root: SignedEnvelope, places: DeliveryDirectories, runtimeVersion: String)
  {
    self.channel = channel
    self.hosts = hosts
    self.root = root
    self.places = places
    self.runtimeVersion = runtimeVersion
  }
}
