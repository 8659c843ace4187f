import MIL

/// PyTorch's `expand(n, 1, -1)`, where -1 keeps an axis, as coremltools writes it: `tile` by the wanted sizes over the tensor's own.
///
/// -1 over a size is 0 or -1, and means that the axis is copied once. A repetition that was counted as 0 is another matter, such as how many
/// elements a mask has: it gives nothing, and stays.
struct ExpandedAxes {
  private var names: FreshNames
  /// The operations that make values, those of blocks around included.
  private var makers = NestedDictionary<String, Operation>()
  private var inputs: [String: TensorType]

  /// Casts between the division and `tile` are few.
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

  /// Blocks are nested as deep as importers let them be.
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

  /// Repetitions with 1 where the file means it, and the operations that they take.
  private mutating func repetitions(_ reps: Binding) throws -> (Binding, added: [Operation]) {
    if let literal = literal(reps)?.tensor, let numbers = try? literal.ints() {
      // The converter refuses to write repetitions of 0 that it knows.
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

  /// What was divided by the tensor's sizes: those that are wanted.
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
