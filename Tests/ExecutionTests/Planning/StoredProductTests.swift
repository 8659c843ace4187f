import CoreMLKernels
import MIL
import Testing

@testable import CoreMLExecution

/// Products of a few rows and recurrent layers read weights in their stored encoding, and expand nothing.
@Suite struct StoredProductTests {
  static func ramp(_ scalar: ScalarType, _ shape: [Int], step: Int = 37, modulo: Int = 101) throws -> Tensor {
    try Tensor(
      scalar, shape: shape,
      doubles: (0..<shape.reduce(1, *)).map { Double(($0 * step) % modulo - modulo / 2) / Double(8 * modulo) })
  }

  /// Definitions of an fp16 constant `name`, plain and compressed. `made` is the number of bytes that a product of a
  /// few rows allocates for it.
  static func definitions(_ name: String, _ shape: [Int]) throws -> [(
    label: String, operations: [Operation], made: Int
  )] {
    let type = NamedType(name, .tensor(TensorType(.float16, shape)))
    let count = shape.reduce(1, *)
    // Constants with different names have different elements.
    let seed = name.utf8.reduce(1) { ($0 * 5 + Int($1)) % 97 }
    func indices(_ scalar: ScalarType, _ below: Int) throws -> Tensor {
      try Tensor(scalar, shape: shape, doubles: (0..<count).map { Double(($0 * 31 + $0 / 7 * seed) % below) })
    }
    func operation(_ kind: String, _ inputs: [String: Tensor]) -> [Operation] {
      [Operation(kind, inputs: inputs.mapValues { [.tensor($0)] }, outputs: [type])]
    }
    return [
      ("fp16", [.const(name, .tensor(try ramp(.float16, shape, step: 102 + seed)))], 0),
      (
        "four bits",
        operation(
          "constexpr_lut_to_dense", ["indices": try indices(.uint4, 16), "lut": try ramp(.float16, [1, 1, 16, 1])]), 0
      ),
      (
        "eight bits",
        operation(
          "constexpr_blockwise_shift_scale",
          [
            "data": try indices(.uint8, 251), "offset": try Tensor(.uint8, shape: [1, 1], doubles: [125]),
            "scale": try Tensor(.float16, shape: [1, 1], doubles: [0.001]),
          ]), 0
      ),
      (
        "six bits",
        operation(
          "constexpr_lut_to_dense", ["indices": try indices(.uint6, 64), "lut": try ramp(.float16, [1, 1, 64, 1])]),
        2 * count
      ),
    ]
  }

