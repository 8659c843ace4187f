import Foundation
import MIL

/// One operation with the shapes of its operands: an entry of `shapes.json`.
struct Shape: Decodable {
  /// The value of an attribute: a number, a list of numbers, a Boolean or a string.
  enum Attribute: Decodable {
    case number(Double)
    case numbers([Double])
    case truth(Bool)
    case text(String)

    init(from decoder: any Decoder) throws {
      let value = try decoder.singleValueContainer()
      if let truth = try? value.decode(Bool.self) {
        self = .truth(truth)
      } else if let number = try? value.decode(Double.self) {
        self = .number(number)
      } else if let numbers = try? value.decode([Double].self) {
        self = .numbers(numbers)
      } else {
        self = .text(try value.decode(String.self))
      }
    }

    /// The MIL value. A number or list is an int32 tensor if all elements are integers, else an fp32 tensor.
    var value: Value {
      get throws {
        switch self {
        case .truth(let truth): return .bool(truth)
        case .text(let text): return .string(text)
        case .number(let number): return .tensor(try Self.tensor([], [number]))
        case .numbers(let numbers): return .tensor(try Self.tensor([numbers.count], numbers))
        }
      }
    }

    private static func tensor(_ shape: [Int], _ numbers: [Double]) throws -> Tensor {
      let isWhole = numbers.allSatisfy { $0 == $0.rounded() }
      return try Tensor(isWhole ? .int32 : .float32, shape: shape, doubles: numbers)
    }
  }

  let name: String
  let operation: String
  /// Shapes of the run-time inputs and of the constants. All are fp32.
  let inputs: [String: [Int]]
  let constants: [String: [Int]]?
  let attributes: [String: Attribute]?
  /// The share of the roofline that the fastest kernel must reach, from 0 to 1; nil for no requirement.
  let least: Double?

  static func list(_ path: String) throws -> [Shape] {
    try JSONDecoder().decode([Shape].self, from: Data(contentsOf: URL(filePath: path)))
  }

  /// An fp32 tensor with varying elements from -0.5 to 0.5.
  static func numbers(_ shape: [Int]) throws -> Tensor {
    let count = shape.reduce(1, *)
    return try Tensor(.float32, shape: shape, doubles: (0..<count).map { Double($0 * 37 % 101 - 50) / 100 })
  }

  /// The operation with its types and constants, as the planner sees it, and the run-time tensors by parameter.
  func invocation() throws -> (call: Invocation, tensors: [String: Tensor]) {
    var values: [String: [Value?]] = [:]
    var tensors: [String: Tensor] = [:]
    for (parameter, shape) in inputs {
      tensors[parameter] = try Self.numbers(shape)
      values[parameter] = [nil]
    }
    for (parameter, shape) in constants ?? [:] { values[parameter] = [.tensor(try Self.numbers(shape))] }
    for (parameter, attribute) in attributes ?? [:] { values[parameter] = [try attribute.value] }
    let types = values.mapValues { $0.compactMap { $0?.type } }.merging(tensors.mapValues { [.tensor($0.type)] }) {
      $1
    }
    let bindings = values.mapValues { $0.map { $0.map { Binding.literal($0) } ?? .name("input") } }
    let call = Invocation(
      operation: Operation(operation, inputs: bindings, outputs: []), inputTypes: types, values: values)
    return (call, tensors)
  }
}
