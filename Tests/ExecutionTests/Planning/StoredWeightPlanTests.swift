import CoreMLKernels
import Foundation
import MIL
import Synchronization
import Testing

@testable import CoreMLExecution

/// Weights keep their stored encoding from the file to the kernels, are packed once per model, and give the results of
/// dense weights.
@Suite struct StoredWeightPlanTests {
  private func ramp(_ scalar: ScalarType, _ shape: [Int], step: Int = 37, modulo: Int = 19) throws -> Tensor {
    let count = shape.reduce(1, *)
    return try Tensor(
      scalar, shape: shape, doubles: (0..<count).map { Double(($0 * step) % modulo) / 64 - (scalar.isFloat ? 0.14 : 0) }
    )
  }

  private func integers(_ scalar: ScalarType, _ shape: [Int], below limit: Int) throws -> Tensor {
    try Tensor(scalar, shape: shape, doubles: (0..<shape.reduce(1, *)).map { Double(($0 * 31) % limit) })
  }

  /// y = linear(x, w) for any number of rows. `weight` defines `w`, of shape 300 x 512.
  private func linear(_ weight: [MIL.Operation], half: Bool = true) -> Function {
    let scalar: ScalarType = half ? .float16 : .float32
    let output = NamedType("y", .tensor(TensorType(scalar, [.unknown, 300])))
    let product = Operation("linear", inputs: ["x": [.name("x")], "weight": [.name("w")]], outputs: [output])
    return Function(
      inputs: [NamedType("x", .tensor(TensorType(scalar, [.unknown, 512])))], opset: "ios18",
      body: Block(operations: weight + [product], outputs: ["y"]))
  }

  private func run(_ engine: Engine, rows: Int, half: Bool = true) throws -> [Double] {
    let x = try ramp(half ? .float16 : .float32, [rows, 512], step: 11, modulo: 23)
    return try #require(try EngineTests.run(engine, ["x": x])["y"])
  }

  private func engine(_ function: Function) -> Engine { Engine(function: function, devices: DeviceChoice(threads: 2)) }

  /// The number of fp32 elements among the plan's constants.
  private func denseFloats(_ plan: Plan) -> Int {
    plan.slots.reduce(0) { sum, slot in
      guard case .literal(let value) = slot.storage, value.tensor?.scalar == .float32 else { return sum }
      return sum + (value.tensor?.count ?? 0)
    }
  }

  @Test func plansOfTwoShapesShareOnePackedCopy() throws {
    let weight = try ramp(.float16, [300, 512])
    let engine = engine(linear([.const("w", .tensor(weight))]))
    let first = try run(engine, rows: 20)
    let bytes = engine.weights.byteCount
    #expect(engine.weights.madeCount == 1 && bytes >= 2 * weight.count && bytes < 3 * weight.count, "fp16 as fp16")
    let second = try run(engine, rows: 40)
    #expect(engine.weights.madeCount == 1 && engine.weights.byteCount == bytes, "one copy for both shapes")
    #expect(Array(second.prefix(first.count)) == first)
    for rows in [20, 40] {
      let plan = try engine.plan(for: ["x": TensorType(.float16, [rows, 512])])
      #expect(denseFloats(plan) < 1000, "nothing of the weight is there as floats beside what was packed")
      #expect(plan.steps.contains { !$0.packed.isEmpty })
    }
    #expect(EngineOnCPU().engine(like: engine).weights === engine.weights)
  }

  @Test func theWeightIsTheSameInEveryForm() throws {
    let indices = try integers(.uint4, [300, 512], below: 16)
    let (lut, scale) = (try ramp(.float16, [300, 1, 16, 1]), try ramp(.float16, [300, 16]))
    let offset = try integers(.uint8, [300, 16], below: 9)
    let bytes = try integers(.uint8, [300, 512], below: 251)
    let mask = try Tensor(.uint1, shape: [300, 512], doubles: (0..<300 * 512).map { $0 % 3 == 0 ? 1 : 0 })
    let forms: [(String, [String: Tensor])] = [
      ("constexpr_lut_to_dense", ["indices": indices, "lut": lut]),
      ("constexpr_blockwise_shift_scale", ["data": bytes, "scale": scale, "offset": offset]),
      (
        "constexpr_affine_dequantize",
        [
          "quantized_data": bytes, "scale": try ramp(.float16, [300]),
          "zero_point": try integers(.uint8, [300], below: 5),
          "axis": Tensor(int32: [0], shape: []),
        ]
      ),
      ("constexpr_sparse_to_dense", ["mask": mask, "nonzero_data": try ramp(.float16, [300 * 512 / 3])]),
    ]
    for (type, inputs) in forms {
      let operation = Operation(
        type, inputs: inputs.mapValues { [.tensor($0)] },
        outputs: [NamedType("w", .tensor(TensorType(.float16, [300, 512])))])
      let call = Invocation(
        operation: operation, inputTypes: inputs.mapValues { [.tensor($0.type)] },
        values: inputs.mapValues { [.tensor($0)] })
      let dense = try #require(try References.evaluate(call).first?.tensor)
      let (stored, plain) = (engine(linear([operation])), engine(linear([.const("w", .tensor(dense))])))
      for rows in [1, 9] {
        let (found, expected) = (try run(stored, rows: rows), try run(plain, rows: rows))
        #expect(found == expected, "\(type), \(rows) rows")
        #expect(Set(found).count > 10)
      }
      let plan = try stored.plan(for: ["x": TensorType(.float16, [9, 512])])
      #expect(denseFloats(plan) < 1000, "\(type)")
    }
  }

