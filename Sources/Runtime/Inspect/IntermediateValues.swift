import CoreMLBase
import CoreMLExecution
import Foundation
import MIL

/// What one operation of a program gave in a prediction.
package struct IntermediateValue: Sendable {
  /// The value's name in the program.
  package let name: String
  /// The operation that made it.
  package let operation: String
  package let array: MLMultiArray
}

extension MLModel {
  /// Predicts, and gives what every operation of the program made, in their order; of loops and branches what they gave in the end. States
  /// are zero before it, and nobody's afterwards.
  ///
  /// Operations run one by one, for each value is asked for: where a prediction joins some, digits may differ.
  ///
  /// - Parameter wanted: names of values; nil for all that are arrays.
  /// - Throws: `MLModelError`, also for a name that the program has not.
  package func intermediateValues(
    of input: any MLFeatureProvider, named wanted: [String]? = nil
  ) throws -> [IntermediateValue] {
    try MLModelError.wrapping(.generic) {
      let content = try content
      var function = content.engine.function
      var operations: [String: String] = [:]
      var names: [String] = []
      for operation in function.body.operations where operation.constant == nil {
        for output in operation.outputs {
          guard case .tensor(let type) = output.type, MLMultiArrayDataType(type.scalar) != nil else { continue }
          operations[output.name] = operation.type
          names.append(output.name)
        }
      }
      if let wanted {
        for name in wanted where operations[name] == nil {
          throw RuntimeError(
            .invalidInput,
            "no operation of the program gives an array '\(name)'; `runtime inspect --stage program` shows the names")
        }
        names = names.filter(Set(wanted).contains)
      }
      function.body.outputs = names
      let engine = Engine(function: function, devices: content.engine.devices, weights: content.engine.weights)
      return try content.limits.predicting {
        let given = try engine.budget.during { try Prediction(content).values(of: input, for: engine) }
        return try engine.run(given, states: engine.freshStates()) { values in
          try values.compactMap { name, value in
            guard let tensor = value.tensor, let type = MLMultiArrayDataType(tensor.scalar) else { return nil }
            return IntermediateValue(
              name: name, operation: operations[name] ?? "", array: try MLMultiArray(tensor, as: type))
          }
        }
      }
    }
  }
}
