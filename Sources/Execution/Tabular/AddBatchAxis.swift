import CoreMLKernels
import MIL

/// Converts a function for one row, with concrete types, into one for `rows` rows.
struct AddBatchAxis: Pass {
  let rows: Int

  func callAsFunction(_ function: Function) throws -> Function { try BatchAxisRewriter.function(function, rows: rows) }
}

/// Adds a first axis of rows to every value that depends on an input. Rows must not affect each other, so operations
/// that may mix rows are refused with a reason.
private struct BatchAxisRewriter {
  private let rows: Int
  private var builder = Builder()
  private var names: [String: String] = [:]
  /// Values with a row axis.
  private var rowed: Set<String> = []
  private var types: [String: ValueType] = [:]

  /// - Parameter source: Must have concrete types.
  static func function(_ source: Function, rows: Int) throws -> Function {
    var batch = BatchAxisRewriter(rows: rows)
    for input in source.inputs {
      guard case .tensor(let type) = input.type, let shape = type.concreteShape else {
        throw Refusal("the input '\(input.name)' is no array of known size")
      }
      batch.types[input.name] = input.type
      batch.names[input.name] = batch.builder.input(input.name, .tensor(TensorType(type.scalar, [rows] + shape)))
      batch.rowed.insert(input.name)
    }
    for operation in source.body.operations { try batch.append(operation) }
    let outputs = try source.body.outputs.map { name in
      guard batch.rowed.contains(name), let own = batch.names[name] else { throw Refusal("'\(name)' has no rows") }
      return own
    }
    var body = batch.builder.block(outputs: outputs)
    body.inputs = []
    return Function(inputs: batch.builder.inputs, opset: source.opset, body: body)
  }

  private init(rows: Int) { self.rows = rows }

  private mutating func append(_ operation: Operation) throws {
    for output in operation.outputs { types[output.name] = output.type }
    if let value = operation.constant, let output = operation.outputs.first {
      names[output.name] = builder.constant(value, named: output.name)
      return
    }
    builder.origins = operation.named
    let isRowed = operation.inputNames.contains(where: rowed.contains)
    var (type, inputs) = (operation.type, try operation.inputs.mapValues { try $0.map { try renamed($0) } })
    if isRowed { try widen(operation, &type, &inputs) }
    let made = try builder.add(type, inputs, named: operation.outputs.map(\.name))
    for (old, new) in zip(operation.outputs, made) {
      guard let before = old.type.tensor?.concreteShape, let now = try builder.tensorType(of: new).concreteShape,
        now == (isRowed ? [rows] : []) + before
      else { throw Refusal("\(operation.label): its rows are not where they should be") }
      names[old.name] = new
      if isRowed { rowed.insert(old.name) }
    }
  }

  private func renamed(_ binding: Binding) throws -> Binding {
    guard case .name(let name) = binding else { return binding }
    guard let own = names[name] else { throw Refusal("'\(name)' is not defined") }
    return .name(own)
  }

  // MARK: operations

