import MIL

/// The small vocabulary that layers are lowered with.
extension NetworkImport {
  /// `dynamic`: the result's type where the operation's rule needs a value that only run time tells; without one it is left open, rank and
  /// all, until the shapes of inputs or the run tell it.
  mutating func emit(_ type: String, _ inputs: [String: Binding], dynamic: TensorType? = nil) throws -> String {
    let names = try emit(type, all: inputs.mapValues { [$0] }, dynamic: [dynamic.map { .tensor($0) } ?? .open])
    guard let name = names.first else { throw error(.invalidModel, "'\(type)' gives nothing") }
    return name
  }

  /// An operation of several outputs, or with variadic arguments.
  mutating func emit(
    _ type: String, all inputs: [String: [Binding]], blocks: [Block] = [], dynamic: [ValueType]? = nil
  ) throws -> [String] {
    let name = layer.name.isEmpty ? type : layer.name
    if blocks.isEmpty, let values = try folded(type, inputs) {
      return values.map { builder.constant($0, named: name) }
    }
    return try builder.add(type, inputs, blocks: blocks, named: [name], dynamic: dynamic)
  }

  func rank(_ name: String) throws -> Int { try builder.tensorType(of: name).rank }

  mutating func constant(_ values: [Int]) throws -> String { builder.constant(.int32s(values), named: "ints") }

  /// Sizes `range` of a value's shape, as an int32 vector.
  mutating func sizes(of name: String, _ range: Range<Int>) throws -> String {
    let type = try builder.tensorType(of: name)
    guard range.lowerBound >= 0, range.upperBound <= type.rank else {
      throw error(.invalidModel, "asks for axes \(range) of a value of rank \(type.rank)")
    }
    if let known = TensorType(type.scalar, Array(type.shape[range])).concreteShape { return try constant(known) }
    let shape = try emit("shape", ["x": .name(name)])
    return try emit(
      "slice_by_index", ["x": .name(shape), "begin": .ints([range.lowerBound]), "end": .ints([range.upperBound])])
  }

  mutating func concat(_ parts: [String], axis: Int = 0) throws -> String {
    if parts.count == 1 { return parts[0] }
    let names = try emit(
      "concat", all: ["values": parts.map { .name($0) }, "axis": [.int(axis)], "interleave": [.bool(false)]])
    return names[0]
  }

  mutating func transpose(_ name: String, _ perm: [Int]) throws -> String {
    try emit("transpose", ["x": .name(name), "perm": .ints(perm)])
  }

  mutating func reshape(_ name: String, _ shape: [Int]) throws -> String {
    try emit("reshape", ["x": .name(name), "shape": .ints(shape)])
  }

  mutating func cast(_ name: String, _ scalar: ScalarType) throws -> String {
    if try builder.tensorType(of: name).scalar == scalar { return name }
    return try emit("cast", ["x": .name(name), "dtype": .string(scalar.rawValue)])
  }

  /// A value with at least `rank` axes: ones are put before the others.
  mutating func withRank(_ name: String, atLeast rank: Int) throws -> String {
    let own = try self.rank(name)
    guard own < rank else { return name }
    return try emit("expand_dims", ["x": .name(name), "axes": .ints(Array(0..<(rank - own)))])
  }
}
