import CoreMLBase
import CoreMLExecution
import Foundation
import MIL

/// The result of one operation of a program in a prediction.
package struct IntermediateValue: Sendable {
  /// The name of the value in the program.
  package let name: String
  /// The operation that computed the value.
  package let operation: String
  package let array: MLMultiArray
}

extension MLModel {
  /// Predicts and returns the results of all operations of the program, in order. A loop or branch contributes only its
  /// outputs. States start at zero and are discarded afterwards.
  ///
  /// Operations run one by one, because each value is requested. So low-order digits may differ from a prediction that
  /// fuses operations.
  ///
  /// - Parameter wanted: the names of the values to return; nil for all values that are arrays.
  /// - Throws: `MLModelError`, also for a name that the program does not have.
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
