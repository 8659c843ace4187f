import CoreMLKernels
import MIL
import Testing

@testable import CoreMLExecution

/// Chains of pointwise operations become one operation with the same results.
@Suite struct FusePointwiseTests {
  private func steps(_ text: String, _ inputs: [String: Tensor], allowsNaN: Bool = false) throws -> [String] {
    try FusionTests.lowered(text, inputs, within: 1e-6, allowsNaN: allowsNaN, spreads: false).map { operation in
      guard let program = operation.value("program", [:])?.tensor else { return operation.type }
      return "\(try program.strings()[0]) of \(operation.inputs["values"]?.compactMap(\.name) ?? [])"
    }
  }

  @Test func aResidualOfAScaledDifferenceIsOneStep() throws {
    let text = """
      (tensor<fp32, [1, 3, 4, 5]> x, tensor<fp32, [1, 3, 4, 5]> p) {
        tensor<fp32, [1, 3, 4, 5]> d = sub(x = p, y = x);
        tensor<fp32, [1, 3, 4, 5]> s = mul(x = d, y = tensor<fp32, [3, 1, 1]>([[[0.5]], [[2]], [[-1]]]));
        tensor<fp32, [1, 3, 4, 5]> y = add(x = x, y = s);
      } -> (y)
      """
    let inputs = ["x": try FusionTests.ramp([1, 3, 4, 5]), "p": try FusionTests.ramp([1, 3, 4, 5])]
    #expect(try steps(text, inputs) == ["sub $0 $1; mul %0 $2; add $1 %1 of [\"p\", \"x\"]"])
  }

