import CoreMLSpec
import MIL

/// Blobs are fp32 with at least one axis. Values for which MIL uses another type are cast.
extension NetworkGraph {
  /// The tensor of a name if it is a constant; nil otherwise.
  func known(_ name: String) -> Tensor? { builder.scope.values[name]?.tensor }

  func asFloat(_ name: String) throws -> String { try cast(name, .float32) }

  /// An input whose fp32 elements represent integers, cast to int32.
  func intInput(_ index: Int) throws -> String { try cast(input(index), .int32) }

  /// An input that holds a shape, as an int32 vector whatever its rank.
  func shapeInput(_ index: Int) throws -> String {
    let value = try intInput(index)
    return try rank(value) == 1 ? value : emit("reshape", ["x": .name(value), "shape": .ints([-1])])
  }

  /// An input that holds one number, as a scalar.
  func scalarInput(_ index: Int, _ scalar: ScalarType = .int32) throws -> String {
    let value = try input(index)
    let rank = try rank(value)
    let single = try rank == 0 ? value : emit("squeeze", ["x": .name(value), "axes": .ints(Array(0..<rank))])
    return try cast(single, scalar)
  }

  /// Expands a scalar to a vector with one element, and remembers that it was a scalar.
  func atLeastVector(_ name: String) throws -> String {
    guard try rank(name) == 0 else { return name }
    let vector = try emit("expand_dims", ["x": .name(name), "axes": .ints([0])])
    scalars.insert(vector)
    return vector
  }

  /// Converts a blob to booleans: every element except 0 is true.
  func truth(_ value: String) throws -> String {
    try emit("not_equal", ["x": .name(value), "y": .float(0)])
  }
}
