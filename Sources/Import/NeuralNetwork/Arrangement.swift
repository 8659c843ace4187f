import CoreMLSpec
import MIL

/// The legacy layers that move data: `loadConstant`, `reshape`, `flatten`, `permute`, `concat`, `split`,
/// `sequenceRepeat`, `reorganizeData`, `slice`, `crop`, `padding`, and the legacy `reduce`.
struct ArrangementLayers {
  let graph: NetworkGraph

  func loadConstant(_ params: Specification.LoadConstantLayerParams) throws {
    let shape = try params.shape.map { try graph.int($0, "shape") }
    guard shape.count == 3 else { throw graph.error(.invalidModel, "'shape' has \(shape.count) entries, expected 3") }
    try graph.set(
      0,
      graph.builder.constant(
        .tensor(graph.weights.tensor(params.data, [1, 1] + shape, "data")), named: graph.layer.name))
  }

  func reshape(_ params: Specification.ReshapeLayerParams) throws {
    let target = try params.targetShape.map { try graph.int($0, "targetShape") }
    guard target.count == 3 || target.count == 4 else {
      throw graph.error(.invalidModel, "'targetShape' has \(target.count) entries, expected 3 or 4")
    }
    var value = try graph.input(0)
    let rank = try graph.rank(value)
    guard rank >= 4 else { throw graph.error(.invalidModel, "takes a blob of rank 5, it has rank \(rank)") }
    let isChannelLast = try params.mode == .channelLast
    if isChannelLast { value = try graph.transpose(value, Array(0..<(rank - 3)) + [rank - 2, rank - 1, rank - 3]) }
    var order = Array(target.suffix(3))
    if isChannelLast { order = [order[1], order[2], order[0]] }
    // Three entries keep the leading axes. Four entries set the sequence length, and the batch axis keeps its size.
    let lead: String
    if target.count == 3 {
      lead = try graph.sizes(of: value, 0..<(rank - 3))
    } else if rank == 5 {
      lead = try graph.concat([graph.constant([target[0]]), graph.sizes(of: value, 1..<2)])
    } else {
      lead = try graph.constant([target[0]])
    }
    var result = try graph.emit(
      "reshape", ["x": .name(value), "shape": .name(graph.concat([lead, graph.constant(order)]))])
    if isChannelLast { result = try graph.transpose(result, Array(0..<(rank - 3)) + [rank - 1, rank - 3, rank - 2]) }
    try graph.set(0, result)
  }

  func flatten(_ params: Specification.FlattenLayerParams) throws {
    let isChannelLast = try params.mode == .channelLast
    if !graph.blobIsImage(0) {
      var value = try graph.input(0)
      if isChannelLast { value = try graph.transpose(value, [1, 2, 0]) }
      try graph.set(0, try graph.reshape(value, [-1, 1, 1]))
      return
    }
    var (value, lead) = try graph.image(0)
    if isChannelLast { value = try graph.transpose(value, [0, 2, 3, 1]) }
    let target = try graph.concat([graph.sizes(of: value, 0..<1), graph.constant([-1, 1, 1])])
    try graph.setImage(0, graph.emit("reshape", ["x": .name(value), "shape": .name(target)]), lead: lead)
  }

  func permute(_ params: Specification.PermuteLayerParams) throws {
    let axes = try params.axis.map { try graph.int($0, "axis") }
    if axes.isEmpty || axes == [0, 1, 2, 3] {
      try graph.map { x in x }
      return
    }
    guard axes.sorted() == [0, 1, 2, 3] else {
      throw graph.error(.invalidModel, "'axis' is \(axes), not an order of 0, 1, 2, 3")
    }
    if axes[0] == 0, graph.blobIsImage(0) {
      let (value, lead) = try graph.image(0)
      try graph.setImage(0, graph.transpose(value, axes), lead: lead)
      return
    }
    let value = try graph.withRank(graph.input(0), atLeast: 5)
    guard try graph.rank(value) == 5 else {
      throw graph.error(.invalidModel, "takes a blob of rank 5, it has rank \(try graph.rank(value))")
    }
    // (Seq, C, H, W) are the axes 0, 2, 3, 4. The batch axis is not permuted.
    let place = [0, 2, 3, 4]
    try graph.set(0, graph.transpose(value, [place[axes[0]], 1, place[axes[1]], place[axes[2]], place[axes[3]]]))
  }

