import CoreMLBase
import CoreMLSpec
import Foundation
import MIL

/// An ML program compiled by Apple's tools: MIL text in `model.mil`, with its weights in blob files beside it.
///
/// The interface is the `ModelDescription` in `coremldata.bin`. If that file is missing or has an unknown format, the
/// interface is created from the schemas in `metadata.json`.
struct AppleProgram {
  let folder: String

  /// - Parameter weights: replaces the weight files beside the program.
  func model(weights: WeightFiles? = nil) throws -> ImportedModel {
    let path = "\(folder)/model.mil"
    let text = try Bytes.mapping(file: path)
    let weights = weights ?? WeightFiles(folder: folder)
    var program: Program
    do {
      program = try text.withUnsafeBytes { try MILText.parse($0, resolving: weights.tensor) }
      try Self.normalise(&program)
    } catch let error as MILError where !error.isOfBounds {
      throw RuntimeError(error.code == .unsupported ? .unsupported : .invalidModel, "\(error)", file: path)
    }
    return ImportedModel(program: program, interface: try interface())
  }

  // MARK: normalization to the newest opset

  private static func normalise(_ program: inout Program) throws {
    for (name, function) in program.functions {
      guard let opset = Opset(rawValue: function.opset) else {
        throw MILError(
          .unsupported, "function '\(name)' is written for the opset '\(function.opset)', the newest known is ios26")
      }
      var function = function
      try normalise(&function.body.operations, opset)
      program.functions[name] = DeclaredRanks.corrected(try ExpandedAxes.kept(function))
    }
  }

  /// The recursion is bounded: the text parser limits the nesting of blocks.
  private static func normalise(_ operations: inout [MIL.Operation], _ opset: Opset) throws {
    for index in operations.indices {
      do { try opset.normalise(&operations[index]) } catch let error as MILError { throw error.at(operations[index]) }
      for block in operations[index].blocks.indices {
        try normalise(&operations[index].blocks[block].operations, opset)
      }
    }
  }

  // MARK: interface

  private func interface() throws -> ModelInterface {
    let interface = try AppleInterface(folder: folder)
    return ModelInterface(
      description: interface.description, specificationVersion: interface.specificationVersion, modelType: "mlProgram")
  }
}
