import CoreMLSpec
import MIL

/// Blobs are fp32; what MIL wants or gives in another type is cast on the way. Known values are cast here and now, so that whatever
/// depends on them (axes, counts, shapes) is known to the rules too.
extension NetworkImport {
  /// The value of a name, when it is a constant.
  func known(_ name: String) -> Tensor? { builder.scope.values[name]?.tensor }

  mutating func asFloat(_ name: String) throws -> String { try converted(name, .float32) }

  mutating func asInt(_ name: String) throws -> String { try converted(name, .int32) }

  /// An input whose fp32 numbers are meant as integers.
  mutating func intInput(_ index: Int) throws -> String { try asInt(input(index)) }

  /// An input that holds one number, as an integer scalar.
  mutating func scalarInput(_ index: Int) throws -> String { try asInt(reshapedToScalar(input(index))) }

  /// A value of one element without axes.
  mutating func reshapedToScalar(_ name: String) throws -> String {
    let rank = try rank(name)
    if rank == 0 { return name }
    if let tensor = known(name) {
      return builder.constant(.tensor(try tensor.reshaped(to: [])), named: layer.name)
    }
    return try emit("squeeze", ["x": .name(name), "axes": .ints(Array(0..<rank))])
  }

  /// Blobs have at least one axis: a scalar becomes a vector of one.
  mutating func atLeastVector(_ name: String) throws -> String {
    try rank(name) == 0 ? emit("expand_dims", ["x": .name(name), "axes": .ints([0])]) : name
  }

  private mutating func converted(_ name: String, _ scalar: ScalarType) throws -> String {
    let type = try builder.tensorType(of: name)
    if type.scalar == scalar { return name }
    guard let tensor = known(name) else { return try cast(name, scalar) }
    return builder.constant(.tensor(try tensor.converted(to: scalar)), named: layer.name)
  }
}
