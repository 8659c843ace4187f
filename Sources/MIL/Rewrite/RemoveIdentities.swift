/// Removes operations that return their input: `identity`, casts to the same type, transposes and reshapes without
/// effect, and `concat` of one value.
package struct RemoveIdentities: Pass {
  package init() {}

  package func callAsFunction(_ function: Function) -> Function {
    var result = function
    let types = function.types
    let constants = function.constants
    let outputs = Set(function.body.outputs)
    var renamed: [String: String] = [:]
    result.body.operations = []
    for operation in function.body.operations {
      if let source = source(of: operation, types, constants), let output = operation.outputs.first,
        !outputs.contains(output.name)
      {
        renamed[output.name] = renamed[source] ?? source
      } else {
        result.body.operations.append(operation)
      }
    }
    result.rename(renamed)
    return result
  }

  /// The name of the value that the operation returns unchanged.
  private func source(of operation: Operation, _ types: [String: ValueType], _ constants: [String: Value]) -> String? {
    switch operation.type {
    case "identity", "cast", "reshape", "expand_dims", "squeeze", "flatten2d":
      guard case .name(let name)? = operation.binding("x"), isSame(name, operation, types) else { return nil }
      return name
    case "transpose":
      guard case .name(let name)? = operation.binding("x"),
        let perm = try? operation.value("perm", constants)?.tensor?.ints(),
        perm.enumerated().allSatisfy({ $0.offset == ($0.element < 0 ? $0.element + perm.count : $0.element) })
      else { return nil }
      return name
    case "concat":
      // `concat` of a scalar returns a vector of one element, so it stays.
      guard let values = operation.inputs["values"], values.count == 1, case .name(let name) = values[0],
        let type = types[name]?.tensor, type.rank > 0
      else { return nil }
      return name
    default: return nil
    }
  }

  private func isSame(_ name: String, _ operation: Operation, _ types: [String: ValueType]) -> Bool {
    guard let before = types[name]?.tensor, let after = operation.outputs.first?.type.tensor else { return false }
    return before.isConcrete && before == after
  }
}
