import COpenCL
import CoreMLBase
import CoreMLKernels
import Foundation
import MIL
import Synchronization
import TestSupport
import Testing

@testable import CoreMLExecution
@testable import CoreMLKernels

/// A prediction that is cancelled while a device is busy returns at once. The memory that the device uses stays
/// allocated until the device is done.
@Suite(.tags(.driver), .unlessQuick, .serialized, .enabled(if: FaultyOpenCL.real != nil, "there is no OpenCL"))
struct DeviceStoppingTests {
  /// While false, the device reports that it is busy, and a wait for the device blocks until this is true.
  private static let isOpen = Atomic(true)
  private static let asked = Atomic(0)

  private static func engine() throws -> Engine {
    var table = try #require(FaultyOpenCL.real).functions
    table.clGetEventInfo = { event, name, size, value, given in
      DeviceStoppingTests.asked.add(1, ordering: .relaxed)
      guard DeviceStoppingTests.isOpen.load(ordering: .relaxed) else {
        value?.assumingMemoryBound(to: cl_int.self).pointee = CL_RUNNING
        return 0
      }
      return FaultyOpenCL.real?.functions.clGetEventInfo(event, name, size, value, given) ?? CL_INVALID_OPERATION
    }
    table.clFinish = { queue in
      while !DeviceStoppingTests.isOpen.load(ordering: .relaxed) { usleep(500) }
      return FaultyOpenCL.real?.functions.clFinish(queue) ?? CL_INVALID_OPERATION
    }
    let list = OpenCLPlatformList(OpenCLLibrary(functions: table))
    let device = try #require(list.devices.first)
    let machine = DeviceManager(processors: 1, folder: { _ in nil }, platforms: { _ in list })
    let choice = try DeviceChoice(
      DeviceRequest(threads: 1, allowsGPU: false, preferredOpenCLDevice: device.id), on: machine)
    return Engine(
      function: try FusionTests.main(
        """
        (state<tensor<fp32, [4]>> s, tensor<fp32, [4]> x) {
          tensor<fp32, [4]> before = read_state(input = s);
          tensor<fp32, [4]> y = add(x = x, y = before);
          write_state(input = s, data = y);
        } -> (y)
        """), devices: choice)
  }

  @Test func cancellationDoesNotWaitForTheDevice() throws {
    Self.isOpen.store(true, ordering: .relaxed)
    defer { Self.isOpen.store(true, ordering: .relaxed) }
    let engine = try Self.engine()
    let states = try StateBuffers(types: engine.stateTypes)
    weak var input: TensorStorage?
    func run() throws -> [Double]? {
      let x = Tensor(float32: [1, 2, 3, 4], shape: [4])
      input = x.storage
      return try engine.run(["x": .tensor(x)], states: states) { try $0.first?.value.tensor?.doubles() }
    }
    #expect(try Cancellation().during(run) == [1, 2, 3, 4])
    #expect(Self.asked.load(ordering: .relaxed) > 0)
    Self.isOpen.store(false, ordering: .relaxed)
    let cancellation = Cancellation()
    Thread.detachNewThread {
      usleep(100_000)
      cancellation.cancel()
    }
    let error = #expect(throws: RuntimeError.self) { try cancellation.during(run) }
    #expect(error?.code == .cancelled)
    // A prediction that waited for the device would never return. Here the device must still be busy.
    let isAtWork = !Self.isOpen.load(ordering: .relaxed)
    #expect(isAtWork)
    // The device may still read the input.
    #expect(input != nil)
    #expect(try states.read("s").doubles() == [1, 2, 3, 4])
    // A time limit ends the prediction too.
    #expect(throws: RuntimeError.self) { try Cancellation(after: 0.05).during(run) }
    Self.isOpen.store(true, ordering: .relaxed)
    let end = Date(timeIntervalSinceNow: 120)
    while input != nil, Date() < end { usleep(1000) }
    #expect(input == nil)
    #expect(try run() == [2, 4, 6, 8])
  }

  /// Any error ends a prediction at once, whatever its device still does. Here the caller cancels it between two steps.
  @Test func noErrorWaitsForTheDevice() throws {
    Self.isOpen.store(true, ordering: .relaxed)
    defer { Self.isOpen.store(true, ordering: .relaxed) }
    let engine = try Self.engine()
    let states = try StateBuffers(types: engine.stateTypes)
    weak var input: TensorStorage?
    func run(stopAfter steps: Int) throws -> [Double]? {
      let x = Tensor(float32: [1, 2, 3, 4], shape: [4])
      input = x.storage
      var asked = 0
      let stops: () -> Bool = {
        asked += 1
        return asked > steps
      }
      return try engine.run(["x": .tensor(x)], states: states, shouldStop: stops) {
        try $0.first?.value.tensor?.doubles()
      }
    }
    #expect(try run(stopAfter: 100) == [1, 2, 3, 4])
    let plan = try #require(engine.planUsedLast)
    let kernel = try #require(plan.steps.firstIndex { $0.choice.operation.type == "add" })
    Self.isOpen.store(false, ordering: .relaxed)
    // A prediction that waited for the device would only return when the device is idle.
    let opener = DispatchWorkItem { DeviceStoppingTests.isOpen.store(true, ordering: .relaxed) }
    DispatchQueue.global().asyncAfter(deadline: .now() + 120, execute: opener)
    defer { opener.cancel() }
    let error = #expect(throws: RuntimeError.self) { try run(stopAfter: kernel + 1) }
    #expect(error?.code == .cancelled)
    let isAtWork = !Self.isOpen.load(ordering: .relaxed)
    #expect(isAtWork)
    // The device may still read the input.
    #expect(input != nil)
  }
}