  /// A kernel that reads its weight as an ordinary operand gets it dense, decoded once for all plans.
  @Test func whoReadsGetsItDense() throws {
    let table = try ramp(.float16, [700, 128])
    let sum = Operation(
      "add", inputs: ["x": [.name("x")], "y": [.name("w")]],
      outputs: [NamedType("y", .tensor(TensorType(.float16, [.unknown, 700, 128])))])
    let engine = engine(
      Function(
        inputs: [NamedType("x", .tensor(TensorType(.float16, [.unknown, 1, 1])))], opset: "ios18",
        body: Block(operations: [.const("w", .tensor(table)), sum], outputs: ["y"])))
    let numbers = try table.doubles()
    for count in [1, 2] {
      let x = try Tensor(.float16, shape: [count, 1, 1], doubles: Array(repeating: 0, count: count))
      let y = try #require(try EngineTests.run(engine, ["x": x])["y"])
      #expect(y == Array((0..<count).map { _ in numbers }.joined()))
    }
    #expect(engine.weights.madeCount == 1 && engine.weights.byteCount == 4 * 700 * 128)
  }

  /// Rows of a table are decoded when they are gathered.
  @Test func rowsOfATableAreReadAsTheyAreStored() throws {
    let table = try ramp(.float16, [700, 128])
    let gather = Operation(
      "gather",
      inputs: [
        "x": [.name("w")], "indices": [.name("i")], "axis": [.int(0)], "batch_dims": [.int(0)],
        "validate_indices": [.bool(false)],
      ],
      outputs: [NamedType("y", .tensor(TensorType(.float16, [.unknown, 128])))])
    let engine = engine(
      Function(
        inputs: [NamedType("i", .tensor(TensorType(.int32, [.unknown])))], opset: "ios18",
        body: Block(operations: [.const("w", .tensor(table)), gather], outputs: ["y"])))
    let numbers = try table.doubles()
    for indices in [[3, 699], [0, 1, 2]] {
      let y = try #require(try EngineTests.run(engine, ["i": Tensor(int32: indices, shape: [indices.count])])["y"])
      #expect(y == indices.flatMap { Array(numbers[$0 * 128..<($0 + 1) * 128]) })
    }
    #expect(engine.weights.madeCount == 0 && engine.weights.byteCount == 0)
    #expect(throws: KernelError.self) { try EngineTests.run(engine, ["i": Tensor(int32: [700], shape: [1])]) }
  }

  /// A reference implementation reads decoded elements only.
  @Test func aReferenceReadsItDense() throws {
    let weight = try ramp(.float16, [300, 512])
    let sums = Operation(
      "einsum", inputs: ["values": [.name("x"), .name("w")], "equation": [.string("ab,cd->ac")]],
      outputs: [NamedType("y", .tensor(TensorType(.float16, [3, 300])))])
    let engine = engine(
      Function(
        inputs: [NamedType("x", .tensor(TensorType(.float16, [3, 2])))], opset: "ios18",
        body: Block(operations: [.const("w", .tensor(weight)), sums], outputs: ["y"])))
    let x = try ramp(.float16, [3, 2])
    let y = try #require(try EngineTests.run(engine, ["x": x])["y"])
    let plan = try engine.plan(for: ["x": x.type])
    #expect(plan.steps.contains { $0.choice.operation.type == "einsum" && $0.choice.kernel == "reference" })
    let (a, b) = (try x.doubles(), try weight.doubles())
    for row in 0..<3 {
      for column in [0, 7, 299] {
        let wanted = (a[2 * row] + a[2 * row + 1]) * b[column * 512..<(column + 1) * 512].reduce(0, +)
        #expect(abs(y[row * 300 + column] - wanted) <= 2e-3 * max(1, abs(wanted)))
      }
    }
  }

