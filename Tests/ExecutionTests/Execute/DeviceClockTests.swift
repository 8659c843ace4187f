import CoreMLKernels
import MIL
import TestSupport
import Testing

@testable import CoreMLExecution

/// Per-step kernel times on a device, in sessions that no other prediction uses.
@Suite(.tags(.driver), .unlessQuick, .enabled(if: OpenCLPlatformList.system.devices.first != nil, "no OpenCL device"))
struct DeviceClockTests {
  @Test func everyStepOfADeviceHasItsTime() throws {
    let id = try #require(OpenCLPlatformList.system.devices.first).id
    let engine = Engine(
      function: try FusionTests.main(
        """
        (tensor<fp32, [64, 96]> x) {
          tensor<fp32, [96, 64]> t = transpose(x = x, perm = tensor<int32, [2]>([1, 0]));
          tensor<fp32, [96, 96]> p = matmul(x = t, y = x, transpose_x = bool(false), transpose_y = bool(false));
          tensor<fp32, [96, 96]> y = softmax(x = p, axis = int32(-1));
        } -> (y)
        """),
      devices: try DeviceChoice(DeviceRequest(threads: 1, allowsGPU: false, preferredOpenCLDevice: id)))
    let x = try Tensor(.float32, shape: [64, 96], doubles: (0..<64 * 96).map { Double($0 % 7) / 8 })
    let expected = try EngineTests.run(engine, ["x": x])
    let clock = DeviceClock()
    let timed = try clock.during { try EngineTests.run(engine, ["x": x]) }
    #expect(timed == expected)
    let plan = try #require(engine.planUsedLast)
    let all = clock.take()
    #expect(all.count == 1)
    let times = try #require(all[ObjectIdentifier(plan)])
    let kernels = plan.steps.indices.filter { number in
      if case .kernel = plan.steps[number].action { plan.steps[number].device != 0 } else { false }
    }
    #expect(kernels.count >= 2 && times.keys.sorted() == kernels)
    #expect(times.values.allSatisfy { $0 > 0 })
    // The clock reports each measured time once, and does not time later predictions.
    #expect(clock.take().isEmpty)
    #expect(try EngineTests.run(engine, ["x": x]) == expected)
    #expect(clock.take().isEmpty)
  }
}
