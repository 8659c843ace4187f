import CoreMLKernels
import Foundation
import MIL
import TestSupport
import Testing

@testable import CoreMLExecution
@testable import CoreMLKernels
@testable import CoreMLRuntime

/// A state whose device fails.
@Suite(
  .tags(.driver), .unlessQuick, .serialized,
  .enabled(if: OpenCLPlatformList.system.devices.first != nil, "no OpenCL device"))
struct LostStateTests {
  /// Its state is large enough to be placed in device memory.
  private static let network = """
    program(1.3) { func main<ios18>(tensor<fp32, [1, 32]> x, state<tensor<fp32, [1, 16384]>> s) {
      tensor<fp32, [1, 16384]> before = read_state(input = s);
      tensor<fp32, [1, 1]> m = reduce_max(x = x, axes = tensor<int32, [1]>([1]), keep_dims = bool(true));
      tensor<fp32, [1, 16384]> after = add(x = before, y = m);
      write_state(input = s, data = after);
      tensor<fp32, [1, 16384]> again = read_state(input = s);
      tensor<fp32, [1, 16384]> twice = mul(x = again, y = fp32(2));
      write_state(input = s, data = twice);
      tensor<fp32, [1, 3]> y = slice_by_size(x = again, begin = tensor<int32, [2]>([0, 7]), size = tensor<int32, [2]>([1, 3]));
    } -> (y); }
    """

  /// An engine on a device so fast that the planner places every supported operation there. Its calls can fail.
  private static func engine() throws -> Engine {
    let list = try OpenCLPlatformList(FaultyOpenCL.library())
    let profile = DeviceProfile(
      peakFlops: 1e15, bandwidth: 1e15, launch: 1e-9, transferBandwidth: 1e15, transferLatency: 1e-9)
    let folder = FileManager.default.temporaryDirectory.appending(path: "coreml-lost-\(getpid())")
    let manager = DeviceManager(
      processors: 1, folder: { folder.appending(path: $0).path }, platforms: { _ in list },
      isTakenUnasked: { _ in true }, measure: { _ in profile }, log: { _ in })
    let device = try #require(list.devices.first)
    let request = DeviceRequest(threads: 1, allowsGPU: false, preferredOpenCLDevice: device.id)
    let function = try #require(MILText.parse(network).functions["main"])
    return Engine(function: function, devices: try DeviceChoice(request, on: manager))
  }

  /// A state that exists only on a device which no longer responds. Reading it throws, its array holds NaN, and a later
  /// write is valid.
  @Test func aLostStateIsNoNumbers() throws {
    FaultyOpenCL.fail(0, status: 0)
    let engine = try Self.engine()
    let state = MLState(engine.stateTypes)
    let x = Tensor(float32: (0..<32).map { Float($0 % 7) }, shape: [1, 32])
    func predict() throws {
      try state.exclusively { try engine.run(["x": .tensor(x)], states: $0, shouldStop: { false }) { _ in } }
    }
    try predict()
    FaultyOpenCL.fail(from: 1, status: -5)
    let error = #expect(throws: KernelError.self) { try state.exclusively { _ = try $0.read("s") } }
    #expect(error?.message.contains("does not give it back") == true)
    state.withMultiArray(for: "s") { array in
      #expect(array.count == 16384 && array[0].floatValue.isNaN && array[16383].floatValue.isNaN)
      for index in 0..<16384 { array[index] = 2 }
    }
    FaultyOpenCL.fail(0, status: 0)
    #expect(try state.exclusively { try $0.read("s").doubles() }.allSatisfy { $0 == 2 })
    try predict()
    #expect(try state.exclusively { try $0.read("s").doubles() }.allSatisfy { $0 > 2 })
  }
}
