import MIL
import Testing

@testable import CoreMLExecution

/// Programs from MIL text through the whole pipeline: specialized, planned and run.
@Suite struct EngineTests {
  static func engine(_ text: String, threads: Int = 2) throws -> Engine {
    let program = try MILText.parse("program(1.3) { func main<ios18>\(text); }")
    let function = try #require(program.functions["main"])
    return Engine(function: function, devices: DeviceChoice(threads: threads))
  }

  static func run(_ engine: Engine, _ inputs: [String: Tensor]) throws -> [String: [Double]] {
    let states = try StateBuffers(types: engine.stateTypes)
    return try engine.run(inputs.mapValues { .tensor($0) }, states: states, shouldStop: { false }) { outputs in
      var result: [String: [Double]] = [:]
      for (name, value) in outputs { result[name] = try value.tensor?.doubles() }
      return result
    }
  }

  /// Programs build shapes from scalars. Concatenating one scalar makes a vector and is not an identity.
  @Test func aScalarJoinedAloneIsAVector() throws {
    let engine = try Self.engine(
      """
      (tensor<fp32, [3]> x, tensor<fp32, [2]> v) {
        tensor<fp32, []> s = reduce_sum(x = x, keep_dims = bool(false));
        tensor<fp32, [1]> a = concat(values = (s), axis = int32(0), interleave = bool(false));
        tensor<fp32, [3]> y = concat(values = (v, a), axis = int32(0), interleave = bool(false));
      } -> (y)
      """)
    let result = try Self.run(
      engine, ["x": Tensor(float32: [1, 2, 3], shape: [3]), "v": Tensor(float32: [8, 9], shape: [2])])
    #expect(result["y"] == [8, 9, 6])
  }

  @Test func aChainOfElementwiseOperations() throws {
    let engine = try Self.engine(
      """
      (tensor<fp32, [2, 3]> x, tensor<fp32, [3]> y) {
        tensor<fp32, [2, 3]> a = add(x = x, y = y);
        tensor<fp32, [2, 3]> b = mul(x = a, y = fp32(2));
        tensor<fp32, [2, 3]> c = sub(x = b, y = x);
      } -> (c, a)
      """)
    let x = Tensor(float32: [1, 2, 3, 4, 5, 6], shape: [2, 3])
    let y = Tensor(float32: [10, 20, 30], shape: [3])
    let result = try Self.run(engine, ["x": x, "y": y])
    #expect(result["a"] == [11, 22, 33, 14, 25, 36])
    #expect(result["c"] == [21, 42, 63, 24, 45, 66])
  }

  @Test func halfIsCalculatedInSinglePrecisionAndStoredAsHalf() throws {
    let engine = try Self.engine(
      """
      (tensor<fp16, [2]> x) {
        tensor<fp16, [2]> a = mul(x = x, y = fp16(0.1));
        tensor<fp16, [2]> b = mul(x = a, y = fp16(10));
      } -> (b)
      """)
    let x = try Tensor(.float16, shape: [2], doubles: [3, 1000])
    let tenth = Double(Float(Float16(0.1)))
    let result = try Self.run(engine, ["x": x])
    #expect(result["b"] == [Double(Float16(3 * tenth * 10)), Double(Float16(1000 * tenth * 10))])
  }

  /// 0.1 is 0.09998 in fp16, and 101 times that is 10.0975, whose nearest fp16 value is 10.09375.
  @Test func compressedWeightsAreHalves() throws {
    let engine = try Self.engine(
      """
      (tensor<fp32, [1]> x) {
        tensor<fp16, [1]> w = constexpr_affine_dequantize(quantized_data = tensor<int8, [1]>([101]), scale = fp16(0.1),
          zero_point = int8(0), axis = int32(0));
        tensor<fp32, [1]> v = cast(x = w, dtype = string("fp32"));
        tensor<fp32, [1]> y = mul(x = x, y = v);
      } -> (y)
      """)
    #expect(try Self.run(engine, ["x": Tensor(float32: [1], shape: [1])])["y"] == [10.09375])
  }

  /// A plan can only pack constants. A weight that does not become a constant would be computed in every prediction.
  @Test func compressedWeightsAreConstantsHoweverMany() throws {
    var function = try Self.engine(
      """
      (tensor<fp16, [1, 800000]> x) {
        tensor<fp16, [1, 800000]> w = constexpr_affine_dequantize(quantized_data = int8(0), scale = fp16(0.1),
          zero_point = int8(0), axis = int32(0));
        tensor<fp16, [1, 800000]> y = mul(x = x, y = w);
      } -> (y)
      """
    ).function
    function.body.operations[0].inputs["quantized_data"] = [.tensor(try Tensor.zeros(.int8, shape: [1, 800_000]))]
    let engine = Engine(function: function, devices: DeviceChoice(threads: 1))
    let plan = try engine.plan(for: engine.inputTypes)
    #expect(plan.steps.map(\.choice.operation.type) == ["cast", "mul", "cast"])
  }

