import CoreMLSpec
import MIL

/// Layers that change the shape of a value, and layers that create or use shapes.
struct ShapeLayers {
  let graph: NetworkGraph

  /// Ranks must not depend on the sizes of inputs. So squeezing all axes of size 1 keeps an axis whose size is not
  /// fixed.
  func squeeze(_ params: Specification.SqueezeLayerParams) throws {
    let x = try graph.input(0)
    let shape = try graph.builder.tensorType(of: x).shape
    let axes =
      try params.squeezeAll
      ? shape.indices.filter { shape[$0].value == 1 } : params.axes.map { try graph.int($0, "axes") }
    try graph.set(
      0, axes.isEmpty ? x : graph.atLeastVector(graph.emit("squeeze", ["x": .name(x), "axes": .ints(axes)])))
  }

  func expandDims(_ params: Specification.ExpandDimsLayerParams) throws {
    let (x, axes) = (try graph.input(0), try params.axes.map { try graph.int($0, "axes") })
    // If the value was a scalar, all its axes are new: converters create a one-element vector from it this way.
    let isScalar = graph.scalars.contains(x) && !axes.isEmpty && Set(axes).count == axes.count
    try graph.set(
      0,
      isScalar
        ? graph.reshape(x, Array(repeating: 1, count: axes.count))
        : graph.emit("expand_dims", ["x": .name(x), "axes": .ints(axes)]))
  }

  func flattenTo2D(_ params: Specification.FlattenTo2DLayerParams) throws {
    try graph.set(
      0, graph.emit("flatten2d", ["x": .name(graph.input(0)), "axis": .int(graph.int(params.axis, "axis"))]))
  }

  func reshapeStatic(_ params: Specification.ReshapeStaticLayerParams) throws {
    let shape = try params.targetShape.map { try graph.int($0, "targetShape") }
    try graph.set(0, graph.atLeastVector(graph.reshape(graph.input(0), shape)))
  }

  func reshapeLike() throws {
    let like = try graph.input(1)
    let shape = try graph.sizes(of: like, 0..<graph.rank(like))
    try graph.set(0, graph.emit("reshape", ["x": .name(graph.input(0)), "shape": .name(shape)]))
  }

  func reshapeDynamic() throws {
    try graph.set(0, graph.emit("reshape", ["x": .name(graph.input(0)), "shape": .name(graph.shapeInput(1))]))
  }

  /// A size of 0 keeps the size of that axis.
  func rankPreservingReshape(_ params: Specification.RankPreservingReshapeLayerParams) throws {
    let x = try graph.input(0)
    let target = try params.targetShape.map { try graph.int($0, "targetShape") }
    guard target.count == (try graph.rank(x)) else {
      throw graph.error(
        .invalidModel, "'targetShape' has \(target.count) entries for a value of rank \(try graph.rank(x))")
    }
    let parts = try target.enumerated().map { axis, size in
      try size == 0 ? graph.sizes(of: x, axis..<(axis + 1)) : graph.constant([size])
    }
    try graph.set(0, graph.emit("reshape", ["x": .name(x), "shape": .name(graph.concat(parts))]))
  }

  func getShape() throws {
    let x = try graph.input(0)
    try graph.set(0, graph.asFloat(graph.sizes(of: x, 0..<graph.rank(x))))
  }

  // MARK: broadcasting to a shape

  func broadcastToLike() throws {
    let like = try graph.input(1)
    try broadcast(to: graph.sizes(of: like, 0..<graph.rank(like)))
  }

  func broadcastToStatic(_ params: Specification.BroadcastToStaticLayerParams) throws {
    try broadcast(to: graph.constant(params.targetShape.map { try graph.int($0, "targetShape") }))
  }

  func broadcastToDynamic() throws { try broadcast(to: graph.shapeInput(1)) }

  /// Multiplies by a tensor of ones in the target shape. This is exact for every number, and an incompatible shape is
  /// rejected.
  private func broadcast(to shape: String) throws {
    let x = try graph.input(0)
    let target = try graph.builder.tensorType(of: shape)
    guard target.rank == 1, target.shape[0].value.map({ $0 >= (try? graph.rank(x)) ?? 0 }) ?? true else {
      throw graph.error(
        .invalidModel, "a value of rank \(try graph.rank(x)) cannot be broadcast to a shape that is \(target)")
    }
    let ones = try graph.emit("fill", ["shape": .name(shape), "value": .float(1)])
    try graph.set(0, graph.emit("mul", ["x": .name(x), "y": .name(ones)]))
  }
}
