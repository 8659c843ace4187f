import CoreMLKernels
import MIL
import Testing

@testable import CoreMLExecution

/// Stages between a function and its plan: the lowering for each device, and the origins of operations.
@Suite struct LoweringTests {
  /// A model may use any name, including names that passes generate.
  @Test func namesThatPassesMakeUpNeverMeetThoseOfTheModel() throws {
    let engine = try EngineTests.engine(
      """
      (tensor<fp16, [2]> x) {
        tensor<fp16, [2]> x__fp32 = mul(x = x, y = fp16(2));
        tensor<fp16, [2]> y__fp16 = add(x = x__fp32, y = fp16(1));
        tensor<fp16, [2]> y = mul(x = y__fp16, y = x__fp32);
      } -> (y)
      """)
    let x = try Tensor(.float16, shape: [2], doubles: [3, -1])
    #expect(try EngineTests.run(engine, ["x": x])["y"] == [42, 2])
  }

  @Test func whatIsFusedHasTheOriginsOfAll() throws {
    let engine = try EngineTests.engine(
      """
      (tensor<fp16, [4, 3]> x) {
        tensor<fp16, [4, 2]> product = linear(x = x, weight = tensor<fp16, [2, 3]>([[1, -2, 3], [0.5, 1.5, -1]]));
        tensor<fp16, [4, 2]> result = relu(x = product);
      } -> (result)
      """)
    let plan = try engine.plan(for: engine.inputTypes)
    let steps = plan.steps.map { ($0.choice.operation.type, $0.choice.operation.named) }
    #expect(steps.map(\.0) == ["cast", "fused.linear", "cast"])
    #expect(steps.map(\.1) == [["x"], ["product", "result"], ["result"]])
  }

  /// A device whose kernels take fp16 gets fp16 values and is charged their costs. Other devices get fp32.
  @Test func halvesAreKeptForADeviceThatTakesThem() throws {
    let function = try FusionTests.main(
      """
      (tensor<fp16, [64, 64]> x) {
        tensor<fp16, [64, 64]> t = transpose(x = x, perm = tensor<int32, [2]>([1, 0]));
        tensor<fp16, [64, 64]> y = relu(x = t);
      } -> (y)
      """)
    let host = PlanDevice(kind: .cpu, profile: .cpu(threads: 1))
    var f16 = host
    f16.keepsF16 = true
    let lower = Lower(pool: ThreadPool(threads: 1), allowsFusion: true)
    func types(_ device: PlanDevice) throws -> [String] {
      try lower(function, for: device).body.operations.filter { $0.type != "const" }.map {
        "\($0.type) \($0.outputs[0].type.tensor?.scalar.rawValue ?? "")"
      }
    }
    #expect(try types(f16) == ["transpose fp16", "relu fp16"])
    #expect(try types(host) == ["cast fp32", "transpose fp32", "relu fp32", "cast fp16"])
    let specialised = try function.after(Specialize(pool: ThreadPool(threads: 1)))
    let costs = try Workload(specialised, devices: [host, host, f16], threads: 1).items.map(\.costs)
      .filter { $0[1] ?? 0 > 0 }
    // The device reads half the bytes. The CPU computes nothing in fp16.
    let (single, half) = (try #require(costs[0][1]), try #require(costs[0][2]))
    #expect(half < single)
    #expect(costs[1][2] ?? .infinity > costs[1][1] ?? 0)
  }

  @Test func originsArePrintedAndRead() throws {
    var function = try FusionTests.main(
      "(tensor<fp32, [2]> x) { tensor<fp32, [2]> y = relu(x = x)[origins = tensor<string, [2]>([\"conv1\", \"a \\\"b\\\"\"])]; } -> (y)"
    )
    #expect(function.body.operations[0].origins == ["conv1", "a \"b\""])
    function.body.operations[0].origins.append("c")
    let program = Program(functions: ["main": function])
    #expect(try MILText.parse(MILText.print(program)).isSame(as: program))
  }

  /// The check after each pass names the pass that breaks a function.
  @Test func aPassThatBreaksAFunctionIsNamed() throws {
    struct DropFirst: Pass {
      func callAsFunction(_ function: Function) -> Function {
        var result = function
        result.body.operations.removeFirst()
        return result
      }
    }
    let function = try FusionTests.main(
      "(tensor<fp32, [2]> x) { tensor<fp32, [2]> a = relu(x = x); tensor<fp32, [2]> y = exp(x = a); } -> (y)")
    #if DEBUG
      let error = #expect(throws: MILError.self) { try function.after(DropFirst()) }
      #expect(error?.message.contains("after DropFirst") == true)
    #endif
  }

  // MARK: regions

  private func function(_ count: Int, _ reads: [(Int, [Int])]) -> Function {
    let type = ValueType.tensor(TensorType(.float32, [2]))
    let operations = reads.map { output, inputs in
      Operation(
        "concat", inputs: ["values": inputs.map { .name("v\($0)") }, "axis": [.int(0)], "interleave": [.bool(false)]],
        outputs: [NamedType("v\(output)", type)])
    }
    return Function(
      inputs: [NamedType("v0", type)], opset: "CoreML8", body: Block(operations: operations, outputs: ["v\(count)"]))
  }

  /// 1 and 3 run on the host. 2 runs on a device and does not read 1. 3 can wait for 2, so 1 and 3 are one region.
  @Test func operationsThatNeedNotWaitAreOneRegion() {
    let regions = Regions.cut(function(4, [(1, [0]), (2, [0]), (3, [1]), (4, [2, 3])]), devices: [0, 1, 0, 0])
    #expect(regions.map(\.device) == [0, 1, 0])
    #expect(regions.map { $0.function.body.operations.count } == [2, 1, 1])
    #expect(regions.map(\.outputs) == [["v3"], ["v2"], ["v4"]])
    #expect(regions[2].function.inputs.map(\.name) == ["v2", "v3"])
  }

  @Test func anOperationNeverRunsBeforeWhatItReads() {
    let regions = Regions.cut(function(3, [(1, [0]), (2, [1]), (3, [2, 1])]), devices: [0, 1, 0])
    #expect(regions.map(\.device) == [0, 1, 0])
    #expect(regions.map(\.outputs) == [["v1"], ["v2"], ["v3"]])
  }
}
