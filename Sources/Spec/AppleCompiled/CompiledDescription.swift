import CoreMLBase

/// `coremldata.bin` of a model compiled by Apple's tools.
///
/// Numbers are little endian. Strings and messages have a 64-bit length prefix:
///
///     u32      the field number of the model type in `Model`
///     3 x u64  the version of the compiler's format
///     string   the encoding of the rest: `spec`, or `generic` (with the names of sub-models after a dot)
///     u64      the specification version
///     3 x u64
///
/// Pre-release versions of Xcode 9 wrote an empty string, the specification version, 2 x u64, and then the string with
/// the encoding of the rest.
///
/// In a `spec` file, the rest is the serialised `Model`. In a `generic` file, the rest is the length-prefixed
/// `ModelDescription` and data that depends on the model type. The data has the class labels of a classifier, the
/// number of models of a pipeline, or the names of outputs.
package struct CompiledDescription: Sendable {
  package enum Contents: Sendable {
    /// A complete serialised `Model`.
    case model(Bytes)
    /// A serialised `ModelDescription`, and the bytes after it.
    case description(Bytes, trailer: Bytes)
  }

  /// The field number of the model type in `Model`.
  package let typeNumber: Int
  package let specificationVersion: Int
  package let contents: Contents

  package init(_ bytes: Bytes) throws {
    try LFSPointer.refuse(bytes, expected: "the description of a compiled model")
    var cursor = ByteCursor(bytes)
    do {
      typeNumber = Int(try cursor.integer(UInt32.self))
      for _ in 0..<3 { _ = try cursor.integer(UInt64.self) }
      var form = try cursor.string("the name of the form")
      let version = try cursor.integer(UInt64.self)
      guard (1...UInt64(ModelFile.specificationVersions.upperBound)).contains(version) else {
        throw bytes.error(
          .unsupportedSpecificationVersion,
          "the model has specification version \(version), expected 1 to \(ModelFile.specificationVersions.upperBound)")
      }
      specificationVersion = Int(version)
      if form.isEmpty {
        for _ in 0..<2 { _ = try cursor.integer(UInt64.self) }
        form = try cursor.string("the name of the form")
      } else {
        for _ in 0..<3 { _ = try cursor.integer(UInt64.self) }
      }
      switch form {
      case "spec": contents = .model(cursor.rest)
      case _ where form == "generic" || form.hasPrefix("generic."):
        let description = try cursor.block("the description")
        contents = .description(description, trailer: cursor.rest)
      default:
        throw bytes.error(
          .malformedCompiledModel, "expected a model of the form 'spec' or 'generic', found \(form.debugDescription)")
      }
    } catch let error as SpecError where error.code == .outOfBounds {
      throw bytes.error(.malformedCompiledModel, "the description of the compiled model is cut short: \(error.message)")
    }
  }

  package static func open(_ path: String) throws -> CompiledDescription {
    try CompiledDescription(try Bytes.mapping(file: path))
  }

  // MARK: data after the description

  /// The class labels of a classifier, in file order.
  package enum ClassLabels: Sendable, Equatable {
    case strings([String])
    case integers([Int64])
  }

  /// The class labels of a classifier, and the name of the network output with their probabilities.
  ///
  /// The trailer has these parts in order:
  /// - u64 type number
  /// - u64 field number of the label kind in the classifier's message (100 strings, 101 integers)
  /// - u64 count
  /// - the labels
  /// - the output's name
  package func classifier() throws -> (labels: ClassLabels, probabilities: String) {
    guard case .description(let description, let trailer) = contents else {
      throw SpecError(.malformedCompiledModel, "the model has no class labels of its own")
    }
    var cursor = ByteCursor(trailer)
    do {
      let type = try cursor.integer(UInt64.self)
      guard type == UInt64(typeNumber) else {
        throw description.error(
          .malformedCompiledModel, "expected the model type \(typeNumber) after the description, found \(type)")
      }
      let labels: ClassLabels
      switch try cursor.integer(UInt64.self) {
      case 100:
        let count = try cursor.count(of: "class labels", size: 8)
        labels = .strings(try (0..<count).map { _ in try cursor.string("a class label") })
      case 101:
        let count = try cursor.count(of: "class labels", size: 8)
        labels = .integers(try (0..<count).map { _ in try cursor.integer(Int64.self) })
      case let kind:
        throw description.error(
          .malformedCompiledModel, "expected class labels of the kind 100 (strings) or 101 (integers), found \(kind)")
      }
      return (labels, try cursor.string("the name of the probabilities"))
    } catch let error as SpecError where error.code == .outOfBounds {
      throw description.error(.malformedCompiledModel, "the class labels are cut short: \(error.message)")
    }
  }

  /// The number of models of a pipeline. They are in the folders `model0`, `model1` and so on. The trailer has a u64
  /// count and a u64 type number.
  package func modelCount() throws -> Int {
    guard case .description(let description, let trailer) = contents else {
      throw SpecError(.malformedCompiledModel, "the model is no pipeline of folders")
    }
    let count = try trailer.load(UInt64.self, at: 0)
    guard (1...Self.modelLimit).contains(count) else {
      throw description.error(
        .malformedCompiledModel, "the pipeline has \(count) models, expected 1 to \(Self.modelLimit)")
    }
    return Int(count)
  }

  private static let modelLimit: UInt64 = 256
}
