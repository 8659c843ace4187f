import CoreMLKernels
import MIL

/// Replaces transposes that move no elements by reshapes, which are free. Also moves linear layers behind reshapes, so
/// that a following operation can become the layer's epilogue.
///
///     transpose(x), where only axes of one element change places   =>   reshape(x)
///     add | activation (reshape(linear(x)))                        =>   add | activation (linear(reshape(x)))
struct TransposeToReshape: Pass {
  private static let reshapes: Set<String> = ["reshape", "expand_dims", "squeeze"]

  func callAsFunction(_ function: Function) -> Function {
    var result = function
    let (constants, types) = (function.constants, function.types)
    for (index, operation) in function.body.operations.enumerated() where operation.type == "transpose" {
      if let reshape = reshape(operation, constants, types) { result.body.operations[index] = reshape }
    }
    reshapeBeforeProducts(&result, constants, types)
    return result
  }

  /// The reshape that equals a transpose of known shape, if axes with more than one element keep their order.
  private func reshape(
    _ transpose: Operation, _ constants: [String: Value], _ types: [String: ValueType]
  ) -> Operation? {
    guard let x = transpose.inputs["x"], let input = transpose.binding("x")?.name.flatMap({ types[$0]?.tensor }),
      input.isConcrete, let result = transpose.outputs.first?.type.tensor, result.isConcrete,
      let permutation = try? transpose.value("perm", constants)?.tensor?.doubles().map({ Int($0) })
    else { return nil }
    let order = permutation.map { $0 < 0 ? $0 + input.rank : $0 }
    guard order.count == input.rank, order.allSatisfy(input.shape.indices.contains) else { return nil }
    let moved = order.filter { input.shape[$0] != 1 }
    guard moved == moved.sorted(), let output = result.concreteShape else { return nil }
    var reshape = transpose
    reshape.type = "reshape"
    reshape.inputs = ["x": x, "shape": [.ints(output)]]
    return reshape
  }

  private func reshapeBeforeProducts(
    _ function: inout Function, _ constants: [String: Value], _ types: [String: ValueType]
  ) {
    let uses = Uses(function)
    var operations = function.body.operations
    var names = FreshNames(function)
    var (dropped, changed): (Set<Int>, Bool) = ([], false)
    for (index, linear) in operations.enumerated() where linear.type == "linear" && linear.outputs.count == 1 {
      var chain: [Int] = []
      var name = linear.outputs[0].name
      while let next = uses.onlyReader(of: name), Self.reshapes.contains(operations[next].type),
        operations[next].binding("x")?.name == name, operations[next].outputs.count == 1
      {
        chain.append(next)
        name = operations[next].outputs[0].name
      }
      guard let last = chain.last, let reader = uses.onlyReader(of: name),
        operations[reader].type == "add" || FusedActivation(mil: operations[reader], constants) != nil,
        let x = linear.inputs["x"], let input = linear.binding("x")?.name.flatMap({ types[$0]?.tensor }),
        let inputShape = input.concreteShape, let depth = inputShape.last,
        let columns = linear.outputs[0].type.tensor?.concreteShape?.last,
        let shape = operations[last].outputs[0].type.tensor?.concreteShape, shape.count >= 2, shape.last == columns
      else { continue }
      // The reshape takes the position of the layer, whose result has no reader left.
      let own = names.name("\(linear.outputs[0].name)_reshaped")
      let rows = Array(shape.dropLast()) + [depth]
      operations[index] = Operation(
        "reshape", inputs: ["x": x, "shape": [.ints(rows)]],
        outputs: [NamedType(own, .tensor(TensorType(input.scalar, rows)))])
      var product = linear
      product.inputs["x"] = [.name(own)]
      product.outputs = operations[last].outputs
      product.origins = linear.named + chain.flatMap { operations[$0].named }
      operations[last] = product
      dropped.formUnion(chain.dropLast())
      changed = true
    }
    guard changed else { return }
    function.body.operations = operations
    function.remove(dropped)
  }
}
