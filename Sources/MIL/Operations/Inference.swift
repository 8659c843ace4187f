/// The types and known values of all names in scope, and type inference for operations.
package struct Scope: Sendable {
  package var types: [String: ValueType] { typeLayers.all }
  package var values: [String: Value] { valueLayers.all }
  private var typeLayers = NestedDictionary<String, ValueType>()
  private var valueLayers = NestedDictionary<String, Value>()

  package init() {}

  package mutating func define(_ name: String, _ type: ValueType, value: Value? = nil) {
    typeLayers[name] = type
    if value != nil || valueLayers[name] != nil { valueLayers[name] = value }
  }

  package func isConstant(_ name: String) -> Bool { valueLayers[name] != nil }

  /// Makes room for this many names.
  package mutating func reserve(_ count: Int) { typeLayers.reserve(count) }

  /// Starts a block. Definitions until `leave` belong to it.
  package mutating func enter() {
    typeLayers.enter()
    valueLayers.enter()
  }

  package mutating func leave() {
    typeLayers.leave()
    valueLayers.leave()
  }

  /// The operation with the types and values of its arguments in this scope. Throws if it reads an undefined name.
  package func invocation(of operation: Operation) throws -> Invocation {
    var inputTypes: [String: [ValueType]] = [:]
    var known: [String: [Value?]] = [:]
    for (parameter, bindings) in operation.inputs {
      var argumentTypes: [ValueType] = []
      var argumentValues: [Value?] = []
      for binding in bindings {
        switch binding {
        case .literal(let value):
          argumentTypes.append(value.type)
          argumentValues.append(value)
        case .name(let name):
          guard let type = types[name] else {
            throw MILError(
              .invalidProgram, "'\(parameter)' reads '\(name)', which is not defined before it",
              operation: operation.label)
          }
          argumentTypes.append(type)
          argumentValues.append(values[name])
        }
      }
      inputTypes[parameter] = argumentTypes
      known[parameter] = argumentValues
    }
    return Invocation(operation: operation, inputTypes: inputTypes, values: known)
  }

  /// The output types of an operation in this scope. Those of control flow come from the declared outputs of its
  /// blocks. If an operand's rank is only known at run time, throws `.unknownValue`.
  package func outputTypes(of operation: Operation) throws -> [ValueType] {
    try outputTypes(of: invocation(of: operation))
  }

  /// The same for an operation whose arguments have been looked up.
  package func outputTypes(of invocation: Invocation) throws -> [ValueType] {
    let operation = invocation.operation
    let definition = try Operations.definition(of: operation)
    try Self.check(invocation, against: definition)
    if invocation.inputTypes.values.contains(where: { $0.contains(where: \.isOpen) }),
      let open = operation.inputNames.first(where: { types[$0]?.isOpen == true })
    {
      throw MILError(.unknownValue, "the rank of '\(open)' is only known at run time", operation: operation.label)
    }
    do {
      let types = try definition.outputTypes(invocation)
      return try types.map { type in
        guard case .tensor(let tensor) = type else { return type }
        return .tensor(try tensor.validated("the output"))
      }
    } catch let error as MILError {
      throw error.at(operation)
    }
  }

  /// Checks that all arguments are parameters, that all required parameters are present, and that only variadic ones
  /// have several values.
  static func check(_ invocation: Invocation, against definition: OperationDefinition) throws {
    for (name, types) in invocation.inputTypes {
      guard let parameter = definition.parameter(name) else {
        throw invocation.error(.invalidArgument, "there is no parameter '\(name)'")
      }
      guard parameter.isVariadic || types.count <= 1 else {
        throw invocation.error(.invalidArgument, "'\(name)' takes one value, \(types.count) are given")
      }
    }
    for parameter in definition.parameters where !parameter.isOptional && !invocation.has(parameter.name) {
      throw invocation.error(.missingArgument, "the argument '\(parameter.name)' is missing")
    }
  }
}