  func concat(_ params: Specification.ConcatLayerParams) throws {
    if try params.sequenceConcat {
      let values = try graph.layer.inputs.indices.map { try graph.input($0) }
      try graph.set(0, graph.concat(values, axis: -5))
      return
    }
    let (values, lead) = try graph.aligned()
    try graph.setImage(0, graph.concat(values, axis: -3), lead: lead)
  }

  func split(_ params: Specification.SplitLayerParams) throws {
    let count = try graph.int(params.nOutputs, "nOutputs")
    let (value, lead) = try graph.imageOrLower(0)
    let parts = try graph.emit("split", all: ["x": [.name(value)], "num_splits": [.int(count)], "axis": [.int(-3)]])
    for (index, part) in parts.enumerated() where index < graph.layer.outputs.count {
      try graph.setImage(index, part, lead: lead)
    }
  }

  func sequenceRepeat(_ params: Specification.SequenceRepeatLayerParams) throws {
    let value = try graph.withRank(graph.input(0), atLeast: 5)
    let count = Swift.max(try graph.int(params.nRepetitions, "nRepetitions"), 1)
    var reps = Array(repeating: 1, count: try graph.rank(value))
    reps[reps.count - 5] = count
    try graph.set(0, graph.emit("tile", ["x": .name(value), "reps": .ints(reps)]))
  }

  func reorganizeData(_ params: Specification.ReorganizeDataLayerParams) throws {
    let block = try graph.int(params.blockSize, "blockSize")
    let (value, lead) = try graph.imageOrLower(0)
    let x = try graph.withRank(value, atLeast: 4)
    let result: String
    switch try params.mode {
    case .spaceToDepth: result = try graph.emit("space_to_depth", ["x": .name(x), "block_size": .int(block)])
    case .depthToSpace: result = try graph.emit("depth_to_space", ["x": .name(x), "block_size": .int(block)])
    case .pixelShuffle: result = try graph.emit("pixel_shuffle", ["x": .name(x), "upscale_factor": .int(block)])
    }
    try graph.setImage(
      0, try graph.rank(value) == 3 ? graph.emit("squeeze", ["x": .name(result), "axes": .ints([0])]) : result,
      lead: lead)
  }

  func slice(_ params: Specification.SliceLayerParams) throws {
    let start = try graph.int(params.startIndex, "startIndex")
    let end = try graph.int(params.endIndex, "endIndex")
    let stride = Swift.max(try graph.int(params.stride, "stride"), 1)
    let axis: Int
    switch try params.axis {
    case .channelAxis: axis = 3
    case .heightAxis: axis = 2
    case .widthAxis: axis = 1
    }
    try graph.map { x in
      let rank = try graph.rank(x)
      guard rank >= axis else { throw graph.error(.invalidModel, "slices axis -\(axis) of a blob of rank \(rank)") }
      return try sliced(x, axis: rank - axis, start, end, stride)
    }
  }

  /// Slices one axis from `start` up to `end`; the other axes are complete.
  private func sliced(_ x: String, axis: Int, _ start: Int, _ end: Int, _ stride: Int = 1) throws -> String {
    let rank = try graph.rank(x)
    func only<T>(_ value: T, else other: T) -> [T] { (0..<rank).map { $0 == axis ? value : other } }
    return try graph.emit(
      "slice_by_index",
      [
        "x": .name(x), "begin": .ints(only(start, else: 0)), "end": .ints(only(end, else: 0)),
        "stride": .ints(only(stride, else: 1)),
        "end_mask": .tensor(Tensor(bools: only(false, else: true))),
        "begin_mask": .tensor(Tensor(bools: only(false, else: true))),
      ])
  }

