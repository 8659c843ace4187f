import CKernels
import MIL
import Testing

@testable import CoreMLKernels

/// Products of a few rows that read weights in their stored encodings. The results equal those of fp32 weights bit for
/// bit.
@Suite struct StoredMatrixTests {
  /// An fp16 or fp32 weight of a model, as planning sees it.
  struct Encoded: Sendable {
    let name: String
    let weight: StoredWeight
    /// The bytes that a product with rows as outputs packs, or 0 if it reads the file's bytes.
    let packedBytes: Int
  }

  private static func results(_ type: String, _ inputs: [String: Value], _ outputs: Int = 1) throws -> [StoredWeight] {
    let call = Invocation(
      operation: Operation(
        type, inputs: inputs.mapValues { [.literal($0)] },
        outputs: (0..<outputs).map { NamedType("y\($0)", .tensor(TensorType(.float32, [Int]()))) }),
      inputTypes: inputs.mapValues { [$0.type] }, values: inputs.mapValues { [$0] })
    let arguments = inputs.compactMapValues { $0.tensor.flatMap { StoredWeight($0) } }
    return try #require(try StoredWeight.results(of: call, arguments), "\(type) has no stored form")
  }

  /// The weight as an fp32 device gets it: rounded to fp16 and widened again if the file's weight is fp16.
  private static func widened(_ weight: StoredWeight, rounds: Bool) throws -> StoredWeight {
    var result = weight
    for type in rounds ? ["fp16", "fp32"] : ["fp32"] {
      let call = Invocation(
        operation: Operation(
          "constexpr_cast", inputs: ["source_val": [.name("w")], "output_dtype": [.string(type)]],
          outputs: [NamedType("y", .tensor(TensorType(.float32, [Int]())))]),
        inputTypes: ["source_val": [.tensor(result.type)], "output_dtype": [Value.string(type).type]],
        values: ["source_val": [nil], "output_dtype": [.string(type)]])
      result = try #require(try StoredWeight.results(of: call, ["source_val": result])?.first)
    }
    return result
  }

  private static func integers(_ scalar: ScalarType, _ shape: [Int], _ random: inout Random) throws -> Value {
    let range = scalar.integerRange ?? 0...1
    let (low, span) = (Int(range.lowerBound), Int(range.upperBound) - Int(range.lowerBound) + 1)
    return .tensor(
      try Tensor(
        scalar, shape: shape,
        doubles: (0..<shape.reduce(1, *)).map { _ in Double(low + Int(random.next() % UInt64(span))) }))
  }

  private static func floats(_ scalar: ScalarType, _ shape: [Int], _ random: inout Random) throws -> Value {
    .tensor(try Tensor(scalar, shape: shape, doubles: random.floats(shape.reduce(1, *)).map { Double($0) }))
  }

  /// Matrices of [rows, columns] in every encoding that this size supports.
  static func encodings(rows: Int, columns: Int, seed: Int) throws -> [Encoded] {
    var random = Random(seed)
    let shape = [rows, columns]
    let f16 = 2 * rows * columns
    let isEven = columns % 2 == 0
    var all: [Encoded] = []
    func add(_ name: String, _ weight: StoredWeight, rounds: Bool, packed: Int) throws {
      all.append(Encoded(name: name, weight: try widened(weight, rounds: rounds), packedBytes: packed))
    }
    try add(
      "fp16", try #require(try floats(.float16, shape, &random).tensor.flatMap { StoredWeight($0) }), rounds: false,
      packed: 0)
    for scalar in [ScalarType.int8, .uint8, .int4, .uint4] {
      for (rounds, rowBlock, block) in [
        (true, 1, columns), (false, 1, columns), (true, rows, columns), (true, 1, 16), (false, 1, 32), (true, 3, 48),
        (true, 1, 8),
      ] {
        guard columns % block == 0, rows % rowBlock == 0 else { continue }
        let grid = [rows / rowBlock, columns / block]
        var inputs = [
          "data": try integers(scalar, shape, &random), "scale": try floats(.float16, grid, &random),
          "offset": try integers(scalar, grid, &random),
        ]
        if !rounds { inputs["scale"] = try floats(.float32, grid, &random) }
        if block == 16 { inputs["offset"] = nil }
        // The kernel reads codes whose blocks hold whole vectors and whose rows have whole bytes. Others are packed as
        // fp16 if they are fp16.
        let isRead = (block % 16 == 0 || block == columns) && (isEven || scalar.bitWidth == 8)
        guard isRead || rounds else { continue }
        try add(
          "\(scalar.rawValue) in blocks of \(rowBlock) x \(block)\(rounds ? ", fp16" : "")",
          results("constexpr_blockwise_shift_scale", inputs)[0], rounds: rounds, packed: isRead ? 0 : f16)
      }
    }
    for (scalar, entries) in [(ScalarType.uint4, 16), (.uint2, 4), (.uint3, 8), (.uint6, 64), (.uint8, 256)] {
      for (rowBlock, block) in [(rows, columns), (1, columns), (2, 32)] {
        guard columns % block == 0, rows % rowBlock == 0 else { continue }
        let inputs = [
          "indices": try integers(scalar, shape, &random),
          "lut": try floats(.float16, [rows / rowBlock, columns / block, entries, 1], &random),
        ]
        try add(
          "\(scalar.rawValue) palettes of \(rowBlock) x \(block)", results("constexpr_lut_to_dense", inputs)[0],
          rounds: false, packed: scalar == .uint4 && isEven ? 0 : f16)
      }
    }
    // An fp32 palette that an fp16 model rounds.
    if isEven {
      try add(
        "a palette that is rounded",
        results(
          "constexpr_lut_to_dense",
          ["indices": integers(.uint4, shape, &random), "lut": floats(.float32, [1, 1, 16, 1], &random)])[0],
        rounds: true, packed: 0)
    }
    let bits = (0..<rows * columns).map { _ in random.next() % 3 == 0 ? 1.0 : 0 }
    let mask = try Tensor(.uint1, shape: shape, doubles: bits)
    try add(
      "sparse fp16",
      results(
        "constexpr_sparse_to_dense",
        ["mask": .tensor(mask), "nonzero_data": floats(.float16, [Int(bits.reduce(0, +))], &random)])[0],
      rounds: false, packed: f16)
    return all
  }

