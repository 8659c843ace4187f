import CKernels
import CoreMLKernels
import MIL
import Testing

@testable import CoreMLExecution

/// bf16 products are used only if the caller allows low precision.
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

  /// Attention of two heads, and a single row of 96 elements.
  private static func attention() throws -> Function {
    let x = TensorType(.float32, [1, 2, 40, 48])
    let (row, y) = (TensorType(.float32, [1, 96]), TensorType(.float32, [1, 64]))
    return Function(
      inputs: [NamedType("x", .tensor(x)), NamedType("row", .tensor(row))], opset: "ios18",
      body: Block(
        operations: [
          Operation(
            "scaled_dot_product_attention",
            inputs: ["query": [.name("x")], "key": [.name("x")], "value": [.name("x")]],
            outputs: [NamedType("a", .tensor(x))]),
          Operation(
            "linear",
            inputs: [
              "x": [.name("row")],
              "weight": [.tensor(try StoredProductTests.ramp(.float32, [64, 96], step: 41))],
            ], outputs: [NamedType("y", .tensor(y))]),
        ], outputs: ["a", "y"]))
  }

  private static func engine(low: Bool, _ function: Function) -> Engine {
    var host = PlanDevice(kind: .cpu, profile: .cpu(threads: 2))
    host.allowsLowPrecision = low
    return Engine(function: function, devices: DeviceChoice(threads: 2, devices: [host]))
  }

  private static func rows(_ engine: Engine) throws -> [String] {
    try engine.plan(for: engine.inputTypes).steps.map(\.choice.kernel).filter { $0.hasSuffix(".bf16") }
  }

  @Test func nobodyGetsLowPrecisionUnasked() throws {
    #expect(try Self.rows(Self.engine(low: false, Self.function())).isEmpty)
    #expect(try Self.rows(Self.engine(low: false, Self.attention())).isEmpty)
  }

  /// If bf16 products are slower than fp32 products, only operations that read weights use low precision.
  private static let multiplies = ck_low_precision_supported() && !ck_processor_bf16_dot_is_slow()

  @Test(.enabled(if: multiplies, "the processor has no fast bf16 products"))
  func whoAllowsItGetsIt() throws {
    let function = try Self.function()
    let (low, plain) = (Self.engine(low: true, function), Self.engine(low: false, function))
    // A product with K = 12 is too small for low precision.
    #expect(try Self.rows(low) == ["linear.packed.bf16", "conv.nchwc.bf16"])
    let x = try StoredProductTests.ramp(.float32, [1, 64, 12, 12], step: 29)
    try Self.compare(low, plain, ["x": x], "y")
  }

  /// The difference is within the rounding of eight significant bits.
  private static func compare(_ low: Engine, _ plain: Engine, _ inputs: [String: Tensor], _ output: String) throws {
    let (a, b) = (
      try #require(try EngineTests.run(low, inputs)[output]), try #require(try EngineTests.run(plain, inputs)[output])
    )
    let most = b.map(abs).max() ?? 0
    let worst = zip(a, b).map { abs($0 - $1) }.max() ?? 1
    #expect(worst <= 0.02 * most && worst > 0, "\(output) differs by \(worst) of \(most)")
  }

  @Test(.enabled(if: ck_low_precision_supported(), "the processor has no bf16 products"))
  func attentionAndSingleRows() throws {
    let function = try Self.attention()
    let (low, plain) = (Self.engine(low: true, function), Self.engine(low: false, function))
    #expect(try Self.rows(low) == (Self.multiplies ? ["attention.packed.bf16"] : []) + ["linear.stored.bf16"])
    let inputs = [
      "x": try StoredProductTests.ramp(.float32, [1, 2, 40, 48], step: 29),
      "row": try StoredProductTests.ramp(.float32, [1, 96], step: 29),
    ]
    for output in Self.multiplies ? ["a", "y"] : ["y"] { try Self.compare(low, plain, inputs, output) }
  }

  @Test(
    .enabled(
      if: ck_processor_bf16_dot_is_slow(), "the processor multiplies pairs as fast as floats, or not at all"))
  func slowPairsAreLeftAlone() throws {
    let function = try Self.function()
    #expect(try Self.rows(Self.engine(low: true, function)).isEmpty)
  }
}
