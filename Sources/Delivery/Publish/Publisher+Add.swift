import CoreMLRuntime
import Foundation

extension Publisher {
  /// A model to add to a channel.
  public struct Addition: Sendable {
    /// The name of the model. It may contain letters, digits, `.`, `-` and `_`.
    public var model: String
    /// The version string shown to users.
    public var version: String
    /// The path of a `.mlmodel`, `.mlpackage` or `.mlmodelc`, or of an encrypted model.
    public var source: URL
    /// The name of the variant, with the same characters as `model`.
    public var variant = "default"
    /// The requirements on devices that use this variant.
    public var requirements = Requirements()
    /// Release notes for users.
    public var notes: String?
    /// Whether devices install the release without waiting for an idle period.
    public var critical = false
    /// Golden inputs with their expected outputs, each a `.npz` or `.json` file.
    public var golden: [(inputs: URL, outputs: URL)] = []
    /// The absolute tolerance of the outputs; see ``GoldenTest/absoluteTolerance``.
    public var absoluteTolerance = 1e-3
    /// The relative tolerance of the outputs, as a fraction of the expected value: 0.01 is 1 percent.
    public var relativeTolerance = 1e-2
    /// The key of an encrypted model, used for the trial. It is not published; devices obtain their key elsewhere.
    public var key: ModelKeySource?
    /// The number of earlier variants with this name and form to make deltas from.
    public var deltas = 2
    /// Whether the model is compiled, loaded and tried before it is added. Set it to false for a model that this
    /// machine cannot run.
    public var isTried = true
    /// The limits and conditions of the trial.
    public var trials = TrialPolicy()
    /// Makes the configuration for the trial.
    public var configuration: @Sendable () -> MLModelConfiguration = { MLModelConfiguration() }

    /// Creates an addition with defaults for all other properties.
    public init(model: String, version: String, source: URL) {
      self.model = model
      self.version = version
      self.source = source
    }
  }

  /// Adds a model as a staged release after a trial in a separate process.
  ///
  /// If the newest release is staged and has the same version, the model is added to it as another variant. Files that
  /// nothing in the model refers to are left out.
  ///
  /// - Returns: the release and the variant in the draft.
  /// - Throws: ``DeliveryError``, also if the model fails its trial.
  public func add(_ addition: Addition, to channel: String) throws -> (release: Release, variant: Variant) {
    guard ReleaseName.isValid(addition.model), ReleaseName.isValid(addition.variant) else {
      throw DeliveryError(
        .cannotPublish,
        "'\(addition.model)' / '\(addition.variant)' cannot be the names of a model and a variant: letters, digits, '.', '-', '_'"
      )
    }
    let added = try AddedVariant(addition, files)
    let variant = try added.variant(after: draft(channel).models[addition.model]?.releases ?? [])
    return try edit(channel) { (try $0.add(variant, addition, now: now), variant) }
  }
}
