import CoreMLKernels
import MIL
import TestSupport
import Testing

@testable import CoreMLExecution

/// fp16 values of the file stay fp16 on an OpenCL device if the kernels support it. Results equal the CPU's within
/// rounding.
@Suite(.tags(.driver), .unlessQuick, .enabled(if: OpenCLPlatformList.system.devices.first != nil, "no OpenCL device"))
struct StoredF16Tests {
  private static func f16(_ shape: [Int]) throws -> Tensor {
    let count = shape.reduce(1, *)
    return try Tensor(.float16, shape: shape, doubles: (0..<count).map { Double($0 % 23 - 11) / 8 })
  }

  /// The operations of a program on the device, each with its result type. `PlacementTests.place` compares results.
  private static func steps(_ text: String, _ inputs: [String: Tensor]) throws -> [String] {
    _ = try PlacementTests.place(text, inputs, isNamed: true)
    let context = try OpenCLContext(#require(OpenCLPlatformList.system.devices.first))
    let devices = [
      PlanDevice(kind: .cpu, profile: .cpu(threads: 1)),
      PlanDevice(kind: .openCL, profile: PlacementTests.fast, isNamed: true, context: context),
    ]
    let engine = Engine(function: try FusionTests.main(text), devices: DeviceChoice(threads: 1, devices: devices))
    let plan = try engine.plan(for: inputs.mapValues(\.type))
    #expect(plan.steps.allSatisfy { $0.device == 1 || $0.choice.operation.type == "copy" })
    return plan.steps.filter { $0.choice.operation.type != "copy" }.map {
      "\($0.choice.operation.type) \(plan.slots[$0.outputs[0]].type.tensor?.scalar.rawValue ?? "")"
    }
  }

  @Test func aNetworkOfHalvesIsNeverWidened() throws {
    let steps = try Self.steps(
      """
      (tensor<fp16, [1, 4, 6, 6]> x) {
        tensor<fp16, [4, 4, 1, 1]> w = fill(shape = tensor<int32, [4]>([4, 4, 1, 1]), value = fp16(0.25));
        tensor<fp16, [1, 4, 6, 6]> a = conv(x = x, weight = w, pad_type = string("same"));
        tensor<fp16, [1, 4, 6, 6]> b = relu(x = a);
        tensor<fp16, [1, 4, 6, 6]> c = add(x = b, y = x);
        tensor<fp16, [1, 4, 6, 6]> d = softmax(x = c, axis = int32(-1));
        tensor<fp16, [1, 4, 3, 3]> e = max_pool(x = d, kernel_sizes = tensor<int32, [2]>([2, 2]), strides = tensor<int32, [2]>([2, 2]), pad_type = string("valid"));
        tensor<fp16, [1, 3, 3, 4]> f = transpose(x = e, perm = tensor<int32, [4]>([0, 2, 3, 1]));
        tensor<fp16, [9, 4]> g = reshape(x = f, shape = tensor<int32, [2]>([9, 4]));
        tensor<fp16, [9, 9]> y = matmul(x = g, y = g, transpose_x = bool(false), transpose_y = bool(true));
      } -> (y)
      """, ["x": try Self.f16([1, 4, 6, 6])])
    #expect(!steps.contains { $0.hasPrefix("cast") }, "\(steps)")
    #expect(steps.allSatisfy { $0.hasSuffix(" fp16") }, "\(steps)")
    #expect(steps.count >= 6)
  }

  /// No kernel sorts fp16. The sorted value is fp32 from its producer to its reader, without a cast.
  @Test func whatARowDoesNotTakeIsWide() throws {
    let steps = try Self.steps(
      """
      (tensor<fp16, [3, 16]> x) {
        tensor<fp16, [3, 16]> a = mul(x = x, y = fp16(0.5));
        tensor<fp16, [3, 4]> b, tensor<int32, [3, 4]> places = topk(x = a, k = int32(4), axis = int32(-1));
        tensor<fp16, [3, 4]> y = exp(x = b);
      } -> (y)
      """, ["x": try Self.f16([3, 16])])
    #expect(steps == ["mul fp32", "topk fp32", "exp fp16"])
  }

  @Test func constantsThatAreMovedAreHalvesToo() throws {
    let steps = try Self.steps(
      """
      (tensor<fp16, [2, 3]> x) {
        tensor<fp16, [2, 3]> a = sigmoid(x = x);
        tensor<fp16, [2, 4]> b = concat(values = (a, tensor<fp16, [2, 1]>([[0.1], [0.2]])), axis = int32(1), interleave = bool(false));
        tensor<bool, [2, 4]> s = greater(x = b, y = fp16(0.3));
        tensor<fp16, [2, 4]> c = select(cond = s, a = b, b = tensor<fp16, [1]>([-2.5]));
        tensor<fp16, [2, 6]> y = pad(x = c, pad = tensor<int32, [2]>([1, 1]), mode = string("constant"), constant_val = fp16(0.7));
      } -> (y)
      """, ["x": try Self.f16([2, 3])])
    #expect(steps == ["sigmoid fp16", "concat fp16", "greater bool", "select fp16", "pad fp16"])
  }

  /// fp32 values that the file asks for stay fp32.
  @Test func whatTheFileHasInSinglePrecisionStaysSo() throws {
    let steps = try Self.steps(
      """
      (tensor<fp16, [2, 3]> x) {
        tensor<fp32, [2, 3]> a = cast(x = x, dtype = string("fp32"));
        tensor<fp32, [2, 3]> b = exp(x = a);
        tensor<fp16, [2, 3]> c = cast(x = b, dtype = string("fp16"));
        tensor<fp16, [2, 3]> y = tanh(x = c);
      } -> (y, b)
      """, ["x": try Self.f16([2, 3])])
    #expect(steps == ["cast fp32", "exp fp32", "cast fp16", "tanh fp16"])
  }

  /// An output may be an input that is cast to its own type.
  @Test func anInputMayBeAnOutput() throws {
    let steps = try Self.steps(
      """
      (tensor<fp16, [2, 3]> x) {
        tensor<fp16, [2, 3]> y = cast(x = x, dtype = string("fp16"));
        tensor<fp16, [2, 3]> z = relu(x = x);
      } -> (y, z)
      """, ["x": try Self.f16([2, 3])])
    #expect(steps.contains("relu fp16"))
  }

  /// A table that rows are gathered from is copied to the device in fp16.
  @Test func aTableOfHalvesIsNeverWidened() throws {
    let table = try Self.f16([300, 512])
    let rows = NamedType("rows", .tensor(TensorType(.int32, [4])))
    let outputs = [
      NamedType("picked", .tensor(TensorType(.float16, [4, 512]))),
      NamedType("y", .tensor(TensorType(.float16, [4, 512]))),
    ]
    let function = Function(
      inputs: [rows], opset: "ios18",
      body: Block(
        operations: [
          .const("table", .tensor(table)),
          Operation(
            "gather", inputs: ["x": [.name("table")], "indices": [.name("rows")], "axis": [.int(0)]],
            outputs: [outputs[0]]),
          Operation("relu", inputs: ["x": [.name("picked")]], outputs: [outputs[1]]),
        ], outputs: ["y"]))
    let context = try OpenCLContext(#require(OpenCLPlatformList.system.devices.first))
    let devices = [
      PlanDevice(kind: .cpu, profile: .cpu(threads: 1)),
      PlanDevice(kind: .openCL, profile: PlacementTests.fast, isNamed: true, context: context),
    ]
    let engine = Engine(function: function, devices: DeviceChoice(threads: 1, devices: devices))
    let y = try #require(try EngineTests.run(engine, ["rows": Tensor(int32: [7, 0, 299, 7], shape: [4])])["y"])
    let numbers = try table.doubles()
    let expected: [Double] = [7, 0, 299, 7].flatMap { (row: Int) -> [Double] in
      numbers[(row * 512)..<(row * 512 + 512)].map { max($0, 0) }
    }
    #expect(y == expected)
    // The axis constant is on the device as well.
    #expect(engine.weights.deviceByteCount < 2 * 300 * 512 + 64)
    let plan = try engine.plan(for: ["rows": TensorType(.int32, [4])])
    #expect(
      plan.steps.filter { $0.choice.operation.type != "copy" }.map(\.choice.operation.type) == ["gather", "relu"])
  }

  /// A large constant that is added, such as positional embeddings, stays fp16. The other operand and the results of
  /// further additions need not be widened.
  @Test func aLargeConstantIsAddedAsHalves() throws {
    let type = ValueType.tensor(TensorType(.float16, [300, 512]))
    func operation(_ name: String, _ inputs: [String: [Binding]], _ output: String) -> MIL.Operation {
      Operation(name, inputs: inputs, outputs: [NamedType(output, type)])
    }
    let function = Function(
      inputs: [NamedType("x", type)], opset: "ios18",
      body: Block(
        operations: [
          .const("places", .tensor(try Self.f16([300, 512]))),
          operation("sigmoid", ["x": [.name("x")]], "a"),
          operation("add", ["x": [.name("a")], "y": [.name("places")]], "b"),
          operation("mul", ["x": [.name("places")], "y": [.name("b")]], "c"),
          operation("tanh", ["x": [.name("c")]], "d"),
          operation("add", ["x": [.name("b")], "y": [.name("d")]], "y"),
        ], outputs: ["y"]))
    let context = try OpenCLContext(#require(OpenCLPlatformList.system.devices.first))
    let devices = [
      PlanDevice(kind: .cpu, profile: .cpu(threads: 1)),
      PlanDevice(kind: .openCL, profile: PlacementTests.fast, isNamed: true, context: context),
    ]
    let engine = Engine(function: function, devices: DeviceChoice(threads: 1, devices: devices))
    let inputs = ["x": try Self.f16([300, 512])]
    let found = try #require(try EngineTests.run(engine, inputs)["y"])
    let host = Engine(function: function, devices: DeviceChoice(threads: 1))
    let expected = try #require(try EngineTests.run(host, inputs)["y"])
    #expect(zip(found, expected).allSatisfy { abs($0 - $1) <= 4e-3 * max(1, abs($1)) } && found.count == expected.count)
    let plan = try engine.plan(for: inputs.mapValues(\.type))
    let chain = try #require(plan.steps.first { $0.choice.operation.type == "fused.pointwise" })
    let scalars = (chain.inputs + [chain.outputs[0]]).compactMap { plan.slots[$0].type.tensor?.scalar }
    #expect(scalars.filter { $0 == .float16 }.count == 3 && !scalars.contains(.float32), "\(scalars)")
  }
}
