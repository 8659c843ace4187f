import CoreMLSpec
import MIL

/// Layers that concatenate, split, repeat or reorder values along axes of any rank.
struct RearrangementLayers {
  let graph: NetworkGraph

  func transpose(_ params: Specification.TransposeLayerParams) throws {
    let x = try graph.input(0)
    let rank = try graph.rank(x)
    let axes = try params.axes.map { try graph.int($0, "axes") }
    // Files describe an image as (C, H, W): if there are fewer axes than the value has, they are its last axes.
    let kept = max(rank - axes.count, 0)
    try graph.set(0, graph.transpose(x, Array(0..<kept) + axes.map { $0 < 0 ? $0 : $0 + kept }))
  }

  func concatND(_ params: Specification.ConcatNDLayerParams) throws {
    let inputs = try graph.layer.inputs.indices.map { try graph.input($0) }
    guard !inputs.isEmpty else { throw graph.error(.invalidModel, "has no inputs") }
    // An input whose rank is known only at run time is assumed to have the rank of the others. The operation rejects
    // inputs that are not tensors.
    let types = inputs.map { try? graph.builder.tensorType(of: $0) }
    let known = types.compactMap { $0 }
    let least = known.map(\.rank).min() ?? 0
    // A value that was a scalar before conversion is an array with one element here. Its number of axes depends on the
    // layers before.
    let values = try zip(inputs, types).map { value, type in
      guard let type, type.rank > least, type.elementCount == 1 else { return value }
      return try graph.emit("reshape", ["x": .name(value), "shape": .ints(Array(repeating: 1, count: least))])
    }
    let result = try graph.emit(
      "concat",
      all: [
        "values": values.map { .name($0) }, "axis": [.int(graph.int(params.axis, "axis"))],
        "interleave": [.bool(params.interleave)],
      ],
      dynamic: [known.first.map { .tensor(TensorType($0.scalar, Array(repeating: .unknown, count: least))) } ?? .open])
    try graph.set(0, result[0])
  }

  func stack(_ params: Specification.StackLayerParams) throws {
    let values = try graph.layer.inputs.indices.map { try graph.input($0) }
    guard !values.isEmpty else { throw graph.error(.invalidModel, "has no inputs") }
    if values.allSatisfy({ graph.scalars.contains($0) }), (-1...0).contains(try params.axis) {
      try graph.set(0, graph.concat(values))
      return
    }
    let result = try graph.emit(
      "stack", all: ["values": values.map { .name($0) }, "axis": [.int(graph.int(params.axis, "axis"))]])
    try graph.set(0, result[0])
  }

  func splitND(_ params: Specification.SplitNDLayerParams) throws {
    let sizes = try params.splitSizes.map { try graph.int($0, "splitSizes") }
    var arguments: [String: [Binding]] = [
      "x": [.name(try graph.input(0))], "axis": [.int(try graph.int(params.axis, "axis"))],
    ]
    if sizes.isEmpty {
      let given = try graph.int(params.numSplits, "numSplits")
      let count = given == 0 ? graph.layer.outputs.count : given
      if let size = try axisSize(of: graph.input(0), params.axis), count > 0, size % count != 0,
        count <= Swift.min(size, 1 << 16)
      {
        // If the axis does not divide evenly, the first parts are larger by one.
        arguments["split_sizes"] = [.ints((0..<count).map { size / count + ($0 < size % count ? 1 : 0) })]
      } else {
        arguments["num_splits"] = [.int(count)]
      }
    } else {
      arguments["split_sizes"] = [.ints(sizes)]
    }
    let parts = try graph.emit("split", all: arguments)
    for (index, part) in parts.enumerated() where index < graph.layer.outputs.count { try graph.set(index, part) }
  }

  /// The size of an axis; nil if it is not fixed.
  private func axisSize(of name: String, _ axis: Int64) throws -> Int? {
    let shape = try graph.builder.tensorType(of: name).shape
    let index = try graph.int(axis, "axis")
    let place = index < 0 ? index + shape.count : index
    return shape.indices.contains(place) ? shape[place].value : nil
  }

  /// Missing repetitions of leading axes are 1.
  func tile(_ params: Specification.TileLayerParams) throws {
    let x = try graph.input(0)
    if graph.layer.inputs.count > 1 {
      try graph.set(0, graph.emit("tile", ["x": .name(x), "reps": .name(repetitions(graph.rank(x)))]))
      return
    }
    let reps = try params.reps.map { try graph.int($0, "reps") }
    let rank = try graph.rank(x)
    guard reps.count <= rank else {
      throw graph.error(.invalidModel, "'reps' has \(reps.count) entries for a value of rank \(rank)")
    }
    try graph.set(
      0, graph.emit("tile", ["x": .name(x), "reps": .ints(Array(repeating: 1, count: rank - reps.count) + reps)]))
  }

  /// The second input, padded with leading ones to one number per axis. If its length is not known, the number of ones
  /// is computed at run time. An input that is too long results in a negative number of ones, which fails at run time.
  private func repetitions(_ rank: Int) throws -> String {
    let reps = try graph.shapeInput(1)
    let count = try graph.builder.tensorType(of: reps).shape[0].value
    if let count, count >= rank { return reps }
    let missing =
      try count.map { try graph.constant([rank - $0]) }
      ?? graph.emit("sub", ["x": .ints([rank]), "y": .name(graph.emit("shape", ["x": .name(reps)]))])
    let ones = try graph.emit("fill", ["shape": .name(missing), "value": .int(1)])
    return try graph.concat([ones, reps])
  }

  func reverse(_ params: Specification.ReverseLayerParams) throws {
    let x = try graph.input(0)
    let marks = try params.reverseDim
    guard marks.count == (try graph.rank(x)) else {
      throw graph.error(
        .invalidModel, "'reverseDim' has \(marks.count) entries for a value of rank \(try graph.rank(x))")
    }
    let axes = marks.indices.filter { marks[$0] }
    // MIL's `reverse` without axes reverses all of them, so it must not be emitted in this case.
    try graph.set(0, axes.isEmpty ? x : graph.emit("reverse", ["x": .name(x), "axes": .ints(axes)]))
  }

  func reverseSeq(_ params: Specification.ReverseSeqLayerParams) throws {
    let axes = (
      batch: try graph.int(params.batchAxis, "batchAxis"), sequence: try graph.int(params.sequenceAxis, "sequenceAxis")
    )
    try graph.set(
      0,
      graph.emit(
        "reverse_sequence",
        [
          "x": .name(graph.input(0)), "lengths": .name(graph.intInput(1)), "seq_axis": .int(axes.sequence),
          "batch_axis": .int(axes.batch),
        ]))
  }

  func slidingWindows(_ params: Specification.SlidingWindowsLayerParams) throws {
    try graph.set(
      0,
      graph.emit(
        "sliding_windows",
        [
          "x": .name(graph.input(0)), "axis": .int(graph.int(params.axis, "axis")),
          "size": .int(graph.int(params.windowSize, "windowSize")), "stride": .int(graph.int(params.step, "step")),
        ]))
  }
}
