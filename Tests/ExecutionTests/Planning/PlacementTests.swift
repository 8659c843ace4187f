import CoreMLKernels
import MIL
import TestSupport
import Testing

@testable import CoreMLExecution

/// Placement with a device much faster than the CPU and expensive copies, compared with what a person would choose. The
/// kernels run on whatever OpenCL device is present, so that the tests check results, too.
@Suite(.tags(.driver), .unlessQuick, .enabled(if: OpenCLPlatformList.system.devices.first != nil, "no OpenCL device"))
struct PlacementTests {
  /// A hundred times the CPU's arithmetic throughput, behind a bus.
  static let fast = DeviceProfile(
    peakFlops: 20e12, bandwidth: 1e12, launch: 5e-6, transferBandwidth: 12e9, transferLatency: 10e-6)

  struct Placed {
    let steps: [(operation: String, device: DeviceKind)]
    let outputs: [String: [Double]]
    /// The element types of copied values.
    let copied: [ScalarType]
    var onDevice: [String] { steps.filter { $0.device == .openCL && $0.operation != "copy" }.map(\.operation) }
    var onHost: [String] { steps.filter { $0.device == .cpu && $0.operation != "copy" }.map(\.operation) }
    var copies: Int { steps.count { $0.operation == "copy" } }
  }

