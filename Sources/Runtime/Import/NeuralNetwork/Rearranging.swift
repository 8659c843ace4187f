import CoreMLSpec
import MIL

/// Layers that put values together, take them apart, repeat or reorder them along axes of any rank.
extension NetworkImport {
  mutating func transpose(_ params: Specification.TransposeLayerParams) throws {
    try set(0, transpose(input(0), params.axes.map { try int($0, "axes") }))
  }

  mutating func concatND(_ params: Specification.ConcatNDLayerParams) throws {
    let values = try layer.inputs.indices.map { try input($0) }
    guard !values.isEmpty else { throw error(.invalidModel, "has no inputs") }
    let result = try emit(
      "concat",
      all: [
        "values": values.map { .name($0) }, "axis": [.int(int(params.axis, "axis"))],
        "interleave": [.bool(params.interleave)],
      ])
    try set(0, result[0])
  }

  mutating func stack(_ params: Specification.StackLayerParams) throws {
    let values = try layer.inputs.indices.map { try input($0) }
    guard !values.isEmpty else { throw error(.invalidModel, "has no inputs") }
    let result = try emit(
      "stack", all: ["values": values.map { .name($0) }, "axis": [.int(int(params.axis, "axis"))]])
    try set(0, result[0])
  }

  mutating func splitND(_ params: Specification.SplitNDLayerParams) throws {
    let sizes = try params.splitSizes.map { try int($0, "splitSizes") }
    var arguments: [String: [Binding]] = ["x": [.name(try input(0))], "axis": [.int(try int(params.axis, "axis"))]]
    if sizes.isEmpty {
      let count = try int(params.numSplits, "numSplits")
      arguments["num_splits"] = [.int(count == 0 ? layer.outputs.count : count)]
    } else {
      arguments["split_sizes"] = [.ints(sizes)]
    }
    let parts = try emit("split", all: arguments)
    for (index, part) in parts.enumerated() where index < layer.outputs.count { try set(index, part) }
  }

  /// Missing repetitions of leading axes are ones.
  mutating func tile(_ params: Specification.TileLayerParams) throws {
    let x = try input(0)
    if layer.inputs.count > 1 {
      try set(0, emit("tile", ["x": .name(x), "reps": .name(intInput(1))]))
      return
    }
    let reps = try params.reps.map { try int($0, "reps") }
    let rank = try rank(x)
    guard reps.count <= rank else {
      throw error(.invalidModel, "'reps' has \(reps.count) entries for a value of rank \(rank)")
    }
    try set(
      0, emit("tile", ["x": .name(x), "reps": .ints(Array(repeating: 1, count: rank - reps.count) + reps)]))
  }

  mutating func reverse(_ params: Specification.ReverseLayerParams) throws {
    let x = try input(0)
    let marks = try params.reverseDim
    guard marks.count == (try rank(x)) else {
      throw error(.invalidModel, "'reverseDim' has \(marks.count) entries for a value of rank \(try rank(x))")
    }
    let axes = marks.indices.filter { marks[$0] }
    // Without axes MIL's operation reverses all of them.
    try set(0, axes.isEmpty ? x : emit("reverse", ["x": .name(x), "axes": .ints(axes)]))
  }

  mutating func reverseSeq(_ params: Specification.ReverseSeqLayerParams) throws {
    let axes = (batch: try int(params.batchAxis, "batchAxis"), sequence: try int(params.sequenceAxis, "sequenceAxis"))
    try set(
      0,
      emit(
        "reverse_sequence",
        [
          "x": .name(input(0)), "lengths": .name(intInput(1)), "seq_axis": .int(axes.sequence),
          "batch_axis": .int(axes.batch),
        ]))
  }

  mutating func slidingWindows(_ params: Specification.SlidingWindowsLayerParams) throws {
    try set(
      0,
      emit(
        "sliding_windows",
        [
          "x": .name(input(0)), "axis": .int(int(params.axis, "axis")),
          "size": .int(int(params.windowSize, "windowSize")), "stride": .int(int(params.step, "step")),
        ]))
  }
}
