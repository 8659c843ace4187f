import Foundation
import MIL
import TestSupport
import Testing

@testable import CoreMLExecution
@testable import CoreMLKernels

/// On a device with warp-level matrix products, values and weights that are fp16 in the file use them. Results agree
/// with the CPU.
@Suite(.tags(.driver), .unlessQuick, .enabled(if: OpenCLPlatformList.system.devices.first != nil, "no OpenCL device"))
struct WarpProductPlanTests {
  /// Must run before any test builds a program. PoCL's optimizer generates wrong code for several barriers in a row.
  init() { setenv("POCL_EXTRA_BUILD_FLAGS", "-cl-opt-disable", 0) }

  @Test func productsOfHalvesTakeTheRows() throws {
    let device = try #require(OpenCLPlatformList.system.devices.first)
    // NVIDIA devices detect their features. Other devices use the OpenCL C versions of the warp functions.
    let plain = OpenCLFeatures(f16Arithmetic: false, inlinePTX: false, tensorCores: false, warps: .plain)
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
    let rows = try both.plan(for: inputs.mapValues(\.type)).steps.map(\.choice.kernel)
    #expect(rows.filter { $0.contains(".mma.") }.count >= 1, "\(rows)")
    let alone = Engine(function: function, devices: DeviceChoice(threads: 1))
    let (found, expected) = (try EngineTests.run(both, inputs), try EngineTests.run(alone, inputs))
    let (values, others) = (try #require(expected["y"]), try #require(found["y"]))
    #expect(values.count == 2560 && others.count == values.count)
    #expect(zip(values, others).allSatisfy { abs($0 - $1) <= 2e-3 * max(1, abs($0)) })
    #expect(values.contains { abs($0) > 0.01 })
  }

  /// fp16 attention, products with reduced precision, and a single row with stored weights each use their own kernel.
  @Test func othersTakeTheirs() throws {
    let attention = """
      (tensor<fp16, [1, 2, 40, 32]> x) {
        tensor<fp16, [1, 2, 40, 32]> y = scaled_dot_product_attention(query = x, key = x, value = x);
      } -> (y)
      """
    try expectRow("attention.mma.f16", attention, .float16, [1, 2, 40, 32], tolerance: 2e-3)
    let product = """
      (tensor<fp32, [40, 64]> x) {
        tensor<fp32, [48, 64]> w = fill(shape = tensor<int32, [2]>([48, 64]), value = fp32(0.03));
        tensor<fp32, [40, 48]> y = linear(x = x, weight = w);
      } -> (y)
      """
    try expectRow("linear.mma.tf32", product, .float32, [40, 64], isLow: true, tolerance: 4e-3)
    try expectRow("linear.opencl.tiles", product, .float32, [40, 64], tolerance: 1e-4)
    let wide = attention.replacing("fp16", with: "fp32")
    try expectRow("attention.mma.tf32", wide, .float32, [1, 2, 40, 32], isLow: true, tolerance: 4e-3)
    try expectRow("attention.opencl.tiles", wide, .float32, [1, 2, 40, 32], tolerance: 1e-4)
    let convolution = """
      (tensor<fp32, [1, 16, 8, 8]> x) {
        tensor<fp32, [24, 16, 3, 3]> w = fill(shape = tensor<int32, [4]>([24, 16, 3, 3]), value = fp32(0.03));
        tensor<fp32, [1, 24, 8, 8]> y = conv(x = x, weight = w, pad_type = string("same"));
      } -> (y)
      """
    try expectRow("conv.mma.patches.tf32", convolution, .float32, [1, 16, 8, 8], isLow: true, tolerance: 4e-3)
    for (label, operations, _) in try StoredProductTests.definitions("w", [300, 512]) {
      let function = Function(
        inputs: [NamedType("x", .tensor(TensorType(.float16, [1, 512])))], opset: "ios18",
        body: Block(
          operations: operations + [
            Operation(
              "linear", inputs: ["x": [.name("x")], "weight": [.name("w")]],
              outputs: [NamedType("y", .tensor(TensorType(.float16, [1, 300])))])
          ], outputs: ["y"]))
      try expectRow("linear.opencl.stored", function, .float16, [1, 512], tolerance: 4e-3, label)
    }
  }

  /// If only warp groups are enabled, their kernels match what they support. Rows that are not whole chunks stay with
  /// the warp kernels.
  @Test func warpGroupsTakeTheirs() throws {
    func expect(
      _ name: String, _ text: String, _ scalar: ScalarType, _ shape: [Int], isLow: Bool = false,
      uses: CLWarps.Uses = .groups
    ) throws {
      try expectRow(name, text, scalar, shape, isLow: isLow, tolerance: 4e-3, uses: uses)
    }
    let attention = """
      (tensor<fp16, [1, 2, 70, 32]> x) {
        tensor<fp16, [1, 2, 70, 32]> y = scaled_dot_product_attention(query = x, key = x, value = x);
      } -> (y)
      """
    try expect("attention.wgmma.f16", attention, .float16, [1, 2, 70, 32])
    func linear(_ type: String, _ depth: Int) -> String {
      """
      (tensor<\(type), [40, \(depth)]> x) {
        tensor<\(type), [48, \(depth)]> w = fill(shape = tensor<int32, [2]>([48, \(depth)]), value = \(type)(0.03125));
        tensor<\(type), [40, 48]> l = linear(x = x, weight = w);
        tensor<\(type), [40, 48]> y = relu(x = l);
      } -> (y)
      """
    }
    try expect("linear.wgmma.f16", linear("fp16", 136), .float16, [40, 136])
    try expect("linear.mma.f16", linear("fp16", 132), .float16, [40, 132], uses: [.all, .groups])
    try expect("linear.wgmma.tf32", linear("fp32", 68), .float32, [40, 68], isLow: true)
    try expect("linear.opencl.tiles", linear("fp32", 68), .float32, [40, 68])
    let conv = """
      (tensor<fp16, [1, 256, 4, 6]> x) {
        tensor<fp16, [128, 256, 1, 1]> w = fill(shape = tensor<int32, [4]>([128, 256, 1, 1]), value = fp16(0.015625));
        tensor<fp16, [1, 128, 4, 6]> y = conv(x = x, weight = w);
      } -> (y)
      """
    try expect("conv.wgmma.f16", conv, .float16, [1, 256, 4, 6])
  }

  private func expectRow(
    _ name: String, _ text: String, _ scalar: ScalarType, _ shape: [Int], isLow: Bool = false, tolerance: Double,
    uses: CLWarps.Uses = .all
  ) throws {
    try expectRow(name, FusionTests.main(text), scalar, shape, isLow: isLow, tolerance: tolerance, "", uses: uses)
  }

  /// The throughput of a GPU with as many compute units as the device. Tiled products are estimated by arithmetic, and
  /// warp-group products by time.
  private static func profile(of device: OpenCLDevice) -> DeviceProfile {
    DeviceProfile(
      peakFlops: 0.45e12 * Double(device.computeUnits), bandwidth: 600e9, launch: DeviceProfile.gpu.launch,
      transferBandwidth: 12e9, transferLatency: 10e-6)
  }

  private func expectRow(
    _ name: String, _ function: Function, _ scalar: ScalarType, _ shape: [Int], isLow: Bool = false, tolerance: Double,
    _ label: String, uses: CLWarps.Uses = .all
  ) throws {
    let device = try #require(OpenCLPlatformList.system.devices.first)
    let plain = OpenCLFeatures(
      f16Arithmetic: false, inlinePTX: false, tensorCores: false, warps: .plain, rightWarps: uses)
    let context = try OpenCLContext(device, features: device.vendorID == 0x10DE ? nil : plain)
    let numbers = (0..<shape.reduce(1, *)).map { Double($0 * 7 % 23 - 11) / 16 }
    let inputs = ["x": try Tensor(scalar, shape: shape, doubles: numbers)]
    let both = Engine(
      function: function,
      devices: DeviceChoice(
        threads: 1,
        devices: [
          PlanDevice(kind: .cpu, profile: .cpu(threads: 1)),
          PlanDevice(
            kind: .openCL, profile: Self.profile(of: device), isNamed: true, context: context, allowsLowPrecision: isLow
          ),
        ]))
    let rows = try both.plan(for: inputs.mapValues(\.type)).steps.map(\.choice.kernel)
    #expect(rows.contains(name), "\(label): \(rows)")
    let alone = Engine(function: function, devices: DeviceChoice(threads: 1))
    let (found, expected) = (try EngineTests.run(both, inputs), try EngineTests.run(alone, inputs))
    let (values, others) = (try #require(expected["y"]), try #require(found["y"]))
    #expect(values.count == others.count && !values.isEmpty)
    #expect(zip(values, others).allSatisfy { abs($0 - $1) <= tolerance * max(1, abs($0)) }, "\(name) \(label)")
  }
}