  /// Constant folding decodes a stored weight first.
  @Test func foldingDecodes() throws {
    let weight = try ramp(.float16, [512, 300])
    let transposed = Operation(
      "transpose", inputs: ["x": [.name("v")], "perm": [.ints([1, 0])]],
      outputs: [NamedType("w", .tensor(TensorType(.float16, [300, 512])))])
    let engine = engine(linear([.const("v", .tensor(weight)), transposed]))
    let turned = try Tensor(
      .float16, shape: [300, 512],
      doubles: {
        let numbers = try weight.doubles()
        return (0..<300 * 512).map { numbers[$0 % 512 * 300 + $0 / 512] }
      }())
    #expect(try run(engine, rows: 9) == run(self.engine(linear([.const("w", .tensor(turned))])), rows: 9))
    #expect(try run(engine, rows: 12).count == 12 * 300 && engine.weights.madeCount == 1)
  }

  @Test func aNormScalesTheStoredWeight() throws {
    let weight = try ramp(.float16, [64, 64, 5, 5])
    let channels = try ["mean", "variance", "gamma", "beta"].enumerated().map {
      ($1, try Tensor(.float16, shape: [64], doubles: (0..<64).map { Double(($0 * 7) % 13) / 16 + 0.25 }))
    }
    let type = ValueType.tensor(TensorType(.float16, [1, 64, 12, 12]))
    let conv = Operation(
      "conv",
      inputs: [
        "x": [.name("x")], "weight": [.name("w")], "pad_type": [.string("same")], "strides": [.ints([1, 1])],
        "dilations": [.ints([1, 1])], "groups": [.int(1)], "pad": [.ints([0, 0, 0, 0])],
      ], outputs: [NamedType("c", type)])
    var inputs: [String: [Binding]] = [
      "x": [.name("c")], "epsilon": [.tensor(try Tensor(.float16, shape: [], doubles: [0.001]))],
    ]
    for (name, tensor) in channels { inputs[name] = [.tensor(tensor)] }
    let function = Function(
      inputs: [NamedType("x", type)], opset: "ios18",
      body: Block(
        operations: [
          .const("w", .tensor(weight)), conv, Operation("batch_norm", inputs: inputs, outputs: [NamedType("y", type)]),
        ],
        outputs: ["y"]))
    let x = try ramp(.float16, [1, 64, 12, 12], step: 5, modulo: 17)
    let folded = engine(function)
    let apart = Engine(function: function, devices: DeviceChoice(threads: 2, allowsFusion: false))
    let (found, expected) = (
      try #require(try EngineTests.run(folded, ["x": x])["y"]), try #require(try EngineTests.run(apart, ["x": x])["y"])
    )
    for (a, b) in zip(found, expected) { #expect(abs(a - b) <= 0.01 * max(1, abs(b))) }
    let plan = try folded.plan(for: ["x": TensorType(.float16, [1, 64, 12, 12])])
    #expect(!plan.steps.contains { $0.choice.operation.type == "batch_norm" })
    #expect(denseFloats(plan) < 1000)
  }

  // MARK: concurrent requests

  /// Counts the type queries. Each stage of planning makes one.
  private final class CountedCode: OperationCode {
    let count = Mutex(0)

    func outputTypes(_ call: Invocation) throws -> [ValueType] {
      count.withLock { $0 += 1 }
      Thread.sleep(forTimeInterval: 0.01)
      return [try call.type("values")]
    }

    func evaluate(_ call: Invocation, outputs: [ValueType]) throws -> [Value] { [try call.value("values")] }
  }

  @Test func manyFirstRequestsMakeOnePlan() throws {
    func counted() -> (Engine, CountedCode) {
      let code = CountedCode()
      var custom = Operation(
        "nn.custom",
        inputs: ["values": [.name("x")], "class_name": [.string("Counted")], "layer": [.string("counted")]],
        outputs: [NamedType("y", .tensor(TensorType(.float32, [.unknown])))])
      custom.code = code
      let function = Function(
        inputs: [NamedType("x", .tensor(TensorType(.float32, [.unknown])))], opset: "ios18",
        body: Block(operations: [custom], outputs: ["y"]))
      return (engine(function), code)
    }
    let types = ["x": TensorType(.float32, [3])]
    let (single, once) = counted()
    _ = try single.plan(for: types)
    let calls = once.count.withLock { $0 }
    #expect(calls > 0)
    let (shared, many) = counted()
    let plans = Mutex<[Plan]>([])
    DispatchQueue.concurrentPerform(iterations: 8) { _ in
      if let plan = try? shared.plan(for: types) { plans.withLock { $0.append(plan) } }
    }
    let all = plans.withLock { $0 }
    #expect(all.count == 8 && all.allSatisfy { $0 === all[0] })
    #expect(many.count.withLock { $0 } == calls)
  }
}
