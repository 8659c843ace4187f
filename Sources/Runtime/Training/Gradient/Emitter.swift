import MIL

/// Appends operations; gradient rules and decompositions use its methods. Values are bindings, so a literal can be used
/// instead of a name. Numbers get the element type of the other operand.
final class Emitter {
  private(set) var builder: Builder
  /// The name hint of new values.
  var hint = "gradient"

  init(_ builder: Builder) { self.builder = builder }

  // MARK: types

  func type(_ value: Binding) throws -> TensorType {
    switch value {
    case .name(let name): return try builder.tensorType(of: name)
    case .literal(let literal):
      guard let type = literal.type.tensor else {
        throw MILError(.invalidType, "found \(literal.type), expected a tensor")
      }
      return type
    }
  }

  func shape(_ value: Binding) throws -> [Int] {
    let type = try type(value)
    guard let shape = type.concreteShape else {
      throw MILError(.unknownValue, "the gradient needs shapes that are known, found \(type)")
    }
    return shape
  }

  func rank(_ value: Binding) throws -> Int { try type(value).rank }

  func invocation(_ operation: MIL.Operation) throws -> Invocation { try builder.scope.invocation(of: operation) }

  // MARK: operations

  func input(_ name: String, _ type: ValueType) -> Binding { .name(builder.input(name, type)) }

  func reserve(_ names: [String]) { builder.reserve(names) }

  func all(_ type: String, _ inputs: [String: [Binding]], named hints: [String]? = nil) throws -> [Binding] {
    try builder.add(type, inputs, named: hints ?? [hint]).map { .name($0) }
  }

  func callAsFunction(_ type: String, _ inputs: [String: Binding]) throws -> Binding {
    let outputs = try all(type, inputs.mapValues { [$0] })
    guard let first = outputs.first else { throw MILError(.invalidProgram, "'\(type)' gives no output") }
    return first
  }

  func unary(_ type: String, _ x: Binding) throws -> Binding { try self(type, ["x": x]) }

  func number(_ value: Double, like other: Binding) throws -> Binding {
    .tensor(try Tensor(type(other).scalar, shape: [], doubles: [value]))
  }

  func tensor(_ values: [Double], shape: [Int], like other: Binding) throws -> Binding {
    .tensor(try Tensor(type(other).scalar, shape: shape, doubles: values))
  }

  private func binary(_ type: String, _ x: Binding, _ y: Binding) throws -> Binding {
    try self(type, ["x": x, "y": y])
  }

  func add(_ x: Binding, _ y: Binding) throws -> Binding { try binary("add", x, y) }
  func sub(_ x: Binding, _ y: Binding) throws -> Binding { try binary("sub", x, y) }
  func mul(_ x: Binding, _ y: Binding) throws -> Binding { try binary("mul", x, y) }
  func div(_ x: Binding, _ y: Binding) throws -> Binding { try binary("real_div", x, y) }
  func pow(_ x: Binding, _ y: Binding) throws -> Binding { try binary("pow", x, y) }
  func add(_ x: Binding, _ y: Double) throws -> Binding { y == 0 ? x : try add(x, number(y, like: x)) }
  func sub(_ x: Double, _ y: Binding) throws -> Binding { try sub(number(x, like: y), y) }
  func mul(_ x: Binding, _ y: Double) throws -> Binding { y == 1 ? x : try mul(x, number(y, like: x)) }
  func pow(_ x: Binding, _ y: Double) throws -> Binding { try pow(x, number(y, like: x)) }
  func neg(_ x: Binding) throws -> Binding { try mul(x, -1) }
  func square(_ x: Binding) throws -> Binding { try unary("square", x) }

  /// `log`, `rsqrt` or `inverse` without the epsilon that they add by default.
  func exactly(_ type: String, _ x: Binding) throws -> Binding {
    try self(type, ["x": x, "epsilon": number(0, like: x)])
  }

  // MARK: comparison and selection

  func compare(_ type: String, _ x: Binding, _ y: Binding) throws -> Binding { try binary(type, x, y) }
  func compare(_ type: String, _ x: Binding, _ y: Double) throws -> Binding {
    try binary(type, x, number(y, like: x))
  }
  func both(_ a: Binding, _ b: Binding) throws -> Binding { try binary("logical_and", a, b) }
  func select(_ condition: Binding, _ a: Binding, _ b: Binding) throws -> Binding {
    try self("select", ["cond": condition, "a": a, "b": b])
  }
  /// `x` where the condition holds, otherwise zero. A product with the condition would give NaN for zero times
  /// infinity.
  func keep(_ x: Binding, where condition: Binding) throws -> Binding {
    try select(condition, x, number(0, like: x))
  }
  func cast(_ x: Binding, to scalar: ScalarType) throws -> Binding {
    try type(x).scalar == scalar ? x : self("cast", ["x": x, "dtype": .string(scalar.rawValue)])
  }