  private func invocation(
    _ type: String, _ parameter: String, _ weight: StoredWeight, _ x: Tensor, bias: Tensor?, _ extra: [String: Value],
    output: [Int]
  ) -> Invocation {
    var inputs: [String: [Binding]] = ["x": [.name("x")], parameter: [.name("w")]]
    var types: [String: [ValueType]] = ["x": [.tensor(x.type)], parameter: [.tensor(weight.type)]]
    var values: [String: [Value?]] = ["x": [nil], parameter: [nil]]
    var constants = extra
    if let bias { constants["bias"] = .tensor(bias) }
    for (name, value) in constants {
      (inputs[name], types[name], values[name]) = ([.literal(value)], [value.type], [value])
    }
    return Invocation(
      operation: Operation(type, inputs: inputs, outputs: [NamedType("y", .tensor(TensorType(.float32, output)))]),
      inputTypes: types, values: values)
  }

  /// Runs a kernel. The slot of its packed weight has no readable content. Returns the result and the number of packed
  /// bytes.
  private func run(
    _ row: String, _ call: Invocation, _ weight: StoredWeight, _ x: Tensor, output: [Int], parameter: String,
    bias: Tensor?, dense: Bool
  ) throws -> (y: [Float], packed: Int) {
    let type = call.operation.type
    let kernel = try #require(KernelRegistry.implementations(for: type, on: .cpu).first { $0.name == row })
    let floats = try weight.dense()
    let stored = dense ? try #require(StoredWeight(floats)) : weight
    let problem = KernelProblem(
      invocation: call, outputs: [TensorType(.float32, output)], threads: 2, weights: ["w": stored])
    let candidate = try kernel.match(problem)
    let nothing = try Tensor(
      .float32, shape: weight.shape, doubles: Array(repeating: .nan, count: weight.count))
    var inputs: [String: [Value]] = ["x": [.tensor(x)], parameter: [.tensor(dense ? floats : nothing)]]
    if let bias { inputs["bias"] = [.tensor(bias)] }
    for operand in problem.operands where inputs[operand.parameter] == nil {
      inputs[operand.parameter] = [.tensor(try #require(operand.constant))]
    }
    let store = WeightStore()
    let preparation = Preparation(weights: store)
    let prepared = try candidate.prepare(preparation)
    let packed = withExtendedLifetime(prepared) { store.byteCount }
    return (try CPUHarness.run(candidate, problem: problem, inputs: inputs, preparation)[0].floats(), packed)
  }

  @Test(arguments: [(3, 2), (6, 33), (12, 96), (7, 50), (40, 64), (33, 35)])
  func everyEncodingGivesWhatItsNumbersGive(rows: Int, columns: Int) throws {
    var random = Random(rows * columns)
    for encoded in try Self.encodings(rows: rows, columns: columns, seed: 7 * rows + columns) {
      for m in [1, 2, 3, 5] {
        let x = Tensor(float32: random.floats(m * columns), shape: [m, columns])
        let bias = Tensor(float32: random.floats(rows), shape: [rows])
        let call = invocation("linear", "weight", encoded.weight, x, bias: bias, [:], output: [m, rows])
        func y(_ row: String, dense: Bool) throws -> (y: [Float], packed: Int) {
          try run(
            row, call, encoded.weight, x, output: [m, rows], parameter: "weight", bias: bias, dense: dense)
        }
        let (found, packed) = try y("linear.stored", dense: false)
        let label = "\(encoded.name), \(m) x \(rows) x \(columns)"
        expectEqual(found, try y("linear.gemv", dense: true).y, label)
        #expect(packed == encoded.packedBytes, "\(label)")
      }
    }
  }

  /// Products of more rows give the fp32 results: fp16 weights are packed as fp16, 4-bit codes are decoded tile by tile.
  @Test(arguments: [(6, 33), (40, 64), (33, 35), (70, 20), (33, 96)])
  func packedEncodingsGiveWhatTheirNumbersGive(rows: Int, columns: Int) throws {
    var random = Random(rows * columns)
    var codedCount = 0
    for encoded in try Self.encodings(rows: rows, columns: columns, seed: 3 * rows + columns) {
      for m in [5, 29] {
        let x = Tensor(float32: random.floats(m * columns), shape: [m, columns])
        let bias = Tensor(float32: random.floats(rows), shape: [rows])
        let call = invocation("linear", "weight", encoded.weight, x, bias: bias, [:], output: [m, rows])
        func y(_ row: String, dense: Bool) throws -> (y: [Float], packed: Int) {
          try run(row, call, encoded.weight, x, output: [m, rows], parameter: "weight", bias: bias, dense: dense)
        }
        let isCoded = m > 16 && QuantizedMatrix(encoded.weight, columns: columns)?.isDecodedByTiles == true
        let (found, packed) = try y(isCoded ? "linear.coded" : "linear.packed", dense: false)
        let label = "\(encoded.name), \(m) x \(rows) x \(columns)"
        expectEqual(found, try y("linear.packed", dense: true).y, label)
        let width = isCoded ? 0 : encoded.weight.form.isF16 ? 2 : 4
        #expect(packed == width * ck_gemm_prepacked_packed_weights_size(columns, rows), "\(label)")
        guard isCoded else { continue }
        codedCount += 1
        #expect(throws: Refusal.self, "\(label)") { try y("linear.packed", dense: false) }
      }
    }
    #expect((codedCount > 0) == (columns % 8 == 0))
  }

  /// Weights [K, columns] in every fp16 encoding.
  @Test(arguments: [(3, 2), (35, 33), (70, 50)])
  func weightsByColumns(depth: Int, columns: Int) throws {
    var random = Random(depth + columns)
    for encoded in try Self.encodings(rows: depth, columns: columns, seed: depth) where encoded.weight.form.isF16 {
      for m in [1, 3] {
        let x = Tensor(float32: random.floats(m * depth), shape: [m, depth])
        let call = invocation("matmul", "y", encoded.weight, x, bias: nil, [:], output: [m, columns])
        let (found, packed) = try run(
          "matmul.stored", call, encoded.weight, x, output: [m, columns], parameter: "y", bias: nil, dense: false)
        let w = try encoded.weight.dense().doubles()
        let wanted = try x.doubles()
        expectClose(
          found,
          (0..<m * columns).map { at in
            (0..<depth).reduce(0) { $0 + wanted[at / columns * depth + $1] * w[$1 * columns + at % columns] }
          }, relative: 1e-4, absolute: 1e-3, "\(encoded.name), \(m) x \(columns) x \(depth)")
        #expect(packed == (encoded.name == "fp16" ? 0 : 2 * depth * columns))
      }
    }
  }

  @Test func aConvolutionOfOnePosition() throws {
    var random = Random(5)
    for encoded in try Self.encodings(rows: 12, columns: 96, seed: 3) {
      let weight = try #require(encoded.weight.reshaped([12, 96, 1, 1]))
      let x = Tensor(float32: random.floats(2 * 96), shape: [2, 96, 1, 1])
      let bias = Tensor(float32: random.floats(12), shape: [12])
      let call = invocation("conv", "weight", weight, x, bias: bias, [:], output: [2, 12, 1, 1])
      func y(_ row: String, dense: Bool) throws -> [Float] {
        try run(row, call, weight, x, output: [2, 12, 1, 1], parameter: "weight", bias: bias, dense: dense).y
      }
      expectEqual(try y("conv.stored", dense: false), try y("conv.pointwise", dense: true), encoded.name)
    }
  }

  @Test func whatIsFloatsOrNoHalvesIsLeft() throws {
    var random = Random(1)
    let x = Tensor(float32: random.floats(32), shape: [1, 32])
    let dense = try #require(StoredWeight(Tensor(float32: random.floats(5 * 32), shape: [5, 32])))
    // A 3-bit palette whose entries are not fp16.
    let odd = try Self.results(
      "constexpr_lut_to_dense",
      ["indices": Self.integers(.uint3, [5, 32], &random), "lut": Self.floats(.float32, [1, 1, 8, 1], &random)])[0]
    for weight in [dense, odd] {
      let call = invocation("linear", "weight", weight, x, bias: nil, [:], output: [1, 5])
      #expect(throws: Refusal.self) {
        try run(
          "linear.stored", call, weight, x, output: [1, 5], parameter: "weight", bias: nil, dense: false)
      }
    }
  }
}
