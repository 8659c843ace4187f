import Foundation
import MIL

/// One operation on operands of certain shapes, as `shapes.json` has them.
struct Shape: Decodable {
  /// A number, a list of numbers, a truth value or a text.
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

    /// Whole numbers are int32, others fp32.
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
  /// Shapes of what comes at run time, and of constants; all in single precision.
  let inputs: [String: [Int]]
  let constants: [String: [Int]]?
  let attributes: [String: Attribute]?
  /// The least share of the roofline that the fastest row should reach; nil for none.
  let least: Double?

  static func list(_ path: String) throws -> [Shape] {
    try JSONDecoder().decode([Shape].self, from: Data(contentsOf: URL(filePath: path)))
  }

  /// Numbers that are neither equal nor large.
  static func numbers(_ shape: [Int]) throws -> Tensor {
    let count = shape.reduce(1, *)
    return try Tensor(.float32, shape: shape, doubles: (0..<count).map { Double($0 * 37 % 101 - 50) / 100 })
  }

  /// The operation with what planning knows of it, and the tensors that come at run time.
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