  private mutating func widen(
    _ operation: Operation, _ type: inout String, _ inputs: inout [String: [Binding]]
  ) throws {
    let call = invocation(operation)
    switch operation.type {
    case "identity", "cast", "sigmoid", "exp", "erf", "tanh", "sqrt", "square", "relu", "abs", "log", "clip":
      try require(operation, only: ["x"])
    case "add", "sub", "mul", "real_div", "maximum", "minimum", "pow", "equal", "not_equal", "less", "greater":
      try align(operation, ["x", "y"], &inputs)
    case "select": try align(operation, ["cond", "a", "b"], &inputs)
    case "linear", "ml.tree_ensemble", "ml.support_vector_kernel":
      // The last bits of fp32 products depend on the number of rows.
      guard try call.tensor("x").scalar == .float64 else { throw Refusal("\(operation.label): single precision") }
      try require(operation, only: ["x"], rank: 1)
    case "ml.normalizer":
      try require(operation, only: ["x"], rank: 1)
      inputs["by_row"] = [.bool(true)]
    case "ml.one_versus_one": try require(operation, only: ["kernel"], rank: 1)
    case "ml.pair_votes", "ml.pairwise_coupling": try require(operation, only: ["decisions"], rank: 1)
    case "ml.one_hot_encoder":
      try require(operation, only: ["x"], rank: 0)
      guard try !call.bool("sparse", default: false) else { throw Refusal("\(operation.label): a dictionary") }
    case "ml.imputer":
      try require(operation, only: ["x"])
      guard try call.tensor("x").scalar != .string, !call.has("keys") else { throw Refusal("strings have no rows") }
      let imputed = try call.constant("imputed")
      if imputed.count > 1 {
        inputs["imputed"] = [.tensor(try repeated(imputed, shape: call.sizes("x")))]
      }
    case "softmax":
      try require(operation, only: ["x"])
      inputs["axis"] = [.int(try call.axis("axis", default: -1, rank: call.sizes("x").count) + 1)]
    case "reduce_sum", "reduce_max", "reduce_min", "reduce_mean":
      try require(operation, only: ["x"])
      let rank = try call.sizes("x").count
      inputs["axes"] = [.ints(try call.axes("axes", default: Array(0..<rank), rank: rank).map { $0 + 1 })]
    case "reshape", "expand_dims", "squeeze":
      try require(operation, only: ["x"])
      guard let shape = operation.outputs[0].type.tensor?.concreteShape, let x = inputs["x"] else {
        throw Refusal("\(operation.label): its shape is not known")
      }
      (type, inputs) = ("reshape", ["x": x, "shape": [.ints([rows] + shape)]])
    case "gather":
      try require(operation, only: ["x"])
      guard try call.int("batch_dims", default: 0) == 0 else { throw Refusal("it gathers by row") }
      inputs["axis"] = [.int(try call.axis("axis", default: 0, rank: call.sizes("x").count) + 1)]
    case "concat":
      guard try !call.bool("interleave", default: false) else { throw Refusal("it interleaves") }
      inputs["axis"] = [.int(try call.axis("axis", rank: call.sizes("values").count) + 1)]
      inputs["values"] = try (operation.inputs["values"] ?? []).enumerated().map { index, binding in
        if let name = binding.name, rowed.contains(name) { return try renamed(binding) }
        return .tensor(try repeated(call.constant("values", index), shape: call.sizes("values", index)))
      }
    default: throw Refusal("\(operation.label): nothing says what it does to rows")
    }
  }

  private func require(_ operation: Operation, only parameters: [String], rank: Int? = nil) throws {
    for (parameter, bindings) in operation.inputs {
      for case .name(let name) in bindings where rowed.contains(name) {
        guard parameters.contains(parameter) else { throw Refusal("\(operation.label): '\(parameter)' has rows") }
        if let rank, types[name]?.tensor?.rank != rank {
          throw Refusal("\(operation.label): '\(parameter)' is of rank \(types[name]?.tensor?.rank ?? 0)")
        }
      }
    }
  }

  /// Inserts axes of size 1 after the row axis of broadcast operands, so that the row axis stays first.
  private mutating func align(
    _ operation: Operation, _ parameters: [String], _ inputs: inout [String: [Binding]]
  ) throws {
    try require(operation, only: parameters)
    let rank = operation.outputs[0].type.tensor?.rank ?? 0
    for parameter in parameters {
      guard case .name(let name)? = operation.inputs[parameter]?.first, rowed.contains(name),
        let shape = types[name]?.tensor?.concreteShape, shape.count < rank, let x = inputs[parameter]
      else { continue }
      let wide = [rows] + Array(repeating: 1, count: rank - shape.count) + shape
      inputs[parameter] = [
        .name(try builder.add("reshape", ["x": x, "shape": [.ints(wide)]], named: ["\(name)_rows"])[0])
      ]
    }
  }

  private func repeated(_ tensor: Tensor, shape: [Int]) throws -> Tensor {
    let numbers = try tensor.doubles()
    return try Tensor(
      tensor.scalar, shape: [rows] + shape, doubles: (0..<rows).flatMap { _ in numbers })
  }

  private func invocation(_ operation: Operation) -> Invocation {
    var (inputTypes, values): ([String: [ValueType]], [String: [Value?]]) = ([:], [:])
    for (parameter, bindings) in operation.inputs {
      inputTypes[parameter] = bindings.map { binding in
        switch binding {
        case .literal(let value): value.type
        case .name(let name): types[name] ?? .open
        }
      }
      values[parameter] = bindings.map { binding in
        switch binding {
        case .literal(let value): value
        case .name(let name): names[name].flatMap { builder.scope.values[$0] }
        }
      }
    }
    return Invocation(operation: operation, inputTypes: inputTypes, values: values)
  }
}
