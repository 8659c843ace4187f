/// Builds a block operation by operation. Types are inferred as the block grows, so an importer can query the shapes of
/// earlier results.
///
/// Names are made unique. If a value needs a specific name (a function's output), the caller passes it in `named`.
package struct Builder: Sendable {
  package private(set) var scope = Scope()
  package private(set) var inputs: [NamedType] = []
  package private(set) var operations: [Operation] = []
  /// The `Operation.origins` of operations added from now on.
  package var origins: [String] = []
  private var taken: Set<String> = []
  private var counter = 0

  package init() {}

  /// Inputs and operations of the enclosing blocks.
  private var outer: [(inputs: [NamedType], operations: [Operation])] = []

  /// Begins a nested block. All previous definitions are visible in it, and it starts without operations.
  package mutating func enter() {
    outer.append((inputs, operations))
    (inputs, operations) = ([], [])
    scope.enter()
  }

  /// Returns to the enclosing block. The names of the nested block are not reused.
  package mutating func leave() {
    guard let around = outer.popLast() else { return }
    (inputs, operations) = around
    scope.leave()
  }

  package mutating func input(_ name: String, _ type: ValueType) -> String {
    let name = unique(name)
    inputs.append(NamedType(name, type))
    scope.define(name, type)
    return name
  }

  package mutating func constant(_ value: Value, named hint: String = "const") -> String {
    let name = unique(hint)
    operations.append(.const(name, value))
    scope.define(name, value.type, value: value)
    return name
  }

  /// Appends an operation and returns the names of its outputs. `dynamic` has the output types to use if the type rule
  /// needs a value that is only known at run time.
  package mutating func add(
    _ type: String, _ inputs: [String: [Binding]], blocks: [Block] = [], named hints: [String],
    dynamic: [ValueType]? = nil
  ) throws -> [String] {
    var operation = Operation(
      type, inputs: inputs, outputs: [NamedType(hints.first ?? type, .open)], blocks: blocks, origins: origins)
    let types: [ValueType]
    do {
      types = try scope.outputTypes(of: operation)
    } catch let error as MILError where error.code == .unknownValue {
      guard let dynamic else { throw error }
      types = dynamic
    }
    operation.outputs = types.enumerated().map { index, type in
      NamedType(unique(index < hints.count ? hints[index] : "\(hints.first ?? operation.type)_\(index)"), type)
    }
    operations.append(operation)
    for output in operation.outputs { scope.define(output.name, output.type) }
    return operation.outputs.map(\.name)
  }

  /// Reserves names for `add(_:_:exactly:)`. No other value gets them.
  package mutating func reserve(_ names: [String]) { taken.formUnion(names) }

  /// Appends an operation whose outputs have exactly these (reserved) names. Types that are only known at run time stay
  /// open.
  package mutating func add(_ type: String, _ inputs: [String: [Binding]], exactly names: [String]) throws -> [String] {
    var operation = Operation(type, inputs: inputs, outputs: names.map { NamedType($0, .open) }, origins: origins)
    let types: [ValueType]
    do {
      types = try scope.outputTypes(of: operation)
    } catch let error as MILError where error.code == .unknownValue {
      types = names.map { _ in .open }
    }
    guard types.count == names.count, names.allSatisfy({ scope.types[$0] == nil }) else {
      throw MILError(.invalidProgram, "\(types.count) outputs cannot be named \(names)", operation: operation.label)
    }
    operation.outputs = zip(names, types).map { NamedType($0, $1) }
    operations.append(operation)
    for output in operation.outputs { scope.define(output.name, output.type) }
    return names
  }

  /// Appends an operation with one output, and with a single binding per argument.
  package mutating func add(_ type: String, _ inputs: [String: Binding], named hint: String? = nil) throws -> String {
    let names = try add(type, inputs.mapValues { [$0] }, named: [hint ?? type])
    guard let name = names.first else { throw MILError(.invalidProgram, "'\(type)' gives no output") }
    return name
  }

  package func tensorType(of name: String) throws -> TensorType {
    guard let type = scope.types[name] else { throw MILError(.invalidProgram, "'\(name)' is not defined") }
    guard !type.isOpen else { throw MILError(.unknownValue, "the rank of '\(name)' is only known at run time") }
    guard let tensor = type.tensor else { throw MILError(.invalidType, "'\(name)' is not a tensor but \(type)") }
    return tensor
  }

  package func block(outputs: [String]) -> Block { Block(inputs: inputs, operations: operations, outputs: outputs) }

  private mutating func unique(_ hint: String) -> String {
    if taken.insert(hint).inserted { return hint }
    while true {
      counter += 1
      let name = "\(hint)_\(counter)"
      if taken.insert(name).inserted { return name }
    }
  }
}

extension Binding {
  package static func int(_ value: Int) -> Binding { .literal(.int32(value)) }
  package static func ints(_ values: [Int]) -> Binding { .literal(.int32s(values)) }
  package static func float(_ value: Float) -> Binding { .literal(.float32(value)) }
  package static func bool(_ value: Bool) -> Binding { .literal(.bool(value)) }
  package static func string(_ value: String) -> Binding { .literal(.string(value)) }
  package static func tensor(_ value: Tensor) -> Binding { .literal(.tensor(value)) }
}
