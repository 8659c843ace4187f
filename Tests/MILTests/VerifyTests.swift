import Testing

@testable import MIL

/// Ill-formed programs are refused, and the error names the operation.
@Suite struct VerifyTests {
  @Test func aSoundProgramPasses() throws {
    let program = try ProgramText.function(
      """
      tensor<int32, [1]> axes = const()[val = tensor<int32, [1]>([0])];
      tensor<fp32, [1, 2, 3]> y = expand_dims(x = x, axes = axes);
      bool p = const()[val = bool(true)];
      tensor<fp32, [1, ?, 3]> z = cond(pred = p) block() {
          tensor<fp32, [1, 4, 3]> a = tile(x = y, reps = tensor<int32, [3]>([1, 2, 1]));
        } -> (a) block() { } -> (y);
      """, outputs: "z, x")
    try program.verify()
  }

  @Test(arguments: [
    ("tensor<fp32, [2, 3]> y = abs(x = w);", "y", "abs 'y'", "'w'"),
    ("tensor<fp32, [2, 3]> x = abs(x = x);", "x", "abs 'x'", "defined twice"),
    ("tensor<fp32, [2, 3]> y = nothing_like_it(x = x);", "y", "nothing_like_it 'y'", "not supported"),
    ("tensor<fp32, [2, 3]> y = abs(x = x, z = x);", "y", "abs 'y'", "parameter 'z'"),
    ("tensor<fp32, [2, 3]> y = abs();", "y", "abs 'y'", "missing"),
    ("tensor<fp32, [2, 3]> y = abs(x = (x, x));", "y", "abs 'y'", "one value"),
    ("tensor<fp32, [3, 2]> y = abs(x = x);", "y", "abs 'y'", "declared"),
    ("tensor<int32, [2, 3]> y = abs(x = x);", "y", "abs 'y'", "declared"),
    ("tensor<fp32, [2, 3]> y, tensor<fp32, [2, 3]> z = abs(x = x);", "y", "abs 'y'", "2 are named"),
    ("tensor<fp32, [2, 3]> y = transpose(x = x, perm = tensor<int32, [2]>([0, 0]));", "y", "transpose 'y'", "twice"),
    ("tensor<fp32, [2, 3]> %\"\" = abs(x = x);", "x", "abs ''", "no name"),
    (
      "tensor<fp32, [2, 3]> y = cond(pred = bool(true)) block() { } -> (w) block() { } -> (x);", "y", "cond 'y'", "'w'"
    ),
    (
      "tensor<fp32, [2, 3]> y = cond(pred = bool(true)) block() { tensor<fp32, [2, 3]> x = abs(x = x); } -> (x) block() { } -> (x);",
      "y", "abs 'x'", "defined twice"
    ),
    (
      "tensor<fp32, [2, 3]> y = cond(pred = bool(true)) block() { tensor<fp32, [2, 3]> a = abs(x = x); } -> (a) block() { } -> (x);"
        + " tensor<fp32, [2, 3]> z = abs(x = a);", "z", "abs 'z'", "'a'"
    ),
    (
      "tensor<fp32, [2, 3]> y = cond(pred = bool(true)) block() { tensor<int32, [2, 3]> a = cast(x = x, dtype = string(\"int32\")); } -> (a)"
        + " block() { } -> (x);", "y", "cond 'y'", "on one way"
    ),
  ]) func faultsAreNamed(_ body: String, _ outputs: String, _ operation: String, _ words: String) throws {
    let program = try ProgramText.function(body, outputs: outputs)
    let error = #expect(throws: MILError.self) { try program.verify() }
    #expect(error?.operation == operation)
    #expect(error?.message.contains(words) == true, "\(String(describing: error))")
  }

  @Test func outputsMustBeDefined() throws {
    let error = #expect(throws: MILError.self) { try ProgramText.function("", outputs: "y").verify() }
    #expect(error?.message.contains("function 'main'") == true)
  }

  @Test func inputsMustBeSane() {
    let float = ValueType.tensor(TensorType(.float32, [2]))
    for inputs in [
      [NamedType("x", float), NamedType("x", float)], [NamedType("", float)],
      [NamedType("x", .tensor(TensorType(.float32, [-1])))],
      [NamedType("x", .tensor(TensorType(.float32, [1 << 40, 1 << 40])))],
      [NamedType("x", .state(TensorType(.float32, Array(repeating: 1, count: 1000))))],
    ] {
      let program = Program(functions: ["main": Function(inputs: inputs, opset: "CoreML8", body: Block())])
      #expect(throws: MILError.self) { try program.verify() }
    }
    #expect(throws: MILError.self) { try Program(functions: [:]).verify() }
  }

  @Test func deepBlocksAreRefused() {
    var block = Block(outputs: ["p"])
    for depth in 0..<1000 {
      let operation = Operation(
        "cond", inputs: ["pred": [.name("p")]], outputs: [NamedType("v\(depth)", .tensor(TensorType(.bool, [Int]())))],
        blocks: [block, Block(outputs: ["p"])])
      block = Block(operations: [operation], outputs: ["v\(depth)"])
    }
    let function = Function(
      inputs: [NamedType("p", .tensor(TensorType(.bool, [Int]())))], opset: "CoreML8", body: block)
    let error = #expect(throws: MILError.self) { try Program(functions: ["main": function]).verify() }
    #expect(error?.message.contains("too deeply") == true)
  }
}
