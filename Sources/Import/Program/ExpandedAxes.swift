import MIL

/// Handles PyTorch's `expand(n, 1, -1)`, where -1 keeps an axis. coremltools writes it as a `tile` by the requested
/// sizes divided by the tensor's own sizes.
///
/// -1 divided by a size is 0 or -1, and means that the axis is kept (repeated once). A repetition may also be 0 for
/// another reason, for example because it is the number of elements in a mask. It is unchanged and gives an empty
/// result.
struct ExpandedAxes {
  private var names: FreshNames
  /// The operations by their results, including those of enclosing blocks.
  private var makers = NestedDictionary<String, Operation>()
  private var inputs: [String: TensorType]

  /// The maximum number of casts between the division and `tile`.
  private static let maximumCasts = 4

  static func kept(_ function: Function) throws -> Function {
    var rewrite = ExpandedAxes(
      names: FreshNames(function),
      inputs: Dictionary(
        function.inputs.compactMap { input in input.type.tensor.map { (input.name, $0) } },
        uniquingKeysWith: { first, _ in first }))
    var function = function
    try rewrite.keep(&function.body)
    return function
  }

  /// The recursion is bounded, because importers limit the nesting of blocks.
  private mutating func keep(_ block: inout Block) throws {
    makers.enter()
    defer { makers.leave() }
    var operations: [Operation] = []
    operations.reserveCapacity(block.operations.count)
    for var operation in block.operations {
      for index in operation.blocks.indices { try keep(&operation.blocks[index]) }
      if operation.type == "tile", let reps = operation.inputs["reps"]?.first {
        let (own, added) = try repetitions(reps)
        operation.inputs["reps"] = [own]
        operations += added
      }
      operations.append(operation)
      for output in operation.outputs { makers[output.name] = operation }
    }
    block.operations = operations
  }

  /// The repetitions with 1 where the file means to keep an axis, and the operations that compute them.
  private mutating func repetitions(_ reps: Binding) throws -> (Binding, added: [Operation]) {
    if let literal = literal(reps)?.tensor, let numbers = try? literal.ints() {
      // The converter rejects constant repetitions of 0, so a constant below 1 always means that the axis is kept.
      guard numbers.contains(where: { $0 < 1 }) else { return (reps, []) }
      return (.ints(numbers.map { max($0, 1) }), [])
    }
    guard let wanted = dividend(of: reps), let sizes = type(of: wanted), let type = type(of: reps) else {
      return (reps, [])
    }
    let (isKept, own) = (names.name("expand_keeps"), names.name("expand_reps"))
    let zero = try Tensor(sizes.scalar, shape: [], doubles: [0])
    let one = try Tensor(type.scalar, shape: [], doubles: [1])
    let less = Operation(
      "less", inputs: ["x": [wanted], "y": [.tensor(zero)]],
      outputs: [NamedType(isKept, .tensor(TensorType(.bool, sizes.shape)))])
    let select = Operation(
      "select", inputs: ["cond": [.name(isKept)], "a": [.tensor(one)], "b": [reps]],
      outputs: [NamedType(own, .tensor(type))])
    return (.name(own), [less, select])
  }

  /// The dividend of the division by the tensor's sizes: the requested sizes.
  private func dividend(of reps: Binding) -> Binding? {
    var binding = reps
    for _ in 0...Self.maximumCasts {
      guard case .name(let name) = binding, let maker = makers[name], let x = maker.inputs["x"]?.first else {
        return nil
      }
      switch maker.type {
      case "real_div", "floor_div": return x
      case "cast", "identity": binding = x
      default: return nil
      }
    }
    return nil
  }

  private func literal(_ binding: Binding) -> Value? {
    switch binding {
    case .literal(let value): value
    case .name(let name): makers[name]?.constant
    }
  }

  private func type(of binding: Binding) -> TensorType? {
    switch binding {
    case .literal(let value): value.type.tensor
    case .name(let name):
      makers[name]?.outputs.first { $0.name == name }?.type.tensor ?? inputs[name]
    }
  }
}
