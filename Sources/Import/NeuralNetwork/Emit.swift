import MIL

/// Helpers to emit the operations that layers are lowered to.
extension NetworkGraph {
  /// Emits an operation and returns its first output.
  ///
  /// - Parameter dynamic: the result's type if the operation's type rule needs a value that is known only at run time.
  ///   If it is nil, the type and even the rank are open until the input shapes or the run determine them.
  func emit(_ type: String, _ inputs: [String: Binding], dynamic: TensorType? = nil) throws -> String {
    let names = try emit(type, all: inputs.mapValues { [$0] }, dynamic: [dynamic.map { .tensor($0) } ?? .open])
    guard let name = names.first else { throw error(.invalidModel, "'\(type)' has no outputs") }
    return name
  }

  /// Emits an operation with several outputs or variadic arguments, and returns its outputs.
  func emit(
    _ type: String, all inputs: [String: [Binding]], blocks: [Block] = [], dynamic: [ValueType]? = nil
  ) throws -> [String] {
    let name = layer.name.isEmpty ? type : layer.name
    if blocks.isEmpty, let values = try folded(type, inputs) {
      return values.map { builder.constant($0, named: name) }
    }
    return try builder.add(type, inputs, blocks: blocks, named: [name], dynamic: dynamic)
  }

  func rank(_ name: String) throws -> Int { try builder.tensorType(of: name).rank }

  func constant(_ values: [Int]) throws -> String { builder.constant(.int32s(values), named: "ints") }

  /// The sizes of the axes `range` of a value, as an int32 vector.
  func sizes(of name: String, _ range: Range<Int>) throws -> String {
    let type = try builder.tensorType(of: name)
    guard range.lowerBound >= 0, range.upperBound <= type.rank else {
      throw error(.invalidModel, "asks for axes \(range) of a value of rank \(type.rank)")
    }
    if let known = TensorType(type.scalar, Array(type.shape[range])).concreteShape { return try constant(known) }
    let shape = try emit("shape", ["x": .name(name)])
    return try emit(
      "slice_by_index", ["x": .name(shape), "begin": .ints([range.lowerBound]), "end": .ints([range.upperBound])])
  }

  func concat(_ parts: [String], axis: Int = 0) throws -> String {
    if parts.count == 1 { return parts[0] }
    let names = try emit(
      "concat", all: ["values": parts.map { .name($0) }, "axis": [.int(axis)], "interleave": [.bool(false)]])
    return names[0]
  }

  func transpose(_ name: String, _ perm: [Int]) throws -> String {
    try emit("transpose", ["x": .name(name), "perm": .ints(perm)])
  }

  func reshape(_ name: String, _ shape: [Int]) throws -> String {
    try emit("reshape", ["x": .name(name), "shape": .ints(shape)])
  }

  func cast(_ name: String, _ scalar: ScalarType) throws -> String {
    if try builder.tensorType(of: name).scalar == scalar { return name }
    return try emit("cast", ["x": .name(name), "dtype": .string(scalar.rawValue)])
  }

  /// Returns a value with at least `rank` axes; missing leading axes are added with size 1.
  func withRank(_ name: String, atLeast rank: Int) throws -> String {
    let own = try self.rank(name)
    guard own < rank else { return name }
    return try emit("expand_dims", ["x": .name(name), "axes": .ints(Array(0..<(rank - own)))])
  }
}
