import CKernels
import MIL
import Testing

@testable import CoreMLKernels

/// Every encoding of a stored weight compared with the reference implementations bit for bit, for ranges with arbitrary
/// bounds.
@Suite struct StoredWeightTests {
  /// A constant operation with its inputs by parameter.
  private struct Made {
    let type: String
    let inputs: [String: Value]
    var outputs = 1

    var invocation: Invocation {
      Invocation(
        operation: Operation(
          type, inputs: inputs.mapValues { [.literal($0)] },
          outputs: (0..<outputs).map { NamedType("y\($0)", .tensor(TensorType(.float32, [Int]()))) }),
        inputTypes: inputs.mapValues { [$0.type] }, values: inputs.mapValues { [$0] })
    }

    func results() throws -> [StoredWeight] {
      let arguments = inputs.compactMapValues { $0.tensor.flatMap { StoredWeight($0) } }
      return try #require(try StoredWeight.results(of: invocation, arguments), "\(type) has no stored form")
    }
  }

  private func integers(_ scalar: ScalarType, _ shape: [Int], seed: Int, below limit: Int? = nil) throws -> Tensor {
    var random = Random(seed)
    let range = scalar.integerRange ?? 0...1
    let low = Int(range.lowerBound)
    let span = limit ?? Int(range.upperBound) - low + 1
    return try Tensor(
      scalar, shape: shape,
      doubles: (0..<shape.reduce(1, *)).map { _ in Double(low + Int(random.next() % UInt64(span))) })
  }

  private func floats(_ scalar: ScalarType, _ shape: [Int], seed: Int) throws -> Tensor {
    var random = Random(seed)
    return try Tensor(scalar, shape: shape, doubles: random.floats(shape.reduce(1, *)).map { Double($0) })
  }

  private func mask(_ shape: [Int], seed: Int, oneIn: UInt64 = 3) throws -> (mask: Tensor, count: Int) {
    var random = Random(seed)
    let bits = (0..<shape.reduce(1, *)).map { _ in random.next() % oneIn == 0 ? 1.0 : 0 }
    return (try Tensor(.uint1, shape: shape, doubles: bits), Int(bits.reduce(0, +)))
  }

  private func expectSame(_ weight: StoredWeight, _ expected: Tensor, _ label: String) throws {
    #expect(weight.shape == expected.shape, "\(label)")
    let wanted = try expected.doubles().map { Float($0) }
    let count = wanted.count
    withEachISA { isa in
      var random = Random(count)
      var ranges = [0..<count]
      for _ in 0..<60 {
        let first = Int(random.next() % UInt64(count + 1))
        ranges.append(first..<min(count, first + Int(random.next() % 37)))
      }
      for range in ranges {
        var found = [Float](repeating: canary, count: range.count + 1)
        found.withUnsafeMutableBufferPointer { buffer in
          if let target = buffer.baseAddress { weight.decode(range, into: target) }
        }
        let same = zip(range, found).allSatisfy { index, value in
          value.bitPattern == wanted[index].bitPattern || value.isNaN && wanted[index].isNaN
        }
        guard same, found[range.count] == canary else {
          Issue.record(
            "\(label), \(isa): the elements \(range) are \(found.prefix(20)), not \(wanted[range].prefix(20))")
          return
        }
      }
    }
    let dense = try weight.dense().doubles().map { Float($0) }
    #expect(dense.elementsEqual(wanted) { $0.bitPattern == $1.bitPattern || $0.isNaN && $1.isNaN }, "\(label)")
  }

