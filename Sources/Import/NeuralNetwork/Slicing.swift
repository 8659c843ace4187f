import CoreMLSpec
import MIL

/// `sliceStatic`, `sliceDynamic`, `sliceBySize`, `constantPad`. Bounds outside an axis are clamped to it, however large
/// they are.
extension NetworkImport {
  mutating func sliceStatic(_ params: Specification.SliceStaticLayerParams) throws {
    try slice([
      "begin": .ints(params.beginIds.map { Int(clamping: $0) }),
      "end": .ints(params.endIds.map { Int(clamping: $0) }),
      "stride": integers(params.strides, "strides"), "begin_mask": booleans(params.beginMasks),
      "end_mask": booleans(params.endMasks), "squeeze_mask": booleans(params.squeezeMasks),
    ])
  }

  /// Inputs override the parameters of the same name. Files may have more parameters than there are axes.
  mutating func sliceDynamic(_ params: Specification.SliceDynamicLayerParams) throws {
    let rank = try rank(input(0))
    var arguments: [String: Binding?] = [
      "begin": .name(try intInput(1)), "end": .ints(try params.endIds.prefix(rank).map { Int(clamping: $0) }),
      "stride": try integers(Array(params.strides.prefix(rank)), "strides"),
      "begin_mask": booleans(Array(try params.beginMasks.prefix(rank))),
      "end_mask": booleans(Array(try params.endMasks.prefix(rank))),
      "squeeze_mask": booleans(Array(try params.squeezeMasks.prefix(rank))),
    ]
    for (index, name) in ["end", "stride"].enumerated() where layer.inputs.count > index + 2 {
      arguments[name] = .name(try intInput(index + 2))
    }
    for (index, name) in ["begin_mask", "end_mask", "squeeze_mask"].enumerated() where layer.inputs.count > index + 4 {
      arguments[name] = .name(try truth(input(index + 4)))
    }
    try slice(arguments)
  }

  private mutating func slice(_ arguments: [String: Binding?]) throws {
    var arguments = arguments.compactMapValues { $0 }
    let x = try input(0)
    arguments["x"] = .name(x)
    // Strides and masks known only at run time do not change the rank. The squeezed axes must be constant.
    var dynamic: TensorType?
    let squeezed = try arguments["squeeze_mask"].map { try constantBools($0) } ?? []
    if let squeezed, try squeezed.isEmpty || squeezed.count == rank(x) {
      dynamic = TensorType(.float32, Array(repeating: .unknown, count: try rank(x) - squeezed.count { $0 }))
    }
    try set(0, atLeastVector(emit("slice_by_index", arguments, dynamic: dynamic)))
  }

  private func constantBools(_ binding: Binding) throws -> [Bool]? {
    switch binding {
    case .literal(let value): try value.tensor?.bools()
    case .name(let name): try known(name)?.bools()
    }
  }

  private func integers(_ values: [Int64], _ name: String) throws -> Binding? {
    values.isEmpty ? nil : .ints(try values.map { try int($0, name) })
  }

  private func booleans(_ values: [Bool]) -> Binding? { values.isEmpty ? nil : .tensor(Tensor(bools: values)) }

  /// Slices `size` elements of one axis, starting at the second input; the other axes are complete.
  mutating func sliceBySize(_ params: Specification.SliceBySizeLayerParams) throws {
    let x = try input(0)
    let rank = try rank(x)
    let given = try int(params.axis, "axis")
    let axis = given < 0 ? given + rank : given
    guard (0..<rank).contains(axis) else {
      throw error(.invalidModel, "'axis' is \(given) for a value of rank \(rank)")
    }
    let type = try builder.tensorType(of: x)
    var size = type.shape.map { $0.value ?? -1 }
    size[axis] = try int(params.size, "size")
    let start = try emit("reshape", ["x": .name(intInput(1)), "shape": .ints([1])])
    let parts = try (0..<rank).map { try $0 == axis ? start : constant([0]) }
    try set(0, emit("slice_by_size", ["x": .name(x), "begin": .name(concat(parts)), "size": .ints(size)]))
  }

  mutating func constantPad(_ params: Specification.ConstantPaddingLayerParams) throws {
    let x = try input(0)
    let rank = try rank(x)
    var amounts: String
    if layer.inputs.count > 1 {
      amounts = try emit("reshape", ["x": .name(intInput(1)), "shape": .ints([2 * rank])])
    } else {
      amounts = try constant(params.padAmounts.map { try int($0, "padAmounts") })
    }
    if try params.padToGivenOutputSizeMode {
      // The amounts are output sizes here. Pads by the difference if the output is larger.
      let twice = try concat((0..<rank).flatMap { [$0, $0] }.map { try sizes(of: x, $0..<($0 + 1)) })
      let missing = try emit("sub", ["x": .name(amounts), "y": .name(twice)])
      amounts = try emit("maximum", ["x": .name(missing), "y": .int(0)])
    }
    try set(
      0,
      emit(
        "pad",
        [
          "x": .name(x), "pad": .name(amounts), "mode": .string("constant"), "constant_val": .float(params.value),
        ]))
  }
}
