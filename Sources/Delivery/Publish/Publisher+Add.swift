import CoreMLRuntime
import CoreMLSpec
import Foundation

extension Publisher {
  /// What is added.
  public struct Addition: Sendable {
    /// The name of the model: letters, digits, `.`, `-`, `_`.
    public var model: String
    /// For people.
    public var version: String
    /// A `.mlmodel`, `.mlpackage` or `.mlmodelc`, or an encrypted model.
    public var source: URL
    /// The name of the variant, of the same characters as the model's.
    public var variant = "default"
    /// What a device must be like to use it.
    public var requirements = Requirements()
    /// What people are told about the release.
    public var notes: String?
    /// Whether devices install it without waiting for a quiet moment.
    public var critical = false
    /// Inputs and the outputs that are expected for them, each a `.npz` or `.json`.
    public var golden: [(inputs: URL, outputs: URL)] = []
    /// How far an output may be from the expected one; see ``GoldenTest/absoluteTolerance``.
    public var absoluteTolerance = 1e-3
    /// How far it may be besides, as a part of the expected value: 0.01 is a hundredth.
    public var relativeTolerance = 1e-2
    /// Of an encrypted model, which is opened and tried here. It is not published; devices have theirs from elsewhere.
    public var key: ModelKeySource?
    /// Deltas are made from the variant of that name in so many earlier releases.
    public var deltas = 2
    /// Whether the model is compiled, loaded and tried before it is added; not for one that only other machines can run.
    public var isTried = true
    /// How it is tried.
    public var trials = TrialPolicy()
    /// What it is tried with.
    public var configuration: @Sendable () -> MLModelConfiguration = { MLModelConfiguration() }

    /// A model to add, with the defaults for all else.
    public init(model: String, version: String, source: URL) {
      self.model = model
      self.version = version
      self.source = source
    }
  }

  /// Adds a model as a staged release, or as one more variant of the newest release while that is staged and has this version. It is tried
  /// first, in a process of its own. Files that nothing in the model refers to stay behind.
  ///
  /// - Returns: the release and the variant as they stand in the draft.
  /// - Throws: ``DeliveryError`` also where the model does not do what devices will ask of it.
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
    // Encrypted anew, a model shares no byte with what it was.
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

  /// What kind of model it is, and the specification version that it needs where that is stated.
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

  /// The files that were shipped before, by their digest: they are not packed again.
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
