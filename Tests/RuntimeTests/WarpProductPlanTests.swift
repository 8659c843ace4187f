import MIL
import Testing

@testable import CoreMLExecution
@testable import CoreMLKernels

/// On a device that has products by warps, values and weights that are halves in the file go through them, and results are the CPU's.
@Suite(.enabled(if: OpenCLPlatformList.system.devices.first != nil, "no OpenCL device"))
struct WarpProductPlanTests {
  @Test func productsOfHalvesTakeTheRows() throws {
    let device = try #require(OpenCLPlatformList.system.devices.first)
    // NVIDIA's devices find out for themselves; others have a warp's functions in OpenCL C.
    let plain = OpenCLFeatures(halfArithmetic: false, inlinePTX: false, tensorCores: false, warps: .plain)
    let context = try OpenCLContext(device, features: device.vendorID == 0x10DE ? nil : plain)
    let text = """
      (tensor<fp16, [1, 16, 8, 8]> x) {
        tensor<fp16, [24, 16, 3, 3]> w = fill(shape = tensor<int32, [4]>([24, 16, 3, 3]), value = fp16(0.125));
        tensor<fp16, [1, 24, 8, 8]> a = conv(x = x, weight = w, pad_type = string("same"));
        tensor<fp16, [1, 24, 8, 8]> b = relu(x = a);
        tensor<fp16, [24, 64]> c = reshape(x = b, shape = tensor<int32, [2]>([24, 64]));
        tensor<fp16, [64, 64]> d = matmul(x = c, y = c, transpose_x = bool(true), transpose_y = bool(false));
        tensor<fp16, [40, 64]> v = fill(shape = tensor<int32, [2]>([40, 64]), value = fp16(0.0625));
        tensor<fp16, [64, 40]> e = linear(x = d, weight = v);
        tensor<fp16, [64, 40]> y = tanh(x = e);
      } -> (y)
      """
    let shape = [1, 16, 8, 8]
    let numbers = (0..<1024).map { Double($0 * 7 % 23 - 11) / 256 }
    let inputs = ["x": try Tensor(.float16, shape: shape, doubles: numbers)]
    let function = try FusionTests.main(text)
    let both = Engine(
      function: function,
      devices: DeviceChoice(
        threads: 1,
        devices: [
          PlanDevice(kind: .cpu, profile: .cpu(threads: 1)),
          PlanDevice(kind: .openCL, profile: PlacementTests.fast, isNamed: true, context: context),
        ]))
    let rows = try both.plan(for: inputs.mapValues(\.type)).steps.map(\.choice.row)
    #expect(rows.filter { $0.contains(".mma.") }.count >= 1, "\(rows)")
    let alone = Engine(function: function, devices: DeviceChoice(threads: 1))
    let (found, expected) = (try EngineTests.run(both, inputs), try EngineTests.run(alone, inputs))
    let (values, others) = (try #require(expected["y"]), try #require(found["y"]))
    #expect(values.count == 2560 && others.count == values.count)
    #expect(zip(values, others).allSatisfy { abs($0 - $1) <= 2e-3 * max(1, abs($0)) })
    #expect(values.contains { abs($0) > 0.01 })
  }
}
