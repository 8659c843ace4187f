/// An operation with the types of its arguments, and their values as far as known. It is the input of type rules,
/// kernel matching and references. Accessors throw errors that name the operation and the argument.
// More than 400 lines over its files: it has an accessor for each kind of argument. Type rules, kernels and passes
// share them, and those of one family stand beside its definitions.
package struct Invocation: Sendable {
  package let operation: Operation
  /// By parameter name, with one entry per binding.
  package let inputTypes: [String: [ValueType]]
  /// The known values, at the same positions as the types.
  package let values: [String: [Value?]]

  package init(operation: Operation, inputTypes: [String: [ValueType]], values: [String: [Value?]]) {
    self.operation = operation
    self.inputTypes = inputTypes
    self.values = values
  }

  package func error(_ code: MILError.Code, _ message: String) -> MILError {
    MILError(code, message, operation: operation.label)
  }

  package func has(_ name: String) -> Bool { !(inputTypes[name] ?? []).isEmpty }

  package func count(_ name: String) -> Int { inputTypes[name]?.count ?? 0 }

  // MARK: types

  package func type(_ name: String, _ index: Int = 0) throws -> ValueType {
    guard let types = inputTypes[name], types.indices.contains(index) else {
      throw error(.missingArgument, "the argument '\(name)' is missing")
    }
    return types[index]
  }

  package func tensor(_ name: String, _ index: Int = 0) throws -> TensorType {
    let type = try type(name, index)
    guard case .tensor(let tensor) = type else {
      throw error(.invalidType, "'\(name)' must be a tensor, it is \(type)")
    }
    return tensor
  }

  package func shape(_ name: String, _ index: Int = 0) throws -> [Dimension] { try tensor(name, index).shape }

  /// The sizes of an argument. Throws if one is unknown.
  package func sizes(_ name: String, _ index: Int = 0) throws -> [Int] {
    let type = try tensor(name, index)
    guard let sizes = type.concreteShape else {
      throw error(.unknownValue, "the shape of '\(name)' is not known yet: \(type)")
    }
    return sizes
  }

  // MARK: values

  /// The value of an argument; nil if unknown.
  package func valueIfKnown(_ name: String, _ index: Int = 0) -> Value? {
    guard let all = values[name], all.indices.contains(index) else { return nil }
    return all[index]
  }

  package func value(_ name: String, _ index: Int = 0) throws -> Value {
    _ = try type(name, index)
    guard let value = valueIfKnown(name, index) else {
      throw error(.unknownValue, "the value of '\(name)' is only known at run time")
    }
    return value
  }

  package func constant(_ name: String, _ index: Int = 0) throws -> Tensor {
    guard let tensor = try value(name, index).tensor else {
      throw error(.invalidType, "'\(name)' must be a tensor")
    }
    return tensor
  }

  package func ints(_ name: String) throws -> [Int] { try located { try constant(name).ints() } }
  package func doubles(_ name: String) throws -> [Double] { try located { try constant(name).doubles() } }

  package func ints(_ name: String, default fallback: @autoclosure () -> [Int]) throws -> [Int] {
    has(name) ? try ints(name) : fallback()
  }

  package func int(_ name: String) throws -> Int { try single(name, ints(name)) }
  package func int(_ name: String, default fallback: Int) throws -> Int { has(name) ? try int(name) : fallback }
  package func double(_ name: String) throws -> Double { try single(name, doubles(name)) }
  package func double(_ name: String, default fallback: Double) throws -> Double {
    has(name) ? try double(name) : fallback
  }
  package func bool(_ name: String) throws -> Bool { try double(name) != 0 }
  package func bool(_ name: String, default fallback: Bool) throws -> Bool { has(name) ? try bool(name) : fallback }
  package func string(_ name: String) throws -> String {
    try single(name, located { try constant(name).strings() })
  }
  package func string(_ name: String, default fallback: String) throws -> String {
    has(name) ? try string(name) : fallback
  }

  /// The scalar type named by a string argument, for example `dtype`.
  package func scalarType(_ name: String) throws -> ScalarType {
    let word = try string(name)
    guard let type = ScalarType(mil: word) else {
      throw error(.invalidArgument, "'\(name)' names the unknown type '\(word)'")
    }
    return type
  }

  /// An axis of a tensor of this rank, with negative axes converted.
  package func axis(_ name: String, default fallback: Int? = nil, rank: Int) throws -> Int {
    let axis = try fallback.map { try int(name, default: $0) } ?? int(name)
    return try normalized(axis, rank: rank, name)
  }

  package func axes(_ name: String, default fallback: [Int]? = nil, rank: Int) throws -> [Int] {
    let axes = try fallback.map { try ints(name, default: $0) } ?? ints(name)
    return try axes.map { try normalized($0, rank: rank, name) }
  }

  package func normalized(_ axis: Int, rank: Int, _ name: String) throws -> Int {
    guard axis >= -rank, axis < rank else {
      throw error(.invalidArgument, "'\(name)' names axis \(axis) of a tensor of rank \(rank)")
    }
    return axis < 0 ? axis + rank : axis
  }

  /// Runs `body`, and adds this operation to its errors.
  package func located<R>(_ body: () throws -> R) throws -> R {
    do { return try body() } catch let error as MILError { throw error.at(operation) }
  }

  private func single<T>(_ name: String, _ all: @autoclosure () throws -> [T]) throws -> T {
    let all = try all()
    guard all.count == 1 else { throw error(.invalidArgument, "'\(name)' must be one value, it has \(all.count)") }
    return all[0]
  }
}

extension ScalarType {
  /// The type named by a `dtype` argument, in MIL's or coremltools' spelling.
  package init?(mil word: String) {
    if let type = ScalarType(rawValue: word) {
      self = type
      return
    }
    switch word {
    case "float16": self = .float16
    case "float32", "float": self = .float32
    case "float64", "double": self = .float64
    case "bfloat16": self = .bfloat16
    case "int": self = .int32
    case "str": self = .string
    default: return nil
    }
  }
}
