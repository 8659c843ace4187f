import Testing

@testable import MIL

/// Type rules of windows, products, recurrences and sampling: which sizes stay unknown, and which operations are
/// refused by name.
@Suite struct WindowRuleTests {
  private static func types(
    _ operation: String, _ tensors: [String: [Int?]], _ values: [String: Value] = [:], scalar: ScalarType = .float32
  ) throws -> [ValueType] {
    var types: [String: [ValueType]] = [:]
    var known: [String: [Value?]] = [:]
    for (name, shape) in tensors {
      types[name] = [.tensor(TensorType(scalar, shape.map { Dimension($0) }))]
      known[name] = [nil]
    }
    for (name, value) in values {
      types[name] = [value.type]
      known[name] = [value]
    }
    let call = Operation(
      operation, inputs: types.mapValues { $0.map { _ in .literal(.int32(0)) } },
      outputs: [NamedType("y", .tensor(TensorType(.float32, [Int]())))])
    let definition = try Operations.definition(of: call)
    return try definition.outputTypes(Invocation(operation: call, inputTypes: types, values: known))
  }

  private static func shape(
    _ operation: String, _ tensors: [String: [Int?]], _ values: [String: Value] = [:]
  ) throws -> [Int?] {
    try types(operation, tensors, values).first?.tensor?.shape.map(\.value) ?? []
  }