  static func place(
    _ text: String, _ inputs: [String: Tensor], profile: DeviceProfile = fast, isNamed: Bool = false
  ) throws -> Placed {
    let context = try OpenCLContext(#require(OpenCLPlatformList.system.devices.first))
    let host = PlanDevice(kind: .cpu, profile: .cpu(threads: 2))
    let gpu = PlanDevice(kind: .openCL, profile: profile, isNamed: isNamed, context: context)
    let function = try FusionTests.main(text)
    let both = Engine(
      function: function, devices: DeviceChoice(threads: 2, devices: [host, gpu]))
    let alone = Engine(function: function, devices: DeviceChoice(threads: 2))
    let outputs = try EngineTests.run(both, inputs)
    let tolerance = inputs.values.contains { $0.scalar == .float16 } ? 2e-3 : 1e-4
    for (name, values) in try EngineTests.run(alone, inputs) {
      let other = try #require(outputs[name])
      #expect(zip(values, other).allSatisfy { abs($0 - $1) <= tolerance * max(1, abs($0)) }, "\(name)")
    }
    let plan = try both.plan(for: inputs.mapValues(\.type))
    return Placed(
      steps: plan.steps.map { ($0.choice.operation.type, $0.choice.device) }, outputs: outputs,
      copied: plan.steps.filter { $0.choice.operation.type == "copy" }.compactMap {
        plan.slots[$0.inputs[0]].type.tensor?.scalar
      })
  }

  static func weight(_ shape: [Int], _ name: String) -> String {
    let sizes = shape.map { "\($0)" }.joined(separator: ", ")
    return
      "tensor<fp32, [\(sizes)]> \(name) = fill(shape = tensor<int32, [\(shape.count)]>([\(sizes)]), value = fp32(0.01));"
  }

  static let convolutions = """
    tensor<fp32, [1, 64, 48, 48]> a = conv(x = x, weight = w, pad_type = string("same"));
    tensor<fp32, [1, 64, 48, 48]> b = relu(x = a);
    tensor<fp32, [1, 64, 48, 48]> c = conv(x = b, weight = w, pad_type = string("same"));
    tensor<fp32, [1, 64, 48, 48]> d = sigmoid(x = c);
    """

  @Test func heavyWorkGoesWholeAndIsCopiedOnce() throws {
    let placed = try Self.place(
      """
      (tensor<fp32, [1, 64, 48, 48]> x) {
        \(Self.weight([64, 64, 3, 3], "w"))
        \(Self.convolutions)
      } -> (d)
      """, ["x": try FusionTests.ramp([1, 64, 48, 48])])
    #expect(placed.onHost.isEmpty)
    #expect(placed.copies == 2)
  }

  @Test func lightWorkStaysWhereItsDataIs() throws {
    let placed = try Self.place(
      """
      (tensor<fp32, [64]> x) {
        tensor<fp32, [64]> a = relu(x = x);
        tensor<fp32, [64]> b = add(x = a, y = x);
        tensor<fp32, [64]> c = sigmoid(x = b);
      } -> (c)
      """, ["x": try FusionTests.ramp([64])])
    #expect(placed.onDevice.isEmpty && placed.copies == 0)
  }

  /// Views between heavy operations do not move their data to the host and back.
  @Test func viewsFollowTheirData() throws {
    let placed = try Self.place(
      """
      (tensor<fp32, [1, 64, 48, 48]> x) {
        \(Self.weight([64, 64, 3, 3], "w"))
        \(Self.weight([2304, 256], "v"))
        \(Self.convolutions)
        tensor<fp32, [64, 2304]> e = reshape(x = d, shape = tensor<int32, [2]>([64, 2304]));
        tensor<fp32, [64, 256]> f = matmul(x = e, y = v, transpose_x = bool(false), transpose_y = bool(false));
      } -> (f)
      """, ["x": try FusionTests.ramp([1, 64, 48, 48])])
    #expect(placed.onHost.isEmpty)
    #expect(placed.copies == 2)
  }

  /// An operation that only the CPU supports runs there, and light operations next to it stay with it.
  @Test func anOperationWithoutAKernelThereComesHomeWithItsLightNeighbours() throws {
    let text = """
      (tensor<fp32, [1, 64, 48, 48]> x) {
        \(Self.weight([64, 64, 3, 3], "w"))
        \(Self.convolutions)
        tensor<fp32, [1, 64, 1, 1]> e = reduce_mean(x = d, axes = tensor<int32, [2]>([2, 3]), keep_dims = bool(true));
        tensor<fp32, [64, 1]> f = reduce_max(x = e, axes = tensor<int32, [2]>([0, 2]), keep_dims = bool(false));
        tensor<fp32, [64, 1]> g = relu(x = f);
      } -> (g)
      """
    let inputs = ["x": try FusionTests.ramp([1, 64, 48, 48])]
    // Axes that are not adjacent: no device kernel matches them, even where the device gets everything that it
    // supports.
    #expect(try Self.place(text, inputs, isNamed: true).onHost.contains("reduce_max"))
    let placed = try Self.place(text, inputs)
    #expect(placed.onDevice == ["fused.conv", "fused.conv", "reduce_mean"])
    #expect(placed.onHost == ["reduce_max", "relu"])
    #expect(placed.copies == 2)
  }

  @Test func aSlowDeviceGetsNothingUnlessItIsNamed() throws {
    let text = """
      (tensor<fp32, [1, 64, 48, 48]> x) {
        \(Self.weight([64, 64, 3, 3], "w"))
        \(Self.convolutions)
      } -> (d)
      """
    let inputs = ["x": try FusionTests.ramp([1, 64, 48, 48])]
    #expect(try Self.place(text, inputs, profile: .unmeasured).onDevice.isEmpty)
    #expect(try Self.place(text, inputs, profile: .unmeasured, isNamed: true).onHost.isEmpty)
  }

  /// Fusion still applies to the host's part, and the device's part is lowered separately.
  @Test func theHostsPartIsFusedBesideAGPU() throws {
    let placed = try Self.place(
      """
      (tensor<fp16, [1, 64, 48, 48]> x) {
        tensor<fp16, [64, 64, 3, 3]> w = fill(shape = tensor<int32, [4]>([64, 64, 3, 3]), value = fp16(0.01));
        tensor<fp16, [1, 64, 48, 48]> a = conv(x = x, weight = w, pad_type = string("same"));
        tensor<fp16, [1, 64, 48, 48]> b = sigmoid(x = a);
        tensor<fp16, [1, 64]> e = reduce_mean(x = b, axes = tensor<int32, [2]>([2, 3]), keep_dims = bool(false));
        tensor<fp16, [1, 64]> f = band_part(x = e, lower = int32(-1), upper = int32(-1));
        tensor<fp16, [1, 2]> g = linear(x = f, weight = tensor<fp16, [2, 64]>(\(Self.row)));
        tensor<fp16, [1, 2]> h = relu(x = g);
      } -> (h)
      """, ["x": try FusionTests.ramp([1, 64, 48, 48]).converted(to: .float16)])
    #expect(placed.onHost.contains("fused.linear") && placed.onHost.contains("band_part"))
    #expect(placed.onDevice.contains { $0 == "conv" || $0 == "fused.conv" })
    // The image and the means are copied as fp16.
    #expect(placed.copied == [.float16, .float16])
  }

  static let row =
    "[[" + (0..<64).map { "\(Double($0 % 7) / 8)" }.joined(separator: ", ") + "], ["
    + (0..<64).map { "\(Double($0 % 5) / -8)" }.joined(separator: ", ") + "]]"

  /// Two devices of the same driver represent two GPUs. Values move between them through the host, and results are
  /// correct.
  @Test func aPlanOverThreeDevicesIsRight() throws {
    let device = try #require(OpenCLPlatformList.system.devices.first)
    let gpus = try (0..<2).map { _ in
      PlanDevice(kind: .openCL, profile: Self.fast, context: try OpenCLContext(device))
    }
    let function = try FusionTests.main(
      """
      (tensor<fp32, [1, 64, 48, 48]> x) {
        \(Self.weight([64, 64, 3, 3], "w"))
        \(Self.convolutions)
      } -> (d)
      """)
    let devices = [PlanDevice(kind: .cpu, profile: .cpu(threads: 2))] + gpus
    let engine = Engine(function: function, devices: DeviceChoice(threads: 2, devices: devices))
    let pool = ThreadPool(threads: 2)
    let specialised = try engine.specialised(for: engine.inputTypes)
    let lower = Lower(pool: pool, allowsFusion: true)
    // The second half runs on the second device, whatever it costs.
    let places = specialised.body.operations.map { ["a", "b"].contains($0.outputs.first?.name) ? 1 : 2 }
    let regions = try Regions.cut(specialised, devices: places).map { region in
      var region = region
      region.function = try lower(region.function, for: devices[region.device])
      return region
    }
    let drafts = try PlanCandidates(regions, inputs: specialised.inputs, devices: devices, pool: pool)
    var builder = try PlanBuilder(drafts, outputs: [("d", try #require(drafts.index["d"]))])
    let plan = try builder.build(inputs: ["x"], pool, notes: [])
    #expect(plan.steps.count { $0.choice.operation.type == "copy" } == 4)
    #expect(Set(plan.steps.map(\.device)) == [1, 2])
    let session = try Session(plan: plan)
    let x = try FusionTests.ramp([1, 64, 48, 48])
    try session.set("x", .tensor(x))
    try session.run(states: StateBuffers(types: [:]), shouldStop: { false })
    let result = try #require(session.value(plan.outputs[0].slot).tensor).doubles()
    let alone = Engine(function: function, devices: DeviceChoice(threads: 2))
    let expected = try #require(EngineTests.run(alone, ["x": x])["d"])
    #expect(zip(result, expected).allSatisfy { abs($0 - $1) <= 1e-4 * max(1, abs($1)) })
  }
}