  @Test func whatIsReadTwiceWithinIsCalculatedOnce() throws {
    let text = """
      (tensor<fp32, [6, 7]> x) {
        tensor<fp32, [6, 7]> a = sin(x = x);
        tensor<fp32, [6, 7]> b = square(x = a);
        tensor<fp32, [6, 7]> c = exp(x = a);
        tensor<fp32, [6, 7]> d = mul(x = b, y = c);
        tensor<fp32, [6, 7]> y = sub(x = d, y = a);
      } -> (y)
      """
    #expect(
      try steps(text, ["x": FusionTests.ramp([6, 7])])
        == ["sin $0; square %0; exp %0; mul %1 %2; sub %3 %0 of [\"x\"]"])
  }

  @Test func whatOthersReadStays() throws {
    let text = """
      (tensor<fp32, [6, 7]> x) {
        tensor<fp32, [6, 7]> a = sin(x = x);
        tensor<fp32, [6, 7]> b = square(x = a);
        tensor<fp32, [6, 7]> y = exp(x = b);
        tensor<fp32, [6]> z = reduce_sum(x = a, axes = tensor<int32, [1]>([1]), keep_dims = bool(false));
      } -> (y, z, b)
      """
    #expect(
      Set(try steps(text, ["x": FusionTests.ramp([6, 7])])) == ["sin", "square", "exp", "reduce_sum"])
  }

  @Test func whatIsRepeatedBehindAStepStaysApart() throws {
    let text = """
      (tensor<fp32, [6, 1]> x, tensor<fp32, [6, 7]> z) {
        tensor<fp32, [6, 1]> a = sin(x = x);
        tensor<fp32, [6, 1]> b = square(x = a);
        tensor<fp32, [6, 7]> c = add(x = b, y = z);
        tensor<fp32, [6, 7]> y = tanh(x = c);
      } -> (y)
      """
    let inputs = ["x": try FusionTests.ramp([6, 1]), "z": try FusionTests.ramp([6, 7])]
    #expect(
      try steps(text, inputs) == ["sin $0; square %0 of [\"x\"]", "add $0 $1; tanh %0 of [\"b\", \"z\"]"])
  }

  @Test func aNormOfConstantsIsTwoSteps() throws {
    let numbers = [("mean", "0.5, -1"), ("variance", "4, 9"), ("gamma", "2, 3"), ("beta", "1, -1")].map {
      "\($0) = tensor<fp32, [2]>([\($1)])"
    }
    let text = """
      (tensor<fp32, [1, 2, 4, 4]> x, tensor<fp32, [1, 2, 4, 4]> r) {
        tensor<fp32, [1, 2, 4, 4]> a = max_pool(x = x, kernel_sizes = tensor<int32, [2]>([3, 3]), strides = tensor<int32, [2]>([1, 1]), pad_type = string("same"));
        tensor<fp32, [1, 2, 4, 4]> n = batch_norm(x = a, \(numbers.joined(separator: ", ")), epsilon = fp32(0.001));
        tensor<fp32, [1, 2, 4, 4]> y = add(x = r, y = n);
      } -> (y)
      """
    let inputs = ["x": try FusionTests.ramp([1, 2, 4, 4]), "r": try FusionTests.ramp([1, 2, 4, 4])]
    #expect(try steps(text, inputs) == ["max_pool", "mul $0 $1; add %0 $2; add $3 %1 of [\"a\", \"r\"]"])
    // The norm subtracts a mean far from 0 before it multiplies, so the fused form must do so, too.
    let far = text.replacing("[0.5, -1]", with: "[1e4, -1]")
    #expect(try steps(far, inputs) == ["max_pool", "batch_norm", "add"])
    // If the norm's result has another reader, it stays a norm.
    let alone = text.replacing("-> (y)", with: "-> (y, n)")
    #expect(try steps(alone, inputs) == ["max_pool", "batch_norm", "add"])
  }

  @Test func integersAndHalvesOfHostsAreLeftOrWidened() throws {
    let text = """
      (tensor<int32, [5]> i, tensor<fp16, [5]> h) {
        tensor<int32, [5]> a = add(x = i, y = int32(2));
        tensor<int32, [5]> y = mul(x = a, y = i);
        tensor<fp16, [5]> b = sin(x = h);
        tensor<fp16, [5]> z = mul(x = b, y = fp16(0.5));
      } -> (y, z)
      """
    let inputs = [
      "i": Tensor(int32: [1, -2, 3, 40, 5], shape: [5]), "h": try FusionTests.ramp([5]).converted(to: .float16),
    ]
    let found = try steps(text, inputs)
    #expect(found.filter { $0 == "add" || $0 == "mul" }.count == 2)
    #expect(found.contains { $0.hasPrefix("sin $0; mul %0 $1") })
  }

  @Test func longChainsAreCutAndEndInTime() throws {
    let lines = (0..<200).map { "tensor<fp32, [4]> a\($0 + 1) = \($0 % 2 == 0 ? "sin" : "cos")(x = a\($0));" }
    let found = try steps(
      "(tensor<fp32, [4]> a0) { \(lines.joined()) } -> (a200)", ["a0": FusionTests.ramp([4])])
    #expect(found.count == (200 + PointwiseProgram.most - 1) / PointwiseProgram.most)
    // Additions of one value to itself: the pass visits each once.
    let sums = (0..<60).map { "tensor<fp32, [4]> a\($0 + 1) = add(x = a\($0), y = a\($0));" }
    _ = try steps("(tensor<fp32, [4]> a0) { \(sums.joined()) } -> (a60)", ["a0": FusionTests.ramp([4])])
  }

  @Test func blocksAndThreadsGiveTheSame() throws {
    // Values between convolutions are in NCHWc, and the last channel block is not full.
    let weight = "tensor<fp32, [45, 45, 1, 1]>(\(weights(45)))"
    let text = """
      (tensor<fp32, [1, 45, 80, 60]> x) {
        tensor<fp32, [1, 45, 80, 60]> c = conv(x = x, weight = \(weight), pad_type = string("valid"));
        tensor<fp32, [1, 45, 1, 1]> m = reduce_mean(x = c, axes = tensor<int32, [2]>([2, 3]), keep_dims = bool(true));
        tensor<fp32, [1, 45, 80, 60]> e = exp(x = c);
        tensor<fp32, [1, 45, 80, 60]> s = mul(x = m, y = e);
        tensor<fp32, [1, 45, 80, 60]> t = add(x = s, y = c);
        tensor<fp32, [1, 45, 80, 60]> y = conv(x = t, weight = \(weight), pad_type = string("valid"));
      } -> (y)
      """
    let x = try FusionTests.ramp([1, 45, 80, 60])
    #expect(try steps(text, ["x": x]).contains { $0.hasPrefix("exp $0; mul $1 %0; add %1 $0") })
    let function = try FusionTests.main(text)
    let results = try [1, 2].map { threads in
      let engine = Engine(function: function, devices: DeviceChoice(threads: threads))
      let plan = try engine.plan(for: ["x": x.type])
      #expect(
        plan.steps.contains { $0.choice.kernel == "pointwise.nchwc" }, "\(threads): \(plan.steps.map(\.choice.kernel))")
      return try #require(EngineTests.run(engine, ["x": x])["y"])
    }
    for other in results.dropFirst() {
      for (a, b) in zip(results[0], other) { #expect(abs(a - b) <= 1e-5 * max(1, abs(a))) }
    }
  }

  private func weights(_ count: Int) -> String {
    let rows = (0..<count).map { row in
      "[\((0..<count).map { "[[\(Double((row * 7 + $0 * 3) % 11) / 40 - 0.1)]]" }.joined(separator: ", "))]"
    }
    return "[\(rows.joined(separator: ", "))]"
  }

  /// Neither operand of the product has the result's axes, and there is only one position.
  @Test func operandsOfFewerAxesAreNoBlocks() throws {
    let text = """
      (tensor<fp32, [1, 40, 1]> x, tensor<fp32, [40, 1]> c, tensor<fp32, [1, 1, 1]> s) {
        tensor<fp32, [1, 40, 1]> m = mul(x = c, y = s);
        tensor<fp32, [1, 40, 1]> a = add(x = m, y = x);
        tensor<fp32, [1, 40, 1]> y = exp(x = a);
      } -> (y)
      """
    let inputs = [
      "x": try FusionTests.ramp([1, 40, 1]), "c": try FusionTests.ramp([40, 1]), "s": try FusionTests.ramp([1, 1, 1]),
    ]
    let joined = try #require(try FusionTests.lowered(text, inputs, within: 1e-6, spreads: false).first)
    var scope = Scope()
    for name in joined.inputNames {
      scope.define(name, inputs[name].map { .tensor($0.type) } ?? joined.outputs[0].type)
    }
    let problem = KernelProblem(
      invocation: try scope.invocation(of: joined), outputs: joined.outputs.compactMap { $0.type.tensor }, threads: 1)
    let rows = KernelRegistry.implementations(for: "fused.pointwise", on: .cpu)
    #expect(throws: Refusal.self) { _ = try #require(rows.first { $0.name == "pointwise.nchwc" }).match(problem) }
    _ = try #require(rows.first { $0.name == "pointwise.tiles" }).match(problem)
  }

  @Test func whatIsNoWordIsNoStep() throws {
    let text = """
      (tensor<fp32, [4]> x) {
        tensor<fp32, [4]> a = sin(x = x);
        tensor<fp32, [4]> y = gelu(x = a, mode = string("EXACT $0; exp"));
      } -> (y)
      """
    let function = try FusePointwise(on: .cpu)(FusionTests.main(text))
    #expect(!function.body.operations.contains { $0.type == "fused.pointwise" })
  }

  // MARK: the program

  private func refused(_ program: String, values: Int = 2) -> Bool {
    let type = ValueType.tensor(TensorType(.float32, [3]))
    let text = Value.tensor(Tensor(strings: [program], shape: []))
    let call = Invocation(
      operation: Operation("fused.pointwise", outputs: [NamedType("y", type)]),
      inputTypes: ["values": Array(repeating: type, count: values), "program": [text.type]],
      values: ["values": Array(repeating: nil, count: values), "program": [text]])
    return (try? PointwiseProgram(call)) == nil
  }

  @Test func onlyWholeProgramsAreRead() {
    #expect(!refused("add $0 $1; clip alpha=-1.0 beta=inf %0"))
    for text in [
      "", ";", "add $0", "add $0 $1 $1", "add $0 $2", "add $0 %0", "sin %-1", "sin $", "conv $0 $1", "sin 0",
      "sin $0 alpha=1",
      "sin $99999999999999999999", "sin $0; cos %1", "fused.pointwise $0",
      Array(repeating: "sin $0", count: 33).joined(separator: ";"),
    ] { #expect(refused(text), "\(text)") }
  }

  @Test func aProgramSaysWhatItIsMadeOf() {
    let steps = [
      PointwiseProgram.Step("clip", ["alpha": .number(-1), "beta": .number(0.1)], [.value(0)]),
      PointwiseProgram.Step("fused.activation", ["activation": .word("mish")], [.step(0)]),
      PointwiseProgram.Step("pow", [:], [.step(1), .value(1)]),
    ]
    #expect(
      PointwiseProgram(steps).text
        == "clip alpha=-1.0 beta=0.1 $0; fused.activation activation=mish %0; pow %1 $1")
  }

  /// Every function that may be a step has a kernel on both kinds of devices.
  @Test func everyStepHasKernels() throws {
    for name in PointwiseProgram.unary {
      #expect(!KernelRegistry.implementations(for: name, on: .cpu).isEmpty, "\(name)")
    }
    for name in PointwiseProgram.unary.union(PointwiseProgram.binary) {
      #expect(!KernelRegistry.implementations(for: name, on: .openCL).isEmpty, "\(name)")
    }
  }
}
