import CoreMLRuntime
import CoreMLSpec
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
    let (form, specification) = try Self.examine(addition.source)
    let known = try draft(channel)
    let work = folder.appending(path: "work-\(UUID().uuidString)", directoryHint: .isDirectory)
    try DeliveryDirectories.makeFolder(work)
    defer { try? FileManager.default.removeItem(at: work) }
    let copy = try stage(addition.source, form, in: work)
    var addition = addition
    addition.golden = try stage(addition.golden, in: work)
    try tryOut(copy, form, addition, in: work)
    let shipping = Shipping(publisher: self, known: try knownFiles())
    let files = try shipping.ship(tree: copy)
    var requirements = addition.requirements
    if requirements.specificationVersion == nil { requirements.specificationVersion = specification }
    var variant = Variant(
      name: addition.variant, form: form, requirements: requirements, files: files.map(\.shipped))
    for (index, test) in addition.golden.enumerated() {
      variant.golden.append(
        GoldenTest(
          inputs: try shipping.ship(golden: test.inputs, "golden/\(index)/inputs"),
          outputs: try shipping.ship(golden: test.outputs, "golden/\(index)/outputs"),
          absoluteTolerance: addition.absoluteTolerance, relativeTolerance: addition.relativeTolerance))
    }
    let releases = known.models[addition.model]?.releases ?? []
    let earlier = releases.reversed().flatMap { release in
      release.version == addition.version && release.state == .staged
        ? [] : release.variants.filter { $0.name == variant.name && $0.form == form }
    }
    // Two encryptions of a model share no bytes, so a delta would save nothing.
    if form != .encrypted {
      variant.deltas = try shipping.deltas(from: Array(earlier.prefix(max(addition.deltas, 0))), to: variant, files)
    }
    return try edit(channel) { manifest in
      var record = manifest.models[addition.model] ?? ModelRecord()
      let release: Release
      if var last = record.releases.last, last.state == .staged, last.version == addition.version {
        guard !last.variants.contains(where: { $0.name == variant.name }) else {
          throw DeliveryError(
            .cannotPublish, "version \(last.version) of '\(addition.model)' has a variant '\(variant.name)' already")
        }
        last.variants.append(variant)
        record.releases[record.releases.count - 1] = last
        release = last
      } else {
        guard !record.releases.contains(where: { $0.version == addition.version }) else {
          throw DeliveryError(
            .cannotPublish, "'\(addition.model)' has a release of the version \(addition.version) already")
        }
        let number = (record.releases.last?.number ?? 0) + 1
        release = Release(
          number: number, version: addition.version, state: .staged,
          rollout: Rollout(id: "\(addition.model)-\(number)", percentage: 0), created: now,
          critical: addition.critical, notes: addition.notes, variants: [variant])
        record.releases.append(release)
      }
      manifest.models[addition.model] = record
      return (release, variant)
    }
  }

  /// Returns the form of a model, and its specification version if the model states one.
  private static func examine(_ source: URL) throws -> (Variant.Form, Int?) {
    if EncryptedModel.isEncrypted(source) { return (.encrypted, nil) }
    do {
      switch try ModelLocation.open(source.path) {
      case .file(let file): return (.mlmodel, Int(file.specificationVersion))
      case .package(let package): return (.mlpackage, Int(package.file.specificationVersion))
      case .compiled(let model):
        try model.requireReadable()
        return (.mlmodelc, nil)
      }
    } catch let error as SpecError {
      throw DeliveryError(error.code == .unreadable ? .unreadable : .notAModel, error.message, file: error.file)
    }
  }

  /// Returns the encodings of files shipped before, by SHA-256 digest. These files are not encoded again.
  private func knownFiles() throws -> [String: [ShippedFile.Encoding]] {
    var known: [String: [ShippedFile.Encoding]] = [:]
    for channel in try channels() {
      for release in try draft(channel).models.values.flatMap(\.releases) {
        for variant in release.variants {
          for file in variant.files + variant.golden.flatMap({ [$0.inputs, $0.outputs] }) {
            known[file.sha256] = file.encodings
          }
        }
      }
    }
    return known
  }
}
