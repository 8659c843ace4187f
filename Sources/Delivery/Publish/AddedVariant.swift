import CoreMLRuntime
import CoreMLSpec
import Foundation

/// Makes the variant of a model that is added: a private copy is tried, its files are encoded, and deltas are made.
struct AddedVariant {
  let files: PublisherFiles
  let addition: Publisher.Addition
  private let form: Variant.Form
  /// The specification version, if the model states one.
  private let specification: Int?

  init(_ addition: Publisher.Addition, _ files: PublisherFiles) throws {
    (self.addition, self.files) = (addition, files)
    (form, specification) = try Self.examine(addition.source)
  }

  /// - Parameter releases: the earlier releases of the model.
  func variant(after releases: [Release]) throws -> Variant {
    let work = files.folder.appending(path: "work-\(UUID().uuidString)", directoryHint: .isDirectory)
    try DeliveryDirectories.makeFolder(work)
    defer { try? FileManager.default.removeItem(at: work) }
    let trial = AdditionTrial(work: work)
    let copy = try trial.stage(addition.source, form)
    var addition = addition
    addition.golden = try trial.stage(addition.golden)
    try trial.tryOut(copy, form, addition)
    let shipping = Shipping(published: files, known: try knownFiles())
    let shipped = try shipping.ship(tree: copy)
    var requirements = addition.requirements
    if requirements.specificationVersion == nil { requirements.specificationVersion = specification }
    var variant = Variant(
      name: addition.variant, form: form, requirements: requirements, files: shipped.map(\.shipped))
    for (index, test) in addition.golden.enumerated() {
      variant.golden.append(
        GoldenTest(
          inputs: try shipping.ship(golden: test.inputs, "golden/\(index)/inputs"),
          outputs: try shipping.ship(golden: test.outputs, "golden/\(index)/outputs"),
          absoluteTolerance: addition.absoluteTolerance, relativeTolerance: addition.relativeTolerance))
    }
    let earlier = releases.reversed().flatMap { release in
      release.version == addition.version && release.state == .staged
        ? [] : release.variants.filter { $0.name == variant.name && $0.form == form }
    }
    // Two encryptions of a model share no bytes, so a delta would save nothing.
    if form != .encrypted {
      variant.deltas = try shipping.deltas(from: Array(earlier.prefix(max(addition.deltas, 0))), to: variant, shipped)
    }
    return variant
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
    for channel in try files.channels() {
      for release in try files.draft(channel).models.values.flatMap(\.releases) {
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
