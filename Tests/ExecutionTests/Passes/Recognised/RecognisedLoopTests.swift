import MIL
import Testing

@testable import CoreMLExecution

/// Loops that a pass recognizes as recurrent layers keep the slopes of their gates. The constants that define a cell
/// have to be exact.
@Suite struct RecognisedLoopTests {
  /// A GRU whose gates are hard sigmoids.
  private static func body(slope: Float, offset: String = "0.5", one: String = "1", isSpelled: Bool = false) -> String {
    func hard(_ name: String) -> String {
      let type = "tensor<fp32, [2, 4]>"
      guard isSpelled else {
        return "\(type) \(name) = sigmoid_hard(x = \(name)p, alpha = fp32(\(slope)), beta = fp32(\(offset)));"
      }
      return """
        \(type) \(name)s = mul(x = \(name)p, y = fp32(\(slope))); \(type) \(name)o = add(x = \(name)s, y = fp32(\(offset)));
        \(type) \(name) = clip(x = \(name)o, alpha = fp32(0), beta = fp32(1));
        """
    }
    var gates = RecurrentLoopTests.gate("r", 0) + RecurrentLoopTests.gate("z", 1)
    for name in ["r", "z"] {
      gates = gates.replacing("tensor<fp32, [2, 4]> \(name) = sigmoid(x = \(name)p);", with: hard(name))
    }
    return gates + RecurrentLoopTests.candidate
      + RecurrentLoopTests.mean.replacing("fp32(1)", with: "fp32(\(one))")
  }

  private static func layer(_ function: Function, _ inputs: [String: Tensor]) throws -> Operation {
    let engine = Engine(function: function, devices: DeviceChoice(threads: 1))
    return try #require(
      try engine.specialised(for: inputs.mapValues(\.type)).body.operations.first { $0.type == "gru" })
  }

  @Test(arguments: NumbersBeside.all(0.2) + [0.25, 1], ["0.5", "0.50048828", "0.4"])
  func theSlopeOfAGate(_ slope: Float, _ offset: String) throws {
    for isSpelled in [false, true] {
      let text = RecurrentLoopTests.program(body: Self.body(slope: slope, offset: offset, isSpelled: isSpelled))
      let (function, inputs) = (try RecurrentLoopTests.function(text), try RecurrentLoopTests.inputs)
      try RecurrentLoopTests.compare(function, inputs, tolerance: 2e-6)
      let own = try Self.layer(function, inputs).value("recurrent_activation_alpha", [:])?.tensor?.floats().first
      #expect(own == slope)
    }
  }

  /// fp16 weights stay those of the file, whatever the slope.
  @Test(arguments: NumbersBeside.fp16(0.2)) func theSlopeOfAGateOfHalves(_ slope: Float) throws {
    let text = RecurrentLoopTests.program(body: Self.body(slope: slope)).replacing("fp32", with: "fp16")
    let inputs = try RecurrentLoopTests.inputs.mapValues { try $0.converted(to: .float16) }
    let function = try RecurrentLoopTests.function(text)
    try RecurrentLoopTests.compare(function, inputs, tolerance: 2e-3)
    let layer = try Self.layer(function, inputs)
    #expect(try layer.value("recurrent_activation_alpha", [:])?.tensor?.floats() == [slope])
    let sources = function.body.operations.first { $0.type == "while_loop" }?.blocks[1].operations
    let first = try sources?.first { $0.outputs[0].name == "rh" }?.value("weight", [:])?.tensor?.doubles()
    #expect(try layer.value("weight_hh", [:])?.tensor?.doubles().prefix(16) == first?.prefix(16))
  }

  /// Scaling fp16 weights by a constant from the file would round them, so such a loop stays a loop.
  @Test func fp16WeightsAreNotScaled() throws {
    let text = RecurrentLoopTests.program(
      body: """
        tensor<fp32, [2, 4]> px = linear(x = xt, weight = \(RecurrentLoopTests.matrix(4, 3, 0)));
        tensor<fp32, [2, 4]> ph = matmul(x = h, y = \(RecurrentLoopTests.matrix(4, 4, 1)));
        tensor<fp32, [2, 4]> p = add(x = px, y = ph);
        tensor<fp32, [2, 4]> q = mul(x = p, y = fp32(0.3));
        tensor<fp32, [2, 4]> hn = tanh(x = q);
        """)
    let inputs = try RecurrentLoopTests.inputs
    try RecurrentLoopTests.compare(RecurrentLoopTests.function(text), inputs, tolerance: 2e-6)
    let f16 = try inputs.mapValues { try $0.converted(to: .float16) }
    try RecurrentLoopTests.compare(
      RecurrentLoopTests.function(text.replacing("fp32", with: "fp16")), f16, tolerance: 2e-3, isRecognised: false)
  }

  /// A weighted mean of two values is only recognized with exactly 1 - z and z.
  @Test(arguments: NumbersBeside.fp32(1) + [Float(Float16(1).nextUp), Float(Float16(1).nextDown)])
  func theComplementOfAGate(_ one: Float) throws {
    let text = RecurrentLoopTests.program(body: Self.body(slope: 0.2, one: "\(one)"))
    try RecurrentLoopTests.compare(
      RecurrentLoopTests.function(text), RecurrentLoopTests.inputs, tolerance: 2e-6, isRecognised: false)
  }
}
