import CoreMLKernels
import MIL

/// Arithmetic of an iteration on `[batch, width]` values.
extension Round {
  mutating func addArithmetic(_ operation: Operation) throws {
    switch operation.type {
    case "add", "sub", "mul":
      if let counter = try counterSum(operation) { return try output(operation, .counter(counter)) }
      try output(operation, elementwise(operation))
    case "minimum", "maximum": try output(operation, limited(operation))
    case "clip":
      guard let low = try number("alpha", operation), let high = try number("beta", operation) else {
        throw odd(operation)
      }
      let (parts, isLeading) = try rows("x", operation)
      try output(
        operation, .rows([try atoms.limited(one(parts, operation), low: low, high: high)], isLeading: isLeading))
    case "linear":
      let (parts, isLeading) = try rows("x", operation)
      var sum = try product(parts, matrix("weight", operation, isTransposed: false))
      if let bias = try known("bias", operation) {
        sum = try sum.adding(vector(bias, columns: sum.width, rank: 1, operation))
      }
      try output(operation, .rows([sum], isLeading: isLeading))
    case "matmul":
      let (parts, isLeading) = try rows("x", operation)
      guard try flag("transpose_x", operation) == false else { throw odd(operation) }
      let isTransposed = try !flag("transpose_y", operation)
      try output(
        operation, .rows([product(parts, matrix("y", operation, isTransposed: isTransposed))], isLeading: isLeading))
    case "split": try split(operation)
    case "slice_by_index": try slice(operation)
    case "concat": try concat(operation)
    default: try activate(operation)
    }
  }

  private func odd(_ operation: Operation) -> LoopRefusal { LoopRefusal("\(operation.label) is no part of a cell") }

  // MARK: arguments

  private func rows(_ name: String, _ operation: Operation) throws -> (parts: [CellSum], isLeading: Bool) {
    guard case .rows(let parts, let isLeading) = try argument(name, operation) else { throw odd(operation) }
    return (parts, isLeading)
  }

  private func one(_ parts: [CellSum], _ operation: Operation) throws -> CellSum {
    guard parts.count == 1 else { throw odd(operation) }
    return parts[0]
  }

  private func number(_ name: String, _ operation: Operation) throws -> Double? {
    guard let tensor = try known(name, operation), tensor.count == 1 else { return nil }
    return try tensor.doubles().first
  }

  private func flag(_ name: String, _ operation: Operation) throws -> Bool { try number(name, operation) ?? 0 != 0 }

  /// A constant that is the same for all batch items.
  private func vector(_ tensor: Tensor, columns: Int, rank: Int, _ operation: Operation) throws -> CellSum {
    guard tensor.rank <= rank, tensor.shape.dropLast().allSatisfy({ $0 == 1 }), tensor.scalar.isFloat,
      tensor.count == columns || tensor.count == 1
    else { throw LoopRefusal("a constant of \(operation.label) is not one row") }
    return CellSum(constant: try tensor.doubles(), width: columns)
  }

  /// Both operands as expressions over the same columns.
  private func operands(_ operation: Operation) throws -> (x: CellSum, y: CellSum, isLeading: Bool) {
    switch (try numbers(argument("x", operation)), try numbers(argument("y", operation))) {
    case (.rows(let x, let isLeading), .rows(let y, let other)) where isLeading == other:
      let (left, right) = (try one(x, operation), try one(y, operation))
      guard left.width == right.width else { throw odd(operation) }
      return (left, right, isLeading)
    case (.rows(let x, let isLeading), .known(.tensor(let tensor))):
      let left = try one(x, operation)
      return (left, try vector(tensor, columns: left.width, rank: isLeading ? 3 : 2, operation), isLeading)
    case (.known(.tensor(let tensor)), .rows(let y, let isLeading)):
      let right = try one(y, operation)
      return (try vector(tensor, columns: right.width, rank: isLeading ? 3 : 2, operation), right, isLeading)
    default: throw odd(operation)
    }
  }

  // MARK: operations

  private func counterSum(_ operation: Operation) throws -> LoopCounter? {
    let (x, y) = (try argument("x", operation), try argument("y", operation))
    var counter: LoopCounter
    let tensor: Tensor
    switch (x, y) {
    case (.counter(let left), .known(.tensor(let right))):
      (counter, tensor) = (left, right)
    case (.known(.tensor(let left)), .counter(let right)) where operation.type != "sub":
      (counter, tensor) = (right, left)
    default: return nil
    }
    guard tensor.count == 1, tensor.rank <= 1, let step = try tensor.ints().first, (-1 << 20...1 << 20).contains(step),
      (-1 << 20...1 << 20).contains(counter.offset)
    else { throw LoopRefusal("\(operation.label) moves the counter far") }
    switch operation.type {
    case "add": counter.offset += step
    case "sub": counter.offset -= step
    default:
      // Multiplication by [1] is used to convert a scalar to a vector of one element.
      guard step == 1 else { throw LoopRefusal("\(operation.label) moves the counter far") }
    }
    counter.isVector = counter.isVector || tensor.rank == 1
    return counter
  }

