import CoreMLSpec
import MIL

/// Layers that change the shape of a value, and layers that create or use shapes.
extension NetworkImport {
  /// Ranks must not depend on the sizes of inputs. So squeezing all axes of size 1 keeps an axis whose size is not
  /// fixed.
  mutating func squeeze(_ params: Specification.SqueezeLayerParams) throws {
    let x = try input(0)
    let shape = try builder.tensorType(of: x).shape
    let axes =
      try params.squeezeAll ? shape.indices.filter { shape[$0].value == 1 } : params.axes.map { try int($0, "axes") }
    try set(0, axes.isEmpty ? x : atLeastVector(emit("squeeze", ["x": .name(x), "axes": .ints(axes)])))
  }

  mutating func expandDims(_ params: Specification.ExpandDimsLayerParams) throws {
    let (x, axes) = (try input(0), try params.axes.map { try int($0, "axes") })
    // If the value was a scalar, all its axes are new: converters create a one-element vector from it this way.
    let isScalar = scalars.contains(x) && !axes.isEmpty && Set(axes).count == axes.count
    try set(
      0,
      isScalar
        ? reshape(x, Array(repeating: 1, count: axes.count))
        : emit("expand_dims", ["x": .name(x), "axes": .ints(axes)]))
  }

  mutating func flattenTo2D(_ params: Specification.FlattenTo2DLayerParams) throws {
    try set(0, emit("flatten2d", ["x": .name(input(0)), "axis": .int(int(params.axis, "axis"))]))
  }

  mutating func reshapeStatic(_ params: Specification.ReshapeStaticLayerParams) throws {
    let shape = try params.targetShape.map { try int($0, "targetShape") }
    try set(0, atLeastVector(reshape(input(0), shape)))
  }

  mutating func reshapeLike() throws {
    let like = try input(1)
    let shape = try sizes(of: like, 0..<rank(like))
    try set(0, emit("reshape", ["x": .name(input(0)), "shape": .name(shape)]))
  }

  mutating func reshapeDynamic() throws {
    try set(0, emit("reshape", ["x": .name(input(0)), "shape": .name(shapeInput(1))]))
  }

  /// A size of 0 keeps the size of that axis.
  mutating func rankPreservingReshape(_ params: Specification.RankPreservingReshapeLayerParams) throws {
    let x = try input(0)
    let target = try params.targetShape.map { try int($0, "targetShape") }
    guard target.count == (try rank(x)) else {
      throw error(.invalidModel, "'targetShape' has \(target.count) entries for a value of rank \(try rank(x))")
    }
    let parts = try target.enumerated().map { axis, size in
      try size == 0 ? sizes(of: x, axis..<(axis + 1)) : constant([size])
    }
    try set(0, emit("reshape", ["x": .name(x), "shape": .name(concat(parts))]))
  }

  mutating func getShape() throws {
    let x = try input(0)
    try set(0, asFloat(sizes(of: x, 0..<rank(x))))
  }

  // MARK: broadcasting to a shape

  mutating func broadcastToLike() throws {
    let like = try input(1)
    try broadcast(to: sizes(of: like, 0..<rank(like)))
  }

  mutating func broadcastToStatic(_ params: Specification.BroadcastToStaticLayerParams) throws {
    try broadcast(to: constant(params.targetShape.map { try int($0, "targetShape") }))
  }

  mutating func broadcastToDynamic() throws { try broadcast(to: shapeInput(1)) }

  /// Multiplies by a tensor of ones in the target shape. This is exact for every number, and an incompatible shape is
  /// rejected.
  private mutating func broadcast(to shape: String) throws {
    let x = try input(0)
    let target = try builder.tensorType(of: shape)
    guard target.rank == 1, target.shape[0].value.map({ $0 >= (try? rank(x)) ?? 0 }) ?? true else {
      throw error(.invalidModel, "a value of rank \(try rank(x)) cannot be broadcast to a shape that is \(target)")
    }
    let ones = try emit("fill", ["shape": .name(shape), "value": .float(1)])
    try set(0, emit("mul", ["x": .name(x), "y": .name(ones)]))
  }
}
