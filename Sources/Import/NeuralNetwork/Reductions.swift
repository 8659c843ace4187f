import CoreMLSpec
import MIL

/// Reductions over axes, and sorting, counting and prefix sums along one axis.
struct ReductionLayers {
  let graph: NetworkGraph

  /// Reduces all axes if none is named. A blob has at least one axis, so a full reduction gives a vector with one
  /// element.
  func reduce(_ operation: String, axes: [Int64], keepDims: Bool, all: Bool) throws {
    let x = try graph.input(0)
    let axes = try axes.map { try graph.int($0, "axes") }
    var arguments: [String: Binding] = ["x": .name(x), "keep_dims": .bool(keepDims)]
    if !all, !axes.isEmpty { arguments["axes"] = .ints(axes) }
    try graph.set(0, graph.atLeastVector(graph.emit(operation, arguments)))
  }

  func argument(_ operation: String, axis: Int64, removeDim: Bool) throws {
    let x = try graph.input(0)
    let result = try graph.emit(
      operation,
      ["x": .name(x), "axis": .int(graph.int(axis, "axis")), "keep_dims": .bool(!removeDim || graph.rank(x) == 1)])
    try graph.set(0, graph.asFloat(result))
  }

  func topK(_ params: Specification.TopKLayerParams) throws {
    let count: Binding =
      graph.layer.inputs.count > 1 ? .name(try graph.scalarInput(1)) : .int(try graph.int(params.k, "K"))
    let results = try graph.emit(
      "topk",
      all: [
        "x": [.name(graph.input(0))], "k": [count], "axis": [.int(graph.int(params.axis, "axis"))],
        "ascending": [.bool(params.useBottomK)],
      ])
    guard results.count == 2 else { throw graph.error(.invalidModel, "gives \(results.count) values, expected 2") }
    try graph.set(0, results[0])
    if graph.layer.outputs.count > 1 { try graph.set(1, graph.asFloat(results[1])) }
  }

  func argSort(_ params: Specification.ArgSortLayerParams) throws {
    let indices = try graph.emit(
      "argsort",
      [
        "x": .name(graph.input(0)), "axis": .int(graph.int(params.axis, "axis")),
        "ascending": .bool(!params.descending),
      ])
    try graph.set(0, graph.asFloat(indices))
  }

  func cumSum(_ params: Specification.CumSumLayerParams) throws {
    let axis: Binding =
      graph.layer.inputs.count > 1 ? .name(try graph.scalarInput(1)) : .int(try graph.int(params.axis, "axis"))
    let x = try graph.input(0)
    let arguments: [String: Binding] = [
      "x": .name(x), "axis": axis, "exclusive": .bool(try params.excludeFinalSum), "reverse": .bool(try params.reverse),
    ]
    try graph.set(0, graph.emit("cumsum", arguments, dynamic: graph.builder.tensorType(of: x)))
  }
}
