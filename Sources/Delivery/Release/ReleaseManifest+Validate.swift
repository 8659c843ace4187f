import CoreMLBase
import CoreMLSpec

/// Validates names of repositories, channels, models and variants. The names become parts of paths.
package enum ReleaseName {
  package static func isValid(_ name: String) -> Bool {
    !name.isEmpty && name.utf8.count <= 64 && !name.hasPrefix(".")
      && name.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"):
          true
        default: false
        }
      }
  }
}

extension ReleaseManifest: SignedDocument {
  static let payloadType = "application/vnd.coreml.release-manifest.v1+json"
  static let documentName = "release manifest"

  /// The maximum number of files in a variant.
  static let fileLimit = 10_000

  func validate() throws {
    guard ReleaseName.isValid(repository) else { throw malformed("names no repository") }
    guard ReleaseName.isValid(channel) else { throw malformed("names no channel") }
    guard (1..<Int(Int32.max)).contains(version) else { throw malformed("has the impossible version \(version)") }
    guard created < expires else { throw malformed("expires before it is made") }
    for (name, model) in models {
      guard InstalledModels.isName(name), ReleaseName.isValid(name) else {
        throw malformed("has a model of the impossible name '\(name.prefix(64))'")
      }
      try validate(model, name)
    }
    for (name, members) in collections {
      guard ReleaseName.isValid(name), !members.isEmpty, members.allSatisfy({ models[$0] != nil }) else {
        throw malformed("has a collection '\(name.prefix(64))' of models that are not in it")
      }
    }
    for digest in blocked.keys where !TreeDigest.isDigest(digest) {
      throw malformed("blocks '\(digest.prefix(64))', which is no digest")
    }
  }

  private func malformed(_ sentence: String) -> DeliveryError {
    DeliveryError(.malformedManifest, "the release manifest \(sentence)")
  }

  private func validate(_ model: ModelRecord, _ name: String) throws {
    let numbers = model.releases.map(\.number)
    guard numbers.allSatisfy({ $0 >= 1 }), zip(numbers, numbers.dropFirst()).allSatisfy({ $0 < $1 }) else {
      throw malformed("has releases of the model '\(name)' that are not in the order of their numbers")
    }
    if let forced = model.forced, !numbers.contains(forced) {
      throw malformed("forces release \(forced) of the model '\(name)', which it does not have")
    }
    if let experiment = model.experiment {
      let weights = experiment.arms.map(\.weight)
      guard !weights.isEmpty, weights.count <= 64, weights.allSatisfy({ $0 > 0 && $0 <= 1e9 }),
        experiment.arms.allSatisfy({ numbers.contains($0.release) })
      else { throw malformed("has an impossible experiment '\(experiment.id.prefix(64))' of the model '\(name)'") }
    }
    for release in model.releases {
      try validate(release, "release \(release.number) of the model '\(name)'")
    }
  }

  private func validate(_ release: Release, _ name: String) throws {
    let rollout = release.rollout
    let percentages = [rollout.percentage] + (rollout.phases?.percentages ?? [])
    let steps = percentages.dropFirst()
    if let wrong = percentages.first(where: { !(0...100).contains($0) }) {
      throw malformed("has a rollout of \(name) to \(wrong) %, expected 0 to 100")
    }
    guard zip(steps, steps.dropFirst()).allSatisfy({ $0 <= $1 }) else {
      throw malformed("has a rollout of \(name) whose phases do not ascend")
    }
    if let phases = rollout.phases, phases.interval <= 0 || phases.percentages.isEmpty {
      throw malformed(
        "has a rollout of \(name) in \(phases.percentages.count) phases of \(phases.interval) s, expected 1 or more of both"
      )
    }
    guard !release.variants.isEmpty else { throw malformed("has \(name) without a variant") }
    guard Set(release.variants.map(\.name)).count == release.variants.count else {
      throw malformed("has two variants of one name in \(name)")
    }
    for variant in release.variants { try validate(variant, "variant '\(variant.name.prefix(64))' of \(name)") }
  }

  private func validate(_ variant: Variant, _ name: String) throws {
    guard ReleaseName.isValid(variant.name) else { throw malformed("has a variant of an impossible name in \(name)") }
    guard !variant.files.isEmpty, variant.files.count <= Self.fileLimit else {
      throw malformed("has \(variant.files.count) files in \(name)")
    }
    for file in variant.files { try validate(file, name) }
    // Some file systems treat paths that differ only in case as equal. A path must also not be both a file and a
    // folder.
    let folded = Set(variant.files.map { $0.path.lowercased() })
    guard folded.count == variant.files.count else { throw malformed("has one path twice in \(name)") }
    for path in folded {
      var parent = path[...]
      while let slash = parent.lastIndex(of: "/") {
        parent = parent[..<slash]
        guard !folded.contains(String(parent)) else { throw malformed("has a file that is a folder too in \(name)") }
      }
    }
    guard variant.tree == ShippedFile.treeDigest(of: variant.files) else {
      throw DeliveryError(
        .mixAndMatch, "the release manifest states a digest of \(name) that is not the one of the files it lists")
    }
    for test in variant.golden {
      try validate(test.inputs, name)
      try validate(test.outputs, name)
      guard test.absoluteTolerance >= 0, test.relativeTolerance >= 0 else {
        throw malformed("has a negative tolerance in \(name)")
      }
    }
    for delta in variant.deltas {
      guard TreeDigest.isDigest(delta.from) else { throw malformed("has a delta from no digest in \(name)") }
      try validate(delta.payload, name)
    }
  }

  private func validate(_ file: ShippedFile, _ name: String) throws {
    guard RelativePath(file.path) != nil, file.path.utf8.count <= 1024 else {
      throw malformed("has the path '\(file.path.prefix(100))' in \(name), which is not one below a folder")
    }
    guard file.size >= 0, TreeDigest.isDigest(file.sha256), !file.encodings.isEmpty, file.encodings.count <= 16,
      file.encodings.allSatisfy({ $0.size >= 0 && TreeDigest.isDigest($0.object) })
    else { throw malformed("does not say what the file '\(file.path)' in \(name) consists of") }
  }
}