  func crop(_ params: Specification.CropLayerParams) throws {
    if graph.layer.inputs.count == 1 {
      let edges = try LayerPadding(graph: graph).borders(params.cropAmounts)
      let (x, lead) = try graph.imageOrLower(0)
      let rank = try graph.rank(x)
      let begin = (0..<rank).map { $0 == rank - 2 ? edges[0] : $0 == rank - 1 ? edges[2] : 0 }
      let end = (0..<rank).map { $0 == rank - 2 ? -edges[1] : $0 == rank - 1 ? -edges[3] : 0 }
      let isWhole = (0..<rank).map { $0 < rank - 2 || end[$0] == 0 }
      try graph.setImage(
        0,
        graph.emit(
          "slice_by_index",
          [
            "x": .name(x), "begin": .ints(begin), "end": .ints(end), "end_mask": .tensor(Tensor(bools: isWhole)),
          ]), lead: lead)
      return
    }
    let offset = try graph.ints(params.offset, count: 2, default: 0, "offset")
    let (x, lead) = try graph.imageOrLower(0)
    let (like, _) = try graph.imageOrLower(1)
    let rank = try graph.rank(x)
    let like2 = try graph.sizes(of: like, try graph.rank(like) - 2..<graph.rank(like))
    let size = try graph.concat([graph.sizes(of: x, 0..<(rank - 2)), like2])
    let begin = Array(repeating: 0, count: rank - 2) + offset
    try graph.setImage(
      0, graph.emit("slice_by_size", ["x": .name(x), "begin": .ints(begin), "size": .name(size)]), lead: lead)
  }

  func padding(_ params: Specification.PaddingLayerParams) throws {
    let edges = try LayerPadding(graph: graph).borders(params.paddingAmounts)
    let mode: String
    var value: Float = 0
    switch try params.paddingType {
    case .reflection: mode = "reflect"
    case .replication: mode = "replicate"
    case .constant(let constant):
      mode = "constant"
      value = try constant.value
    case nil: mode = "constant"
    }
    try graph.map { x in
      try graph.emit(
        "pad", ["x": .name(x), "pad": .ints(edges), "mode": .string(mode), "constant_val": .float(value)])
    }
  }

  func reduce(_ params: Specification.ReduceLayerParams) throws {
    let axes: [Int]
    switch try params.axis {
    case .chw: axes = [-3, -2, -1]
    case .hw: axes = [-2, -1]
    case .c: axes = [-3]
    case .h: axes = [-2]
    case .w: axes = [-1]
    }
    let mode = try params.mode
    let epsilon = try params.epsilon == 0 ? 1e-6 : params.epsilon
    try graph.map { x in
      var arguments: [String: Binding] = ["x": .name(x), "axes": .ints(axes), "keep_dims": .bool(true)]
      switch mode {
      case .sum: return try graph.emit("reduce_sum", arguments)
      case .avg: return try graph.emit("reduce_mean", arguments)
      case .prod: return try graph.emit("reduce_prod", arguments)
      case .logsum:
        // The sum of the logarithms, not the logarithm of the sum.
        arguments["x"] = .name(try graph.emit("log", ["x": .name(x), "epsilon": .float(epsilon)]))
        return try graph.emit("reduce_sum", arguments)
      case .sumsquare: return try graph.emit("reduce_sum_square", arguments)
      case .l1: return try graph.emit("reduce_l1_norm", arguments)
      case .l2: return try graph.emit("reduce_l2_norm", arguments)
      case .max: return try graph.emit("reduce_max", arguments)
      case .min: return try graph.emit("reduce_min", arguments)
      case .argmax:
        guard axes.count == 1 else {
          throw graph.error(.invalidModel, "takes the argument of the maximum over \(axes.count) axes")
        }
        let index = try graph.emit(
          "reduce_argmax", ["x": .name(x), "axis": .int(axes[0]), "keep_dims": .bool(true)])
        return try graph.cast(index, .float32)
      }
    }
  }
}
