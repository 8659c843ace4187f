import CoreMLBase
import CoreMLSpec
import Foundation
import MIL

@testable import CoreMLImport
@testable import CoreMLRuntime

/// A model file and a weight file, processed up to compilation. One parser has three targets, because different model
/// types lead to different code.
extension FuzzTarget {
  static let network = FuzzTarget("network") { try model($0) }
  static let program = FuzzTarget("program") { try model($0) }
  static let classical = FuzzTarget("classical") { try model($0) }

  private static func model(_ input: UnsafeRawBufferPointer) throws {
    let parts = Parts(input, names: ["model.mlmodel", "weight.bin"])
    let file = try ModelFile(Bytes(parts["model.mlmodel"] ?? []))
    let blob = Bytes(parts["weight.bin"] ?? [])
    let weights = WeightFiles { _ in try BlobFile(blob) }
    let model = try ModelImport.model(file, weights: weights)
    try model.program.verify()
    try check(model, weights)
  }

  /// Invariants of every model that was read and verified.
  static func check(_ model: ImportedModel, _ weights: WeightFiles) throws {
    let optimised: ImportedModel
    do {
      optimised = try ModelCompiler.optimised(model)
      try optimised.program.verify()
    } catch {
      throw Finding("the model is verified, and its optimised form is not: \(error)")
    }
    try roundTrip(optimised.program, weights.tensor)
    let reader = try DescriptionReader(model.interface)
    let names = try reader.functionNames()
    for name in names.isEmpty ? ["main"] : names { _ = try reader.description(function: name) }
  }

  static func roundTrip(_ program: Program, _ resolve: @escaping MILText.Resolver) throws {
    let text = MILText.print(program)
    let again: Program
    do { again = try MILText.parse(text, resolving: resolve) } catch {
      throw Finding("what is printed is refused: \(error)")
    }
    if let difference = again.difference(from: program) {
      throw Finding("what is printed reads as another program: \(difference)")
    }
  }
}
