import CoreMLSpec
import MIL

/// Layers that select elements by a condition or by position, and non-maximum suppression.
extension NetworkImport {
  mutating func whereNonZero() throws {
    try set(0, asFloat(emit("non_zero", ["x": .name(input(0))])))
  }

  mutating func whereBroadcastable() throws {
    try set(
      0, emit("select", ["cond": .name(truth(input(0))), "a": .name(input(1)), "b": .name(input(2))]))
  }

  mutating func matrixBandPart(_ params: Specification.MatrixBandPartLayerParams) throws {
    try set(
      0, band(input(0), lower: int(params.numLower, "numLower"), upper: int(params.numUpper, "numUpper")))
  }

  /// Keeps row - column >= -k.
  mutating func lowerTriangular(_ params: Specification.LowerTriangularLayerParams) throws {
    let k = try int(params.k, "k")
    let x = try input(0)
    try set(0, k >= 0 ? band(x, lower: -1, upper: k) : outside(x, lower: -k - 1, upper: -1))
  }

  /// Keeps column - row >= k.
  mutating func upperTriangular(_ params: Specification.UpperTriangularLayerParams) throws {
    let k = try int(params.k, "k")
    let x = try input(0)
    try set(0, k <= 0 ? band(x, lower: -k, upper: -1) : outside(x, lower: -1, upper: k - 1))
  }

  private mutating func band(_ x: String, lower: Int, upper: Int) throws -> String {
    try emit("band_part", ["x": .name(x), "lower": .int(lower), "upper": .int(upper)])
  }

  /// Keeps the elements outside a band of the last two axes.
  private mutating func outside(_ x: String, lower: Int, upper: Int) throws -> String {
    let rank = try rank(x)
    guard rank >= 2 else { throw error(.invalidModel, "takes matrices, the input has rank \(rank)") }
    let ones = try emit("fill", ["shape": .name(sizes(of: x, (rank - 2)..<rank)), "value": .float(1)])
    let inside = try truth(band(ones, lower: lower, upper: upper))
    return try emit("select", ["cond": .name(inside), "a": .float(0), "b": .name(x)])
  }

  /// Thresholds and the number of boxes may be inputs. A batch item without a box above the score threshold returns its
  /// best box.
  mutating func nonMaximumSuppression(_ params: Specification.NonMaximumSuppressionLayerParams) throws {
    var arguments: [String: Binding] = [
      "boxes": .name(try input(0)), "scores": .name(try input(1)), "iou_threshold": .float(try params.iouThreshold),
      "score_threshold": .float(try params.scoreThreshold), "max_boxes": .int(try int(params.maxBoxes, "maxBoxes")),
      "per_class_suppression": .bool(try params.perClassSuppression),
    ]
    if layer.inputs.count > 2 { arguments["iou_threshold"] = .name(try scalarInput(2, .float32)) }
    if layer.inputs.count > 3 { arguments["score_threshold"] = .name(try scalarInput(3, .float32)) }
    if layer.inputs.count > 4 { arguments["max_boxes"] = .name(try scalarInput(4)) }
    let results = try emit("nn.non_maximum_suppression", all: arguments.mapValues { [$0] })
    for (index, result) in results.enumerated() where index < layer.outputs.count { try set(index, asFloat(result)) }
  }
}
