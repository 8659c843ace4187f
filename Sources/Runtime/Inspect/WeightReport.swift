import CoreMLBase
import CoreMLSpec
import MIL

/// A constant that is large enough to count as a weight.
package struct WeightReport: Sendable, Encodable {
  package let name: String
  package let type: String
  package let bytes: Int
  /// The weight file and the offset in it; nil if the constant is not in a file.
  package let place: String?
}

extension ModelInspection {
  /// Constants with fewer elements count as parameters, not weights.
  private static var smallestCount: Int { 33 }

  /// The constants of the imported program, in program order.
  package func weights() -> [WeightReport] {
    var weights: [WeightReport] = []
    func visit(_ operations: [MIL.Operation]) {
      for operation in operations {
        for (parameter, bindings) in operation.inputs.sorted(by: { $0.key < $1.key }) {
          for case .literal(.tensor(let tensor)) in bindings where tensor.count >= Self.smallestCount {
            let output = operation.outputs.first?.name ?? operation.type
            weights.append(
              WeightReport(
                name: operation.type == "const" ? output : "\(output).\(parameter)", type: "\(tensor.type)",
                bytes: tensor.byteCount,
                place: tensor.storage.origin.map { "\($0.path):\($0.offset)" }))
          }
        }
        for block in operation.blocks { visit(block.operations) }
      }
    }
    for name in model.program.functions.keys.sorted() { visit(model.program.functions[name]?.body.operations ?? []) }
    return weights
  }

  package var specificationVersion: Int { model.interface.specificationVersion }
  package var modelType: String { model.interface.modelType }
  /// The serialized `ModelDescription`.
  package var description: Bytes { model.interface.description }

  /// The number of operations of each type, nested ones included.
  package func operationCounts() -> [String: Int] {
    var counts: [String: Int] = [:]
    func visit(_ operations: [MIL.Operation]) {
      for operation in operations {
        counts[operation.type, default: 0] += 1
        for block in operation.blocks { visit(block.operations) }
      }
    }
    for function in model.program.functions.values { visit(function.body.operations) }
    return counts
  }
}