  @Test func shapesAreSpecialisedEachTime() throws {
    let engine = try Self.engine(
      "(tensor<fp32, [?]> x) { tensor<fp32, [?]> y = square(x = x); } -> (y)")
    #expect(try Self.run(engine, ["x": Tensor(float32: [2], shape: [1])])["y"] == [4])
    #expect(try Self.run(engine, ["x": Tensor(float32: [1, 2, 3], shape: [3])])["y"] == [1, 4, 9])
  }

  /// The constant gets the type of the other operand, whichever operand comes first.
  @Test func aProductWithAConstantOfAnotherType() throws {
    let engine = try Self.engine(
      """
      (tensor<int32, [1, 2]> x, tensor<fp32, [2, 1]> y) {
        tensor<fp32, [2, 1]> c = const(val = tensor<fp32, [2, 1]>([[3], [4]]));
        tensor<int32, [1, 2]> d = const(val = tensor<int32, [1, 2]>([[3, 4]]));
        tensor<int32, [1, 1]> a = matmul(x = x, y = c);
        tensor<fp32, [1, 1]> b = matmul(x = d, y = y);
        tensor<int32, [2, 2]> e = matmul(x = c, y = x);
      } -> (a, b, e)
      """)
    let x = try Tensor(.int32, shape: [1, 2], doubles: [5, 6])
    let result = try Self.run(engine, ["x": x, "y": Tensor(float32: [0.5, 0.25], shape: [2, 1])])
    #expect(result["a"] == [39])
    #expect(result["b"] == [2.5])
    #expect(result["e"] == [15, 18, 20, 24])
  }

  /// Negative indices count from the end unless the operation validates them.
  @Test(arguments: [
    "gather(x = x", "gather_along_axis(x = x", "scatter(data = x, updates = x", "scatter_nd(data = x, updates = x",
  ])
  func negativeIndicesAreRefusedWhereTheyAreValidated(call: String) throws {
    func run(_ isValidated: Bool) throws -> [Double]? {
      let shape = call.hasPrefix("scatter_nd") ? "2, 1" : "2"
      let engine = try Self.engine(
        """
        (tensor<fp32, [2]> x, tensor<int32, [\(shape)]> i) {
          tensor<fp32, [2]> y = \(call), indices = i, validate_indices = bool(\(isValidated)));
        } -> (y)
        """)
      let indices = try Tensor(.int32, shape: shape == "2" ? [2] : [2, 1], doubles: [-1, 0])
      return try Self.run(engine, ["x": Tensor(float32: [1, 2], shape: [2]), "i": indices])["y"]
    }
    #expect(try run(false) == (call.hasPrefix("gather") ? [2, 1] : [3, 3]))
    #expect { try run(true) } throws: { error in "\(error)".contains("outside") }
  }

  /// The scatter does not overwrite memory that another operand reads under another name.
  @Test func aScatterOfAValueIntoItself() throws {
    let engine = try Self.engine(
      """
      (tensor<fp32, [4]> x, tensor<int32, [4]> i) {
        tensor<fp32, [4]> a = square(x = x);
        tensor<fp32, [2, 2]> m = reshape(x = a, shape = tensor<int32, [2]>([2, 2]));
        tensor<fp32, [4]> b = reshape(x = m, shape = tensor<int32, [1]>([4]));
        tensor<fp32, [4]> y = scatter(data = a, indices = i, updates = b, mode = string("update"));
      } -> (y)
      """)
    let i = try Tensor(.int32, shape: [4], doubles: [3, 2, 1, 0])
    #expect(try Self.run(engine, ["x": Tensor(float32: [1, 2, 3, 4], shape: [4]), "i": i])["y"] == [16, 9, 4, 1])
  }

  @Test func anUnknownOperationIsNamed() throws {
    let engine = try Self.engine("(tensor<fp32, [1]> x) { tensor<fp32, [1]> y = frobnicate(x = x); } -> (y)")
    #expect {
      try Self.run(engine, ["x": Tensor(float32: [2], shape: [1])])
    } throws: { error in "\(error)".contains("frobnicate") }
  }
}
