import CKernels
import CoreMLKernels
import CoreMLRuntime
import MIL
import Testing

@testable import CoreMLExecution
@testable import CoreMLRuntime

/// Products in brain floating point are for who allows them.
@Suite struct LowPrecisionTests {
  /// A linear layer and a convolution with many weights.
  private static func function() throws -> Function {
    let x = TensorType(.float32, [1, 64, 12, 12])
    let (inner, y) = (TensorType(.float32, [1, 64, 12, 96]), TensorType(.float32, [1, 128, 12, 96]))
    return Function(
      inputs: [NamedType("x", .tensor(x))], opset: "ios18",
      body: Block(
        operations: [
          Operation(
            "linear",
            inputs: [
              "x": [.name("x")],
              "weight": [.tensor(try StoredProductTests.ramp(.float32, [96, 12], step: 31))],
            ], outputs: [NamedType("a", .tensor(inner))]),
          Operation(
            "linear",
            inputs: [
              "x": [.name("a")],
              "weight": [.tensor(try StoredProductTests.ramp(.float32, [96, 96], step: 41))],
            ], outputs: [NamedType("b", .tensor(inner))]),
          Operation(
            "conv",
            inputs: [
              "x": [.name("b")],
              "weight": [.tensor(try StoredProductTests.ramp(.float32, [128, 64, 1, 1], step: 43))],
            ], outputs: [NamedType("y", .tensor(y))]),
        ], outputs: ["y"]))
  }

  private static func engine(low: Bool) throws -> Engine {
    var host = PlanDevice(kind: .cpu, profile: .cpu(threads: 2))
    host.allowsLowPrecision = low
    return Engine(function: try function(), devices: DeviceChoice(threads: 2, devices: [host]))
  }

  private static func rows(_ engine: Engine) throws -> [String] {
    try engine.plan(for: engine.inputTypes).steps.map(\.choice.row).filter { $0.hasSuffix(".bf16") }
  }

  @Test func nobodyGetsLowPrecisionUnasked() throws {
    #expect(try Self.rows(Self.engine(low: false)).isEmpty)
    #expect(!MLModelConfiguration().devices.allowsLowPrecision)
  }

  @Test(.enabled(if: ck_low_precision_supported(), "the processor has no products of brain floating point"))
  func whoAllowsItGetsIt() throws {
    let (low, plain) = (try Self.engine(low: true), try Self.engine(low: false))
    // Twelve numbers are too few for a sum.
    #expect(try Self.rows(low) == ["linear.packed.bf16", "conv.blocked.bf16"])
    let x = try StoredProductTests.ramp(.float32, [1, 64, 12, 12], step: 29)
    let (a, b) = (
      try #require(try EngineTests.run(low, ["x": x])["y"]), try #require(try EngineTests.run(plain, ["x": x])["y"])
    )
    let most = b.map(abs).max() ?? 0
    let worst = zip(a, b).map { abs($0 - $1) }.max() ?? 1
    #expect(worst <= 0.02 * most && worst > 0, "differs by \(worst) of \(most)")
  }

  @Test func theHintReachesDevicesAndCopies() throws {
    let configuration = MLModelConfiguration()
    configuration.optimizationHints.precision = .low
    #expect(configuration.devices.allowsLowPrecision && configuration.copied.devices.allowsLowPrecision)
    #expect(try DeviceChoice(configuration.devices).devices[0].allowsLowPrecision)
    #expect(try DeviceChoice(configuration.devices).hostOnly.devices[0].allowsLowPrecision)
    #expect(configuration.identity != MLModelConfiguration().identity)
  }
}