  @Test func unknownSizesStayUnknownAndOthersDoNot() throws {
    #expect(try Self.shape("conv", ["x": [nil, 3, nil, 20], "weight": [8, 3, 3, 3]]) == [nil, 8, nil, 18])
    let same: [String: Value] = ["pad_type": .string("same"), "strides": .int32s([2, 2])]
    #expect(try Self.shape("conv", ["x": [1, nil, 9, 20], "weight": [8, 3, 3, 3]], same) == [1, 8, 5, 10])
    let pool: [String: Value] = ["kernel_sizes": .int32s([2, 2]), "strides": .int32s([2, 2])]
    #expect(try Self.shape("max_pool", ["x": [nil, nil, 9, nil]], pool) == [nil, nil, 4, nil])
    #expect(try Self.shape("matmul", ["x": [nil, 4, nil], "y": [2, 5, 6]]) == [2, 4, 6])
    #expect(try Self.shape("linear", ["x": [nil, 7], "weight": [3, 7]]) == [nil, 3])
    #expect(
      try Self.shape("resize", ["x": [1, 2, 3, 4], "shape": [2]], ["resized_dims": .int32(2)]) == [1, 2, nil, nil])
  }

  @Test func ceilModeDropsAWindowThatBeginsInThePadding() throws {
    func pool(_ size: Int, _ kernel: Int, _ stride: Int, _ pad: Int) throws -> Int? {
      try Self.shape(
        "max_pool", ["x": [1, 1, size]],
        [
          "kernel_sizes": .int32s([kernel]), "strides": .int32s([stride]), "pad_type": .string("custom"),
          "pad": .int32s([pad, pad]), "ceil_mode": .bool(true),
        ]
      ).last ?? nil
    }
    #expect(try pool(5, 2, 2, 0) == 3)
    #expect(try pool(6, 3, 3, 1) == 3)
    #expect(try pool(5, 3, 3, 1) == 2)  // a third window would begin at the last padded position
  }

  @Test(
    arguments: [
      ("conv", ["x": [1, 3, 8, 8], "weight": [8, 4, 3, 3]], [:]),
      ("conv", ["x": [1, 3, 8, 8], "weight": [8, 3, 9, 9]], [:]),
      ("conv", ["x": [1, 3, 8, 8], "weight": [8, 3, 3, 3]], ["groups": .int32(0)]),
      ("conv", ["x": [1, 3, 8, 8], "weight": [8, 3, 3, 3]], ["strides": .int32s([1])]),
      ("conv", ["x": [1, 3, 8, 8], "weight": [8, 3, 3, 3]], ["strides": .int32s([0, 1])]),
      ("conv", ["x": [1, 3, 8, 8], "weight": [8, 3, 3, 3]], ["pad_type": .string("full")]),
      (
        "conv", ["x": [1, 3, 8, 8], "weight": [8, 3, 3, 3]],
        ["pad_type": .string("custom"), "pad": .int32s([-1, 0, 0, 0])]
      ),
      ("conv", ["x": [3, 8], "weight": [8, 3]], [:]),
      ("conv", ["x": [1, 4, 8], "weight": [7, 2, 3]], ["groups": .int32(2)]),
      ("conv", ["x": [1, 3, 8], "weight": [8, 3, 3], "bias": [7]], [:]),
      ("conv_transpose", ["x": [1, 3, 8], "weight": [4, 8, 3]], [:]),
      ("conv_transpose", ["x": [1, 3, 8], "weight": [3, 8, 3]], ["output_shape": .int32s([1, 9, 10])]),
      ("max_pool", ["x": [1, 3, 8, 8]], ["kernel_sizes": .int32s([2])]),
      ("max_pool", ["x": [1, 3, 8, 8, 8]], ["kernel_sizes": .int32s([2_000_000_000, 2_000_000_000, 2])]),
      ("linear", ["x": [2, 3], "weight": [4, 5]], [:]), ("linear", ["x": [], "weight": [4, 5]], [:]),
      ("matmul", ["x": [2, 3], "y": [4, 5]], [:]), ("matmul", ["x": [], "y": [4]], [:]),
      ("matmul", ["x": [2, 3, 4], "y": [3, 4, 5]], [:]),
      ("scaled_dot_product_attention", ["query": [1, 2, 3], "key": [1, 4, 5], "value": [1, 4, 5]], [:]),
      (
        "scaled_dot_product_attention",
        ["query": [1, 2, 3], "key": [1, 4, 3], "value": [1, 4, 5], "attn_mask": [3, 4]], [:]
      ),
      ("rnn", ["x": [4, 2, 3], "initial_h": [2, 5], "weight_ih": [5, 3], "weight_hh": [6, 5]], [:]),
      ("rnn", ["x": [0, 2, 3], "initial_h": [2, 5], "weight_ih": [5, 3], "weight_hh": [5, 5]], [:]),
      (
        "gru", ["x": [4, 2, 3], "initial_h": [2, 5], "weight_ih": [15, 3], "weight_hh": [15, 5]],
        ["direction": .string("bidirectional")]
      ),
      ("upsample_bilinear", ["x": [1, 4, 4]], ["align_corners": .bool(true), "half_pixel_centers": .bool(true)]),
      ("upsample_nearest_neighbor", ["x": [1, 4, 4]], ["scale_factor_height": .float32(-1)]),
      ("upsample_nearest_neighbor", ["x": [1, 4, 4]], ["scale_factor_height": .float32(.infinity)]),
      ("crop", ["x": [1, 4, 4]], ["crop_height": .int32s([3, 2]), "crop_width": .int32s([0, 0])]),
      ("resize", ["x": [1, 4, 4]], ["shape": .int32s([2, 2]), "resized_dims": .int32(3)]),
      ("crop_resize", ["x": [1, 2, 4, 4], "boxes": [3, 4], "box_indices": [3]], [:]),
      ("resample", ["x": [1, 2, 4, 4], "coordinates": [1, 3, 3, 3]], [:]),
      (
        "affine", ["x": [2, 2, 4, 4], "transform_matrix": [3, 6]],
        ["output_height": .int32(1), "output_width": .int32(1)]
      ),
    ] as [(String, [String: [Int?]], [String: Value])])
  func isRefused(_ operation: String, _ tensors: [String: [Int?]], _ values: [String: Value]) {
    let error = #expect(throws: MILError.self) { try Self.types(operation, tensors, values) }
    #expect(error?.operation == "\(operation) 'y'")
  }

  @Test func shapesThatCannotBeMultipliedHaveNoCountEvenWhenEmpty() {
    #expect(TensorType.elementCount([0, 5, 6]) == 0)
    #expect(TensorType.elementCount([0, 1 << 40, 1 << 40]) == nil)
    #expect(TensorType.elementCount([1 << 40, 1 << 40, 0]) == nil)
    #expect(throws: MILError.self) { try TensorType(.float32, [0, 1 << 40, 1 << 40]).validated("x") }
    #expect(throws: MILError.self) { try Tensor.zeros(.float32, shape: [0, 1 << 40, 1 << 40]) }
  }

  @Test func equationsAreReadOrRefused() throws {
    func output(_ equation: String, _ shapes: [[Int]]) throws -> [Int?] {
      let call = Operation("einsum", outputs: [NamedType("y", .tensor(TensorType(.float32, [Int]())))])
      let types: [String: [ValueType]] = [
        "values": shapes.map { .tensor(TensorType(.float32, $0)) }, "equation": [.tensor(TensorType(.string, [Int]()))],
      ]
      let invocation = Invocation(
        operation: call, inputTypes: types,
        values: ["equation": [.string(equation)], "values": shapes.map { _ in nil }])
      return try Operations.definition(of: call).outputTypes(invocation).first?.tensor?.shape.map(\.value) ?? []
    }
    #expect(try output("nchw, nwhu -> nchu", [[1, 3, 4, 5], [2, 5, 4, 6]]) == [2, 3, 4, 6])
    #expect(try output("ba,ac", [[2, 3], [3, 4]]) == [2, 4])
    for (equation, shapes) in [
      ("ab,bc->ad", [[2, 3], [3, 4]]), ("ab,bc->aa", [[2, 3], [3, 4]]), ("ab->a", [[2, 3], [3, 4]]),
      ("ab,bc->ac", [[2, 3], [4, 4]]), ("abc,bc->ac", [[2, 3], [3, 4]]), ("", []), ("a1,b->a", [[2, 3], [3]]),
      ("...a,ab->b", [[2, 3], [3, 4]]), ("a->b->c", [[2]]),
    ] {
      #expect(throws: MILError.self, "\(equation)") { try output(equation, shapes) }
    }
  }
}