  /// The elements of the constant that `definitions` defines.
  static func numbers(_ operations: [Operation]) throws -> [Double] {
    if let constant = operations[0].constant { return try #require(constant.tensor).doubles() }
    let operation = operations[0]
    let values = operation.inputs.mapValues { bindings -> [Value?] in
      bindings.map { binding in
        if case .literal(let value) = binding { return value }
        return nil
      }
    }
    let call = Invocation(
      operation: operation, inputTypes: values.mapValues { $0.compactMap { $0?.type } }, values: values)
    return try #require(try References.evaluate(call).first?.tensor).doubles()
  }

  private func engine(_ function: Function, fuses: Bool = true) -> Engine {
    Engine(function: function, devices: DeviceChoice(threads: 2, allowsFusion: fuses))
  }

  /// 4-bit codes in blocks of 32, as linear quantization of language models gives.
  private static func blocks(_ name: String, _ rows: Int, _ columns: Int) throws -> Operation {
    let codes = (0..<rows * columns).map { index -> Double in
      let code = (index * 31 + index / 7) % 16
      return Double(code - 8)
    }
    let scales = (0..<rows * columns / 32).map { index -> Double in 0.002 + 0.0001 * Double(index % 23) }
    let data = try Tensor(.int4, shape: [rows, columns], doubles: codes)
    let scale = try Tensor(.float16, shape: [rows, columns / 32], doubles: scales)
    return Operation(
      "constexpr_blockwise_shift_scale", inputs: ["data": [.tensor(data)], "scale": [.tensor(scale)]],
      outputs: [NamedType(name, .tensor(TensorType(.float16, [rows, columns])))])
  }

  /// Products of many rows decode 4-bit codes tile by tile, so they expand nothing either.
  @Test func aProductOfFewRowsExpandsNothing() throws {
    let all = try Self.definitions("w", [300, 512]) + [("blocks of four bits", [Self.blocks("w", 300, 512)], 0)]
    for (label, operations, made) in all {
      let output = NamedType("y", .tensor(TensorType(.float16, [.unknown, 300])))
      let function = Function(
        inputs: [NamedType("x", .tensor(TensorType(.float16, [.unknown, 512])))], opset: "ios18",
        body: Block(
          operations: operations + [
            Operation("linear", inputs: ["x": [.name("x")], "weight": [.name("w")]], outputs: [output])
          ], outputs: ["y"]))
      let engine = engine(function)
      let w = try Self.numbers(operations)
      for rows in label.hasSuffix("four bits") ? [1, 4, 40] : [1, 4] {
        let x = try Self.ramp(.float16, [rows, 512], step: 11, modulo: 83)
        let y = try #require(try EngineTests.run(engine, ["x": x])["y"])
        let numbers = try x.doubles()
        for at in stride(from: 0, to: rows * 300, by: 7) {
          let wanted = (0..<512).reduce(0) { $0 + numbers[at / 300 * 512 + $1] * w[at % 300 * 512 + $1] }
          #expect(abs(y[at] - wanted) <= 2e-3 * max(0.1, abs(wanted)), "\(label), \(at)")
        }
        let plan = try engine.plan(for: ["x": x.type])
        let kernel = rows > 16 ? "linear.coded" : "linear.stored"
        #expect(plan.steps.contains { $0.choice.kernel == kernel }, "\(label), \(rows) rows")
      }
      // The plans are alive, so these bytes are all that they hold.
      #expect(engine.weights.byteCount == made, "\(label): bytes beside the file's own")
      #expect(engine.weights.madeCount == (made == 0 ? 0 : 1), "\(label): once for all plans")
    }
  }

  // MARK: recurrent layers

  struct Layer: Sendable, CustomStringConvertible {
    let type: String
    let gates: Int
    var direction = "forward"
    var steps: Int
    var batch = 1
    var description: String { "\(type) \(direction) \(steps) x \(batch)" }
    /// The encodings that the tests use for this layer.
    var encodings: [Int] { direction == "bidirectional" ? [0, 1, 2, 3] : [0, 3] }
    /// Large enough that both matrices count as large constants.
    var hidden: Int { [1: 272, 3: 160, 4: 144][gates] ?? 0 }
    var inputs: Int { hidden - 16 }
  }

  static let layers = [
    Layer(type: "lstm", gates: 4, steps: 1), Layer(type: "lstm", gates: 4, direction: "bidirectional", steps: 13),
    Layer(type: "lstm", gates: 4, direction: "reverse", steps: 3, batch: 2),
    Layer(type: "gru", gates: 3, steps: 2, batch: 3), Layer(type: "gru", gates: 3, steps: 11),
    Layer(type: "rnn", gates: 1, steps: 12), Layer(type: "rnn", gates: 1, steps: 2, batch: 9),
    Layer(type: "lstm", gates: 4, steps: 2, batch: 9),
  ]

  private static func function(_ layer: Layer, _ weights: [String: Binding], _ scalar: ScalarType) throws -> Function {
    let passes = layer.direction == "bidirectional" ? 2 : 1
    let state = TensorType(scalar, [layer.batch, passes * layer.hidden])
    var arguments: [String: [Binding]] = [
      "x": [.name("x")], "initial_h": [.name("h")], "direction": [.string(layer.direction)],
      "output_sequence": [.bool(true)],
    ]
    var parameters = [
      NamedType("x", .tensor(TensorType(scalar, [layer.steps, layer.batch, layer.inputs]))),
      NamedType("h", .tensor(state)),
    ]
    if layer.type == "lstm" {
      arguments["initial_c"] = [.name("c")]
      parameters.append(NamedType("c", .tensor(state)))
    }
    for (name, weight) in weights { arguments[name] = [weight] }
    let bias = try ramp(.float32, [layer.gates * layer.hidden], step: 3)
    arguments["bias"] = [.tensor(try bias.converted(to: scalar))]
    if passes == 2 { arguments["bias_back"] = [.tensor(try bias.converted(to: scalar))] }
    var outputs = [
      NamedType("y", .tensor(TensorType(scalar, [layer.steps, layer.batch, passes * layer.hidden]))),
      NamedType("last", .tensor(state)),
    ]
    if layer.type == "lstm" { outputs.append(NamedType("memory", .tensor(state))) }
    return Function(
      inputs: parameters, opset: "ios18",
      body: Block(
        operations: [Operation(layer.type, inputs: arguments, outputs: outputs)], outputs: outputs.map(\.name)))
  }

  @Test(arguments: layers) func recurrentLayersReadHalves(_ layer: Layer) throws {
    let rows = layer.gates * layer.hidden
    var names = [("weight_ih", layer.inputs), ("weight_hh", layer.hidden)]
    if layer.direction == "bidirectional" { names += names.map { ($0.0 + "_back", $0.1) } }
    var feeds = [
      "x": try Self.ramp(.float16, [layer.steps, layer.batch, layer.inputs], step: 13, modulo: 71),
      "h": try Self.ramp(.float16, [layer.batch, names.count / 2 * layer.hidden], step: 5, modulo: 37),
    ]
    if layer.type == "lstm" { feeds["c"] = feeds["h"] }
    for encoding in layer.encodings {
      var operations: [Operation] = []
      var (dense, stored): ([String: Binding], [String: Binding]) = ([:], [:])
      let numbers = names.reduce(0) { $0 + rows * $1.1 }
      for (name, width) in names {
        let definition = try Self.definitions(name, [rows, width])[encoding]
        operations += definition.operations
        dense[name] = .tensor(
          try Tensor(.float32, shape: [rows, width], doubles: Self.numbers(definition.operations)))
        stored[name] = .name(name)
      }
      var function = try Self.function(layer, stored, .float16)
      function.body.operations = operations + function.body.operations
      let (found, wanted) = (engine(function), engine(try Self.function(layer, dense, .float32)))
      let label = "\(layer), encoding \(encoding)"
      let (a, b) = (
        try EngineTests.run(found, feeds),
        try EngineTests.run(wanted, feeds.mapValues { try $0.converted(to: .float32) })
      )
      #expect(Set(a.keys) == Set(b.keys), "\(label)")
      for (name, values) in b {
        let other = try #require(a[name])
        let worst = zip(values, other).map { abs($0 - $1) }.max() ?? 1
        #expect(other.count == values.count && worst < 1e-3, "\(label): \(name) differs by \(worst)")
        #expect(Set(values).count > 10, "\(label)")
      }
      // Packed in fp16. Only the last row blocks have padding.
      #expect((2 * numbers...2 * numbers * 6 / 5).contains(found.weights.byteCount), "\(label)")
    }
  }
}