  private func check(_ made: Made, _ label: String, output: Int = 0) throws {
    let expected = try References.evaluate(made.invocation)
    let results = try made.results()
    for (index, value) in expected.enumerated() {
      try expectSame(results[index], try #require(value.tensor), "\(made.type) \(label), output \(index)")
    }
  }

  // MARK: encodings

  @Test func tensorsOfEveryTypeAreRead() throws {
    for scalar in ScalarType.allCases where scalar != .string {
      let tensor =
        scalar.isFloat
        ? try floats(scalar, [7, 13], seed: 1)
        : try integers(scalar, [7, 13], seed: 2, below: 1 << min(scalar.bitWidth, 16))
      try expectSame(try #require(StoredWeight(tensor)), tensor, scalar.rawValue)
    }
    let odd: [Float] = [.nan, .infinity, -.infinity, -0.0, .leastNonzeroMagnitude, 65504]
    try expectSame(
      try #require(StoredWeight(Tensor(float32: odd, shape: [6]))), Tensor(float32: odd, shape: [6]), "edges")
  }

  @Test func castsRoundAsTheirReference() throws {
    for (from, to) in [(ScalarType.float16, "fp32"), (.float32, "fp16"), (.bfloat16, "fp32"), (.float8E4M3FN, "fp16")] {
      try check(
        Made(
          type: "constexpr_cast",
          inputs: ["source_val": .tensor(try floats(from, [5, 33], seed: 3)), "output_dtype": .string(to)]),
        "\(from) to \(to)")
    }
  }

  @Test func palettesOfEveryWidth() throws {
    let widths: [(ScalarType, Int)] = [
      (.uint1, 2), (.uint2, 4), (.uint3, 8), (.uint4, 16), (.uint6, 64), (.uint8, 256),
    ]
    for (scalar, entries) in widths {
      for (grid, vector, axis) in [
        ([1, 1, 1], 1, nil), ([6, 1, 1], 1, nil), ([1, 2, 1], 1, nil), ([3, 2, 9], 1, nil), ([1, 1, 1], 3, 0),
        ([2, 1, 3], 2, 1),
        ([1, 1, 3], 2, 2), ([6, 4, 9], 1, nil),
      ] as [([Int], Int, Int?)] {
        var inputs: [String: Value] = [
          "indices": .tensor(try integers(scalar, [6, 4, 9], seed: entries)),
          "lut": .tensor(try floats(.float32, grid + [entries, vector], seed: 5)),
        ]
        if let axis { inputs["vector_axis"] = .int32(axis) }
        try check(Made(type: "constexpr_lut_to_dense", inputs: inputs), "\(scalar) \(grid) \(vector) \(axis ?? -1)")
      }
    }
    try check(
      Made(
        type: "constexpr_lut_to_dense",
        inputs: [
          "indices": .tensor(try integers(.uint4, [5, 1001], seed: 6)),
          "lut": .tensor(try floats(.float16, [5, 1, 16, 1], seed: 7)),
        ]), "fp16, more than one chunk")
  }

  @Test func indicesOutsideOfAPaletteHaveNoForm() throws {
    let made = Made(
      type: "constexpr_lut_to_dense",
      inputs: [
        "indices": .tensor(try Tensor(.uint8, shape: [3], doubles: [0, 4, 1])),
        "lut": .tensor(try floats(.float32, [1, 4, 1], seed: 8)),
      ])
    #expect(throws: MILError.self) { try References.evaluate(made.invocation) }
    let arguments = made.inputs.compactMapValues { $0.tensor.flatMap { StoredWeight($0) } }
    #expect(try StoredWeight.results(of: made.invocation, arguments) == nil)
  }

  @Test func blocksOfEveryShapeAndType() throws {
    for (scalar, offset) in [
      (ScalarType.int4, nil), (.uint4, .uint4), (.int8, .int8), (.uint8, .uint8), (.int8, .float16), (.float16, nil),
      (.float32, .float32), (.uint8, nil),
    ] as [(ScalarType, ScalarType?)] {
      for grid in [[1, 1, 1], [6, 1, 1], [1, 4, 1], [1, 1, 36], [3, 2, 4], [6, 4, 9], [2, 4, 1]] {
        let data = try scalar.isFloat ? floats(scalar, [6, 4, 36], seed: 9) : integers(scalar, [6, 4, 36], seed: 10)
        var inputs: [String: Value] = [
          "data": .tensor(data), "scale": .tensor(try floats(.float32, grid, seed: 11)),
        ]
        if let offset {
          inputs["offset"] = .tensor(
            try offset.isFloat ? floats(offset, grid, seed: 12) : integers(offset, grid, seed: 13))
        }
        try check(
          Made(type: "constexpr_blockwise_shift_scale", inputs: inputs), "\(scalar) \(offset?.rawValue ?? "") \(grid)")
      }
    }
    let f16: [String: Value] = [
      "data": .tensor(try integers(.int8, [6, 40], seed: 14)),
      "scale": .tensor(try floats(.float16, [6, 5], seed: 15)),
      "offset": .tensor(try integers(.int8, [6, 5], seed: 16)),
    ]
    try check(Made(type: "constexpr_blockwise_shift_scale", inputs: f16), "to fp16")
  }

  @Test func affineAlongEveryAxis() throws {
    for axis in 0..<3 {
      for (scales, zeros) in [(1, 1), (0, 0), (1, 0), (0, 1)] {
        let entries = [5, 3, 7][axis]
        let scaleShape = scales == 1 ? [Int]() : [entries]
        let zeroShape = zeros == 1 ? [Int]() : [entries]
        try check(
          Made(
            type: "constexpr_affine_dequantize",
            inputs: [
              "quantized_data": .tensor(try integers(.uint8, [5, 3, 7], seed: 17)),
              "scale": .tensor(try floats(.float32, scaleShape, seed: 18)),
              "zero_point": .tensor(try integers(.uint8, zeroShape, seed: 19)), "axis": .int32(axis),
            ]), "axis \(axis) \(scaleShape) \(zeroShape)")
      }
    }
  }

  @Test func sparseTensors() throws {
    for (shape, oneIn) in [([3, 5], 2), ([4, 3000], 3), ([9000], 50), ([64], 1), ([130], 1 << 40)] as [([Int], UInt64)]
    {
      let (mask, count) = try mask(shape, seed: shape.count, oneIn: oneIn)
      for scalar in [ScalarType.float32, .float16, .int8] {
        let values = try scalar.isFloat ? floats(scalar, [count], seed: 20) : integers(scalar, [count], seed: 21)
        try check(
          Made(type: "constexpr_sparse_to_dense", inputs: ["nonzero_data": .tensor(values), "mask": .tensor(mask)]),
          "\(shape) \(scalar)")
      }
    }
    let (mask, count) = try mask([3, 5], seed: 1)
    let wrong = Made(
      type: "constexpr_sparse_to_dense",
      inputs: ["nonzero_data": .tensor(try floats(.float32, [count + 1], seed: 1)), "mask": .tensor(mask)])
    let arguments = wrong.inputs.compactMapValues { $0.tensor.flatMap { StoredWeight($0) } }
    #expect(try StoredWeight.results(of: wrong.invocation, arguments) == nil)
  }

  /// A sparse integer palette with block scales and a layout: three operations, decoded only at the end.
  @Test func sparseFormsJoin() throws {
    for vector in [1, 2] {
      let (mask, count) = try mask([6, 3001], seed: 22)
      var palette: [String: Value] = [
        "indices_mask": .tensor(mask), "indices_nonzero_data": .tensor(try integers(.uint4, [count], seed: 23)),
        "lut": .tensor(try integers(.int8, [1, 1, 16, vector], seed: 24)),
      ]
      if vector > 1 { palette["vector_axis"] = .int32(0) }
      let first = Made(type: "constexpr_lut_to_sparse", inputs: palette, outputs: 2)
      try check(first, "vector \(vector)")
      let (wide, values) = (try first.results()[0], try first.results()[1])
      let scale = Value.tensor(try floats(.float32, [6 * vector, 1], seed: 25))
      let second = Made(
        type: "constexpr_sparse_blockwise_shift_scale",
        inputs: [
          "data_mask": .tensor(try wide.dense()), "nonzero_data": .tensor(try values.dense()), "scale": scale,
        ], outputs: 2)
      try check(second, "after a palette")
      let factors = try #require(scale.tensor.flatMap { StoredWeight($0) })
      let joined = try #require(
        try StoredWeight.results(
          of: second.invocation, ["data_mask": wide, "nonzero_data": values, "scale": factors]))
      let third = Made(
        type: "constexpr_sparse_to_dense",
        inputs: ["mask": .tensor(try joined[0].dense()), "nonzero_data": .tensor(try joined[1].dense())])
      let expected = try #require(try References.evaluate(third.invocation).first?.tensor)
      let whole = try #require(
        try StoredWeight.results(of: third.invocation, ["mask": joined[0], "nonzero_data": joined[1]])?.first)
      try expectSame(whole, expected, "joined, vector \(vector)")
      #expect(whole.byteCount < expected.byteCount / 2)
    }
  }

  /// Exact values, rounded to fp16 and widened to fp32 again, as compressed weights of fp16 models are read.
  @Test func roundingThroughHalves() throws {
    let first = Made(
      type: "constexpr_blockwise_shift_scale",
      inputs: [
        "data": .tensor(try integers(.int8, [6, 40], seed: 26)),
        "scale": .tensor(try floats(.float32, [6, 5], seed: 27)),
      ])
    var expected = try #require(try References.evaluate(first.invocation).first)
    var weight = try first.results()[0]
    for type in ["fp16", "fp32"] {
      let cast = Made(type: "constexpr_cast", inputs: ["source_val": expected, "output_dtype": .string(type)])
      expected = try #require(try References.evaluate(cast.invocation).first)
      weight = try #require(try StoredWeight.results(of: cast.invocation, ["source_val": weight])?.first)
    }
    #expect(weight.type.scalar == .float32)
    try expectSame(weight, try #require(expected.tensor), "rounded")
  }

  @Test func identitiesTellWeightsApart() throws {
    let (a, b) = (try floats(.float16, [64, 64], seed: 28), try floats(.float16, [64, 64], seed: 29))
    func identity(_ tensor: Tensor, _ inputs: [String: Value] = [:]) throws -> String {
      WeightIdentity(try #require(StoredWeight(tensor))).local
    }
    let copy = try a.withUnsafeBytes { try TensorStorage(copying: $0) }
    #expect(try identity(a) == identity(Tensor(.float16, shape: [64, 64], storage: copy)))
    #expect(try identity(a) != identity(b))
    #expect(try identity(a) != identity(a.reshaped([4096])))
    let placed = TensorStorage(
      borrowing: copy.pointer, byteCount: copy.byteCount, owner: copy, origin: BlobReference(path: "w", offset: 64))
    let weight = try #require(StoredWeight(try Tensor(.float16, shape: [64, 64], storage: placed)))
    let other = TensorStorage(
      borrowing: copy.pointer, byteCount: copy.byteCount, owner: copy, origin: BlobReference(path: "w", offset: 128))
    let moved = try #require(StoredWeight(try Tensor(.float16, shape: [64, 64], storage: other)))
    #expect(WeightIdentity(weight).lasting != nil && WeightIdentity(weight).lasting != WeightIdentity(moved).lasting)
  }
}
