import CoreMLSpec
import MIL

/// Reductions over axes, and sorting, counting and prefix sums along one axis.
extension NetworkImport {
  /// Reduces all axes if none is named. A blob has at least one axis, so a full reduction gives a vector with one
  /// element.
  mutating func reduce(_ operation: String, axes: [Int64], keepDims: Bool, all: Bool) throws {
    let x = try input(0)
    let axes = try axes.map { try int($0, "axes") }
    var arguments: [String: Binding] = ["x": .name(x), "keep_dims": .bool(keepDims)]
    if !all, !axes.isEmpty { arguments["axes"] = .ints(axes) }
    try set(0, atLeastVector(emit(operation, arguments)))
  }

  mutating func argument(_ operation: String, axis: Int64, removeDim: Bool) throws {
    let x = try input(0)
    let result = try emit(
      operation,
      ["x": .name(x), "axis": .int(int(axis, "axis")), "keep_dims": .bool(!removeDim || rank(x) == 1)])
    try set(0, asFloat(result))
  }

  mutating func topK(_ params: Specification.TopKLayerParams) throws {
    let count: Binding = layer.inputs.count > 1 ? .name(try scalarInput(1)) : .int(try int(params.k, "K"))
    let results = try emit(
      "topk",
      all: [
        "x": [.name(input(0))], "k": [count], "axis": [.int(int(params.axis, "axis"))],
        "ascending": [.bool(params.useBottomK)],
      ])
    guard results.count == 2 else { throw error(.invalidModel, "gives \(results.count) values, expected 2") }
    try set(0, results[0])
    if layer.outputs.count > 1 { try set(1, asFloat(results[1])) }
  }

  mutating func argSort(_ params: Specification.ArgSortLayerParams) throws {
    let indices = try emit(
      "argsort",
      ["x": .name(input(0)), "axis": .int(int(params.axis, "axis")), "ascending": .bool(!params.descending)])
    try set(0, asFloat(indices))
  }

  mutating func cumSum(_ params: Specification.CumSumLayerParams) throws {
    let axis: Binding = layer.inputs.count > 1 ? .name(try scalarInput(1)) : .int(try int(params.axis, "axis"))
    let x = try input(0)
    let arguments: [String: Binding] = [
      "x": .name(x), "axis": axis, "exclusive": .bool(try params.excludeFinalSum), "reverse": .bool(try params.reverse),
    ]
    try set(0, emit("cumsum", arguments, dynamic: builder.tensorType(of: x)))
  }
}
