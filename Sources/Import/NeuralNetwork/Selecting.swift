import CoreMLSpec
import MIL

/// Layers that select elements by a condition or by position, and non-maximum suppression.
struct SelectionLayers {
  let graph: NetworkGraph

  func whereNonZero() throws {
    try graph.set(0, graph.asFloat(graph.emit("non_zero", ["x": .name(graph.input(0))])))
  }

  func whereBroadcastable() throws {
    try graph.set(
      0,
      graph.emit(
        "select", ["cond": .name(graph.truth(graph.input(0))), "a": .name(graph.input(1)), "b": .name(graph.input(2))]))
  }

  func matrixBandPart(_ params: Specification.MatrixBandPartLayerParams) throws {
    try graph.set(
      0,
      band(graph.input(0), lower: graph.int(params.numLower, "numLower"), upper: graph.int(params.numUpper, "numUpper"))
    )
  }

  /// Keeps row - column >= -k.
  func lowerTriangular(_ params: Specification.LowerTriangularLayerParams) throws {
    let k = try graph.int(params.k, "k")
    let x = try graph.input(0)
    try graph.set(0, k >= 0 ? band(x, lower: -1, upper: k) : outside(x, lower: -k - 1, upper: -1))
  }

  /// Keeps column - row >= k.
  func upperTriangular(_ params: Specification.UpperTriangularLayerParams) throws {
    let k = try graph.int(params.k, "k")
    let x = try graph.input(0)
    try graph.set(0, k <= 0 ? band(x, lower: -k, upper: -1) : outside(x, lower: -1, upper: k - 1))
  }

  private func band(_ x: String, lower: Int, upper: Int) throws -> String {
    try graph.emit("band_part", ["x": .name(x), "lower": .int(lower), "upper": .int(upper)])
  }

  /// Keeps the elements outside a band of the last two axes.
  private func outside(_ x: String, lower: Int, upper: Int) throws -> String {
    let rank = try graph.rank(x)
    guard rank >= 2 else { throw graph.error(.invalidModel, "takes matrices, the input has rank \(rank)") }
    let ones = try graph.emit("fill", ["shape": .name(graph.sizes(of: x, (rank - 2)..<rank)), "value": .float(1)])
    let inside = try graph.truth(band(ones, lower: lower, upper: upper))
    return try graph.emit("select", ["cond": .name(inside), "a": .float(0), "b": .name(x)])
  }

  /// Thresholds and the number of boxes may be inputs. A batch item without a box above the score threshold returns its
  /// best box.
  func nonMaximumSuppression(_ params: Specification.NonMaximumSuppressionLayerParams) throws {
    var arguments: [String: Binding] = [
      "boxes": .name(try graph.input(0)), "scores": .name(try graph.input(1)),
      "iou_threshold": .float(try params.iouThreshold),
      "score_threshold": .float(try params.scoreThreshold),
      "max_boxes": .int(try graph.int(params.maxBoxes, "maxBoxes")),
      "per_class_suppression": .bool(try params.perClassSuppression),
    ]
    if graph.layer.inputs.count > 2 { arguments["iou_threshold"] = .name(try graph.scalarInput(2, .float32)) }
    if graph.layer.inputs.count > 3 { arguments["score_threshold"] = .name(try graph.scalarInput(3, .float32)) }
    if graph.layer.inputs.count > 4 { arguments["max_boxes"] = .name(try graph.scalarInput(4)) }
    let results = try graph.emit("nn.non_maximum_suppression", all: arguments.mapValues { [$0] })
    for (index, result) in results.enumerated() where index < graph.layer.outputs.count {
      try graph.set(index, graph.asFloat(result))
    }
  }
}