  private func elementwise(_ operation: Operation) throws -> RoundValue {
    let (x, y, isLeading) = try operands(operation)
    switch operation.type {
    case "add": return .rows([try x.adding(y)], isLeading: isLeading)
    case "sub": return .rows([try x.adding(y, times: -1)], isLeading: isLeading)
    default: return .rows([try x.multiplied(by: y)], isLeading: isLeading)
    }
  }

  private mutating func limited(_ operation: Operation) throws -> RoundValue {
    let (x, y, isLeading) = try operands(operation)
    func constant(_ sum: CellSum) -> Double? {
      if sum.matrices.isEmpty, sum.products.isEmpty { return 0 }
      return sum.matrices.isEmpty && sum.products.count == 1 ? sum.uniform([]) : nil
    }
    guard let limit = constant(y) ?? constant(x) else { throw odd(operation) }
    let sum = constant(y) == nil ? y : x
    let result =
      operation.type == "minimum"
      ? try atoms.limited(sum, low: -.infinity, high: limit) : try atoms.limited(sum, low: limit, high: .infinity)
    return .rows([result], isLeading: isLeading)
  }

  private func product(_ parts: [CellSum], _ matrix: CellMatrix) throws -> CellSum {
    guard matrix.columns.count == parts.reduce(0, { $0 + $1.width }) else { throw LoopRefusal("a matrix does not fit") }
    var sum = CellSum(width: matrix.rows.count)
    var start = 0
    for part in parts {
      sum = try sum.adding(part.times(matrix.part(columns: start..<start + part.width)))
      start += part.width
    }
    return sum
  }

  private mutating func activate(_ operation: Operation) throws {
    var constants: [String: Value] = [:]
    for (parameter, bindings) in operation.inputs where parameter != "x" {
      guard bindings.count == 1, case .known(let value) = try value(of: bindings[0]) else { throw odd(operation) }
      if let name = bindings[0].name { constants[name] = value }
    }
    guard let activation = FusedActivation(mil: operation, constants) else { throw odd(operation) }
    let (parts, isLeading) = try rows("x", operation)
    try output(
      operation, .rows(parts.map { try atoms.activated(activation, $0) }, isLeading: isLeading))
  }

  // MARK: columns

  private func requireLastAxis(_ operation: Operation, isLeading: Bool) throws {
    let axis = try int("axis", operation)
    guard axis == -1 || axis == (isLeading ? 2 : 1) else {
      throw LoopRefusal("\(operation.label) is not along columns")
    }
  }

  private mutating func split(_ operation: Operation) throws {
    let (parts, isLeading) = try rows("x", operation)
    let sum = try one(parts, operation)
    try requireLastAxis(operation, isLeading: isLeading)
    let count = operation.outputs.count
    let sizes = try known("split_sizes", operation)?.ints() ?? Array(repeating: sum.width / max(count, 1), count: count)
    guard sizes.count == count, sizes.allSatisfy({ 1...sum.width ~= $0 }), sizes.reduce(0, +) == sum.width else {
      throw odd(operation)
    }
    var start = 0
    for (output, size) in zip(operation.outputs, sizes) {
      try define(output.name, .rows([try atoms.columns(start..<start + size, of: sum)], isLeading: isLeading))
      start += size
    }
  }

  private mutating func slice(_ operation: Operation) throws {
    let (parts, isLeading) = try rows("x", operation)
    let sum = try one(parts, operation)
    guard let batch else { throw odd(operation) }
    let shape = isLeading ? [1, batch, sum.width] : [batch, sum.width]
    var types = ["x": [ValueType.tensor(TensorType(.float32, shape))]]
    var values: [String: [Value?]] = ["x": [nil]]
    for parameter in operation.inputs.keys where parameter != "x" {
      guard let tensor = try known(parameter, operation) else { continue }
      types[parameter] = [.tensor(tensor.type)]
      values[parameter] = [.tensor(tensor)]
    }
    let axes = try Invocation(operation: operation, inputTypes: types, values: values).slices(of: shape)
    guard axes.allSatisfy({ !$0.isSqueezed && $0.stride == 1 }), let last = axes.last, last.count > 0,
      zip(axes, shape).dropLast().allSatisfy({ $0.begin == 0 && $0.count == $1 })
    else { throw odd(operation) }
    try output(
      operation,
      .rows([atoms.columns(last.begin..<last.begin + last.count, of: sum)], isLeading: isLeading))
  }

  private mutating func concat(_ operation: Operation) throws {
    guard try !flag("interleave", operation) else { throw odd(operation) }
    let values = try (operation.inputs["values"] ?? []).map { binding -> (parts: [CellSum], isLeading: Bool) in
      guard case .rows(let parts, let isLeading) = try value(of: binding) else { throw odd(operation) }
      return (parts, isLeading)
    }
    guard let first = values.first, values.allSatisfy({ $0.isLeading == first.isLeading }) else { throw odd(operation) }
    try requireLastAxis(operation, isLeading: first.isLeading)
    try output(operation, .rows(values.flatMap(\.parts), isLeading: first.isLeading))
  }
}
