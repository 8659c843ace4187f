import MIL
import Testing

@testable import CoreMLExecution
@testable import CoreMLKernels

/// Kernels that read and write NCHWc values. Conversions are only inserted where a layout begins and ends.
@Suite struct LayoutAssignmentTests {
  private static let type = TensorType(.float32, [2, 20, 3, 5])
  /// Differs from the block size of this machine's own kernels, so that they do not match.
  private static let block = Blocks.size == 8 ? 16 : 8

  private static var function: Function {
    get throws {
      try FusionTests.main(
        """
        (tensor<fp32, [2, 20, 3, 5]> x) {
          tensor<fp32, [2, 20, 3, 5]> a = abs(x = x);
          tensor<fp32, [2, 20, 3, 5]> b = relu(x = a);
          tensor<fp32, [2, 20, 3, 5]> c = square(x = b);
          tensor<fp32, [2, 20, 3, 5]> y = sub(x = c, y = a);
        } -> (y)
        """)
    }
  }

  /// `b` and `c` also have an NCHWc kernel with a cost of its own.
  private func plan(blockedCost: Double, denseCost: Double, _ given: Function? = nil) throws -> Plan {
    let function = try given ?? Self.function
    let devices = [PlanDevice(kind: .cpu, profile: .cpu(threads: 1))]
    var drafts = try PlanCandidates(
      [Region(device: 0, function: function)], inputs: function.inputs, devices: devices, pool: .caller)
    for (number, draft) in drafts.drafts.enumerated() where ["b", "c"].contains(draft.operation.outputs[0].name) {
      guard case .kernel(let candidates) = draft.action else { continue }
      let dense = candidates.all.map {
        KernelOption(implementation: $0.implementation, candidate: $0.candidate, cost: denseCost)
      }
      let blocked = try blocked(isSquare: draft.operation.type == "square", cost: blockedCost)
      drafts.drafts[number] = StepCandidates(
        operation: draft.operation, device: 0, action: .kernel(KernelOptions([blocked] + dense)),
        inputs: draft.inputs, outputs: draft.outputs, captured: [], capturedNames: [], states: [])
    }
    var builder = try PlanBuilder(drafts, outputs: [("y", try #require(drafts.index["y"]))])
    return try builder.build(inputs: ["x"], ThreadPool(threads: 1), notes: [])
  }

  private func blocked(isSquare: Bool, cost: Double) throws -> KernelOption {
    let count = try #require(Layout.blocked(Self.block).byteCount(of: Self.type)) / 4
    var candidate = Candidate.cpu(efficiency: 1) { frame in
      let (source, target): (UnsafePointer<Float>, UnsafeMutablePointer<Float>) = (frame.input(0), frame.output())
      for index in 0..<count { target[index] = isSquare ? source[index] * source[index] : max(source[index], 0) }
    }
    candidate.takes = [0: .blocked(Self.block)]
    candidate.gives = [0: .blocked(Self.block)]
    let made = candidate
    return KernelOption(
      implementation: KernelImplementation("blocked", for: isSquare ? "square" : "relu") { _ in made }, candidate: made,
      cost: cost)
  }

  private func kinds(_ plan: Plan) -> [String] {
    plan.steps.map { $0.choice.operation.type == "reorder" ? $0.choice.kernel : "\($0.choice.operation.type)" }
  }

  /// The origins of a conversion are names in the file, whatever name passes gave the value.
  @Test func conversionsHaveTheOriginsOfTheirValue() throws {
    var function = try Self.function
    for index in function.body.operations.indices {
      function.body.operations[index].origins = ["layer\(index)", "other\(index)"]
    }
    let plan = try plan(blockedCost: 0, denseCost: 1e-3, function)
    let reorders = plan.steps.map(\.choice.operation).filter { $0.type == "reorder" }
    #expect(reorders.map(\.named) == [["layer0", "other0"], ["layer2", "other2"]])
  }

  @Test func conversionsStandAroundWhatIsBlocked() throws {
    let plan = try plan(blockedCost: 0, denseCost: 1e-3)
    #expect(
      kinds(plan)
        == ["abs", "dense to blocked by \(Self.block)", "relu", "square", "blocked by \(Self.block) to dense", "sub"])
    #expect(plan.steps.filter { $0.choice.kernel == "blocked" }.count == 2)
    // 20 channels are three blocks of 8 or two of 16.
    let channels = Self.block == 8 ? 24 : 32
    #expect(plan.slots.filter { $0.layout != .dense }.allSatisfy { $0.byteCount == 2 * channels * 15 * 4 })
    let session = try Session(plan: plan)
    let x = try FusionTests.ramp([2, 20, 3, 5])
    try session.set("x", .tensor(x))
    try session.run(states: StateBuffers(types: [:]), shouldStop: { false })
    let result = try #require(session.value(plan.outputs[0].slot).tensor).doubles()
    let expected = try x.doubles().map { Double(Float(Float(abs($0)) * Float(abs($0)))) - abs($0) }
    #expect(zip(result, expected).allSatisfy { abs($0 - $1) < 1e-5 })
  }

  /// The planner does not pick an NCHWc kernel that saves less than its conversions cost.
  @Test func whatDoesNotPayStaysDense() throws {
    let dense = try plan(blockedCost: 0, denseCost: 1e-8)
    #expect(kinds(dense) == ["abs", "relu", "square", "sub"])
  }

  @Test(arguments: [1, 7, 8, 9, 16, 20], [1, 65, 200]) func blockingAndBackIsTheSame(channels: Int, area: Int) throws {
    let type = TensorType(.float32, [2, channels, area])
    let x = try FusionTests.ramp([2, channels, area])
    let there = try Reorder(type, from: .dense, to: .blocked(8))
    let back = try Reorder(type, from: .blocked(8), to: .dense)
    let bytes = try #require(Layout.blocked(8).byteCount(of: type))
    let (packed, plain) = (try TensorStorage(byteCount: bytes), try TensorStorage(byteCount: x.byteCount))
    let pool = ThreadPool(threads: 1)
    for (kernel, source, target) in [
      (there.kernel, x.storage.pointer, packed.mutablePointer), (back.kernel, packed.pointer, plain.mutablePointer),
    ] {
      guard case .cpu(let run, _) = kernel, var result = target else { continue }
      var operand = source
      try run(CPUFrame(inputs: &operand, outputs: &result, scratch: result, pool: pool))
    }
    #expect(try Tensor(.float32, shape: [2, channels, area], storage: plain).doubles() == x.doubles())
    let floats = UnsafeBufferPointer(
      start: packed.pointer.assumingMemoryBound(to: Float.self), count: bytes / 4)
    // The first position of the last block: the missing channels are zero.
    let blocks = (channels + 7) / 8
    let last = (blocks - 1) * 8 * area
    #expect(floats[(last + channels - (blocks - 1) * 8)..<(last + 8)].allSatisfy { $0 == 0 })
  }

  /// Rows that are reshaped to an image and back, as in transformers with convolutions inside their layers.
  @Test func rowsThatArePicturesInBetweenStayInBlocks() throws {
    let function = try FusionTests.main(
      """
      (tensor<fp32, [1, 784, 64]> x) {
        tensor<fp32, [1, 64, 784]> t = transpose(x = x, perm = tensor<int32, [3]>([0, 2, 1]));
        tensor<fp32, [1, 64, 28, 28]> p = reshape(x = t, shape = tensor<int32, [4]>([1, 64, 28, 28]));
        tensor<fp32, [1, 64, 28, 28]> c = relu(x = p);
        tensor<fp32, [1, 64, 784]> q = reshape(x = c, shape = tensor<int32, [3]>([1, 64, 784]));
        tensor<fp32, [1, 784, 64]> y = transpose(x = q, perm = tensor<int32, [3]>([0, 2, 1]));
      } -> (y)
      """)
    let engine = Engine(function: function, devices: DeviceChoice(threads: 1))
    let inputs = ["x": try FusionTests.ramp([1, 784, 64])]
    let plan = try engine.plan(for: inputs.mapValues(\.type))
    #expect(
      plan.steps.map(\.choice.kernel)
        == ["copy.nchwc.first", "alias.nchwc", "relu.nchwc", "alias.nchwc", "copy.nchwc.last"])
    let values = try #require(try EngineTests.run(engine, inputs)["y"])
    #expect(try values == inputs["x"]?.doubles().map { max($0, 0) })
  }
}
