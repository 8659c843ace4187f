import CoreMLSpec
import MIL

/// `sliceStatic`, `sliceDynamic`, `sliceBySize`, `constantPad`. Bounds outside an axis are clamped to it, however large
/// they are.
struct SliceLayers {
  let graph: NetworkGraph

  func sliceStatic(_ params: Specification.SliceStaticLayerParams) throws {
    try slice([
      "begin": .ints(params.beginIds.map { Int(clamping: $0) }),
      "end": .ints(params.endIds.map { Int(clamping: $0) }),
      "stride": integers(params.strides, "strides"), "begin_mask": booleans(params.beginMasks),
      "end_mask": booleans(params.endMasks), "squeeze_mask": booleans(params.squeezeMasks),
    ])
  }

  /// Inputs override the parameters of the same name. Files may have more parameters than there are axes.
  func sliceDynamic(_ params: Specification.SliceDynamicLayerParams) throws {
    let rank = try graph.rank(graph.input(0))
    var arguments: [String: Binding?] = [
      "begin": .name(try graph.intInput(1)), "end": .ints(try params.endIds.prefix(rank).map { Int(clamping: $0) }),
      "stride": try integers(Array(params.strides.prefix(rank)), "strides"),
      "begin_mask": booleans(Array(try params.beginMasks.prefix(rank))),
      "end_mask": booleans(Array(try params.endMasks.prefix(rank))),
      "squeeze_mask": booleans(Array(try params.squeezeMasks.prefix(rank))),
    ]
    for (index, name) in ["end", "stride"].enumerated() where graph.layer.inputs.count > index + 2 {
      arguments[name] = .name(try graph.intInput(index + 2))
    }
    for (index, name) in ["begin_mask", "end_mask", "squeeze_mask"].enumerated()
    where graph.layer.inputs.count > index + 4 {
      arguments[name] = .name(try graph.truth(graph.input(index + 4)))
    }
    try slice(arguments)
  }

  private func slice(_ arguments: [String: Binding?]) throws {
    var arguments = arguments.compactMapValues { $0 }
    let x = try graph.input(0)
    arguments["x"] = .name(x)
    // Strides and masks known only at run time do not change the rank. The squeezed axes must be constant.
    var dynamic: TensorType?
    let squeezed = try arguments["squeeze_mask"].map { try constantBools($0) } ?? []
    if let squeezed, try squeezed.isEmpty || squeezed.count == graph.rank(x) {
      dynamic = TensorType(.float32, Array(repeating: .unknown, count: try graph.rank(x) - squeezed.count { $0 }))
    }
    try graph.set(0, graph.atLeastVector(graph.emit("slice_by_index", arguments, dynamic: dynamic)))
  }

  private func constantBools(_ binding: Binding) throws -> [Bool]? {
    switch binding {
    case .literal(let value): try value.tensor?.bools()
    case .name(let name): try graph.known(name)?.bools()
    }
  }

  private func integers(_ values: [Int64], _ name: String) throws -> Binding? {
    values.isEmpty ? nil : .ints(try values.map { try graph.int($0, name) })
  }

  private func booleans(_ values: [Bool]) -> Binding? { values.isEmpty ? nil : .tensor(Tensor(bools: values)) }

  /// Slices `size` elements of one axis, starting at the second input; the other axes are complete.
  func sliceBySize(_ params: Specification.SliceBySizeLayerParams) throws {
    let x = try graph.input(0)
    let rank = try graph.rank(x)
    let given = try graph.int(params.axis, "axis")
    let axis = given < 0 ? given + rank : given
    guard (0..<rank).contains(axis) else {
      throw graph.error(.invalidModel, "'axis' is \(given) for a value of rank \(rank)")
    }
    let type = try graph.builder.tensorType(of: x)
    var size = type.shape.map { $0.value ?? -1 }
    size[axis] = try graph.int(params.size, "size")
    let start = try graph.emit("reshape", ["x": .name(graph.intInput(1)), "shape": .ints([1])])
    let parts = try (0..<rank).map { try $0 == axis ? start : graph.constant([0]) }
    try graph.set(
      0, graph.emit("slice_by_size", ["x": .name(x), "begin": .name(graph.concat(parts)), "size": .ints(size)]))
  }

  func constantPad(_ params: Specification.ConstantPaddingLayerParams) throws {
    let x = try graph.input(0)
    let rank = try graph.rank(x)
    var amounts: String
    if graph.layer.inputs.count > 1 {
      amounts = try graph.emit("reshape", ["x": .name(graph.intInput(1)), "shape": .ints([2 * rank])])
    } else {
      amounts = try graph.constant(params.padAmounts.map { try graph.int($0, "padAmounts") })
    }
    if try params.padToGivenOutputSizeMode {
      // The amounts are output sizes here. Pads by the difference if the output is larger.
      let twice = try graph.concat((0..<rank).flatMap { [$0, $0] }.map { try graph.sizes(of: x, $0..<($0 + 1)) })
      let missing = try graph.emit("sub", ["x": .name(amounts), "y": .name(twice)])
      amounts = try graph.emit("maximum", ["x": .name(missing), "y": .int(0)])
    }
    try graph.set(
      0,
      graph.emit(
        "pad",
        [
          "x": .name(x), "pad": .name(amounts), "mode": .string("constant"), "constant_val": .float(params.value),
        ]))
  }
}