  // MARK: shapes

  func reshape(_ x: Binding, _ shape: [Int]) throws -> Binding {
    if try self.shape(x) == shape { return x }
    guard !shape.contains(0) else { return try self("fill", ["shape": .ints(shape), "value": number(0, like: x)]) }
    return try self("reshape", ["x": x, "shape": .ints(shape)])
  }

  func transpose(_ x: Binding, _ perm: [Int]) throws -> Binding {
    if perm == Array(perm.indices) { return x }
    return try self("transpose", ["x": x, "perm": .ints(perm)])
  }

  /// Swaps the last two axes.
  func transposed(_ x: Binding) throws -> Binding {
    let rank = try rank(x)
    return try transpose(x, Array(0..<(rank - 2)) + [rank - 1, rank - 2])
  }

  func slice(_ x: Binding, begin: [Int], size: [Int]) throws -> Binding {
    if try shape(x) == size { return x }
    return try self("slice_by_size", ["x": x, "begin": .ints(begin), "size": .ints(size)])
  }

  /// Slices `count` elements of one axis, starting at `begin`.
  func slice(_ x: Binding, axis: Int, from begin: Int, count: Int) throws -> Binding {
    var (first, size) = (try shape(x).map { _ in 0 }, try shape(x))
    first[axis] = begin
    size[axis] = count
    return try slice(x, begin: first, size: size)
  }

  func concat(_ parts: [Binding], axis: Int) throws -> Binding {
    if parts.count == 1 { return parts[0] }
    return try all("concat", ["values": parts, "axis": [.int(axis)], "interleave": [.bool(false)]])[0]
  }

  /// Pads x with zeros.
  func pad(_ x: Binding, before: [Int], after: [Int]) throws -> Binding {
    guard (before + after).contains(where: { $0 > 0 }) else { return x }
    return try self(
      "pad",
      [
        "x": x, "pad": .ints(zip(before, after).flatMap { [$0, $1] }), "mode": .string("constant"),
        "constant_val": number(0, like: x),
      ])
  }

  func zeros(_ shape: [Int], like other: Binding) throws -> Binding {
    try self("fill", ["shape": .ints(shape), "value": number(0, like: other)])
  }

  /// Sums over one run of adjacent axes at a time, because reduction kernels support only adjacent axes.
  func sum(_ x: Binding, _ axes: [Int], keep: Bool = true) throws -> Binding {
    var runs: [[Int]] = []
    for axis in axes.sorted() {
      if let last = runs.last?.last, last + 1 == axis {
        runs[runs.count - 1].append(axis)
      } else {
        runs.append([axis])
      }
    }
    var result = x
    for run in runs.reversed() {
      result = try self(
        "reduce_sum", ["x": result, "axes": .ints(run), "keep_dims": .bool(keep || runs.count > 1)])
    }
    guard !keep, runs.count > 1 else { return result }
    return try reshape(result, shape(result).indices.filter { !axes.contains($0) }.map { try shape(result)[$0] })
  }

  func mean(_ x: Binding, _ axes: [Int]) throws -> Binding {
    try self("reduce_mean", ["x": x, "axes": .ints(axes), "keep_dims": .bool(true)])
  }

  /// The gradient of an operand of the shape `shape`, given the gradient of a result to which it was broadcast.
  func reduced(_ x: Binding, to shape: [Int]) throws -> Binding {
    let own = try self.shape(x)
    if own == shape { return x }
    let lead = own.count - shape.count
    let axes = own.indices.filter { $0 < lead || shape[$0 - lead] == 1 && own[$0] != 1 }
    return try reshape(sum(x, axes), shape)
  }

  /// Repeats x along axes of size 1 to the shape `shape`.
  func expanded(_ x: Binding, to shape: [Int]) throws -> Binding {
    let own = try self.shape(x)
    let lifted = try reshape(x, Array(repeating: 1, count: shape.count - own.count) + own)
    let from = Array(repeating: 1, count: shape.count - own.count) + own
    if from == shape { return lifted }
    let reps = zip(from, shape).map { $0 == $1 ? 1 : $1 }
    return try self("tile", ["x": lifted, "reps": .ints(reps)])
  }

  func matmul(_ x: Binding, _ y: Binding, transposeX: Bool = false, transposeY: Bool = false) throws -> Binding {
    try self(
      "matmul", ["x": x, "y": y, "transpose_x": .bool(transposeX), "transpose_y": .bool(transposeY)])
  }
}
