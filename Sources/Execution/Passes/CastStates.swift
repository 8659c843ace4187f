import MIL

/// Casts the data of every `write_state` to the state's element type. On a device the state step cannot convert; on the
/// host a kernel converts faster.
struct CastStates: Pass {
  func callAsFunction(_ function: Function) -> Function {
    guard function.contains("write_state") else { return function }
    let (states, types) = (function.stateTypes, function.types)
    var result = function
    var names = FreshNames(function)
    result.body.operations = function.body.operations.flatMap { operation -> [Operation] in
      guard operation.type == "write_state", let state = operation.stateName.flatMap({ states[$0] }),
        let data = operation.inputs["data"], data.count == 1,
        let type = data[0].name.map({ types[$0]?.tensor }) ?? data[0].literalType, type.scalar != state.scalar
      else { return [operation] }
      let name = names.name((operation.stateName ?? "state") + "__written")
      var write = operation
      write.inputs["data"] = [.name(name)]
      let cast = Operation(
        "cast", inputs: ["x": data, "dtype": [.string(state.scalar.rawValue)]],
        outputs: [NamedType(name, .tensor(type.with(scalar: state.scalar)))], origins: operation.named)
      return [cast, write]
    }
    return result
  }
}

extension Binding {
  /// The type of a literal tensor.
  var literalType: TensorType? {
    if case .literal(let value) = self { return value.type.tensor }
    return nil
  }
}
