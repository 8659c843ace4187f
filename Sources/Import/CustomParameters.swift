import CoreMLBase
import CoreMLSpec
import MIL

/// The parameters of a custom layer or model as arguments of its operation, sorted by name.
struct CustomParameters {
  private var names: [String] = []
  private var values: [Value] = []

  init(_ parameters: [String: Specification.CustomLayerParams.CustomLayerParamValue]) throws {
    for (name, parameter) in parameters.sorted(by: { $0.key < $1.key }) {
      switch try parameter.value {
      case .doubleValue(let value): append(name, .tensor(Tensor(float64: [value], shape: [])))
      case .stringValue(let value): append(name, .string(value))
      case .intValue(let value): append(name, .int32(Int(value)))
      case .longValue(let value): append(name, .tensor(Tensor(int64: [value], shape: [])))
      case .boolValue(let value): append(name, .bool(value))
      case nil: throw RuntimeError(.invalidModel, "the parameter '\(name)' has no value")
      }
    }
  }

  init(_ parameters: [String: Specification.CustomModel.CustomModelParamValue]) throws {
    for (name, parameter) in parameters.sorted(by: { $0.key < $1.key }) {
      switch try parameter.value {
      case .doubleValue(let value): append(name, .tensor(Tensor(float64: [value], shape: [])))
      case .stringValue(let value): append(name, .string(value))
      case .intValue(let value): append(name, .int32(Int(value)))
      case .longValue(let value): append(name, .tensor(Tensor(int64: [value], shape: [])))
      case .boolValue(let value): append(name, .bool(value))
      case .bytesValue(let value): append(name, .tensor(try Tensor(bytes: value)))
      case nil: throw RuntimeError(.invalidModel, "the parameter '\(name)' has no value")
      }
    }
  }

  private mutating func append(_ name: String, _ value: Value) {
    names.append(name)
    values.append(value)
  }

  /// Adds the parameters to an operation's arguments.
  func add(to arguments: inout [String: [Binding]]) {
    guard !names.isEmpty else { return }
    arguments["parameter_names"] = [.tensor(Tensor(strings: names, shape: [names.count]))]
    arguments["parameter_values"] = values.map { .literal($0) }
  }
}

extension Tensor {
  /// Creates a vector of uint8 that shares the memory of the bytes.
  init(bytes: Bytes) throws {
    try self.init(.uint8, shape: [bytes.count], storage: TensorStorage(sharing: bytes, alignment: 1))
  }
}
