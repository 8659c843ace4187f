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

/// A device that stops responding, and drivers with wrong event status. A device that the caller did not name falls
/// back to the CPU, and a named device reports the error. No thread waits forever.
@Suite(.tags(.driver), .unlessQuick, .serialized, .enabled(if: FaultyOpenCL.real != nil, "there is no OpenCL"))
struct DeviceHangTests {
  /// The event status that the driver reports.
  private enum Events: Int {
    /// The real status.
    case asTheyAre
    /// Always running. A wait in the driver blocks until this changes.
    case never
    /// The event of a launch ends half a second after the first query. The event of the last command ends after three
    /// launches.
    case slowly
    /// The first query blocks for four seconds, as if the process were stopped meanwhile.
    case late
    /// Always complete, whether true or not.
    case always
    /// An error code that no standard defines.
    case wrong
  }

  private static let events = Atomic(Events.asTheyAre.rawValue)
  private static let slow = Mutex(Slow())
  private static let isFirst = Atomic(true)
  /// The number of buffers released while events were `never`.
  private static let released = Atomic(0)

  private struct Slow {
    var firstAsked: [UInt: ContinuousClock.Instant] = [:]
    var ended: Set<UInt> = []
    /// The event of the command that follows all launches.
    var last: UInt = 0

    mutating func hasEnded(_ event: UInt) -> Bool {
      if event == last { return ended.count >= 3 }
      let now = ContinuousClock.now
      let begin = firstAsked[event, default: now]
      firstAsked[event] = begin
      if now - begin > .milliseconds(500) { ended.insert(event) }
      return ended.contains(event)
    }
  }

  private static func set(_ events: Events) {
    slow.withLock { $0 = Slow() }
    isFirst.store(true, ordering: .relaxed)
    released.store(0, ordering: .relaxed)
    Self.events.store(events.rawValue, ordering: .relaxed)
  }

  private static func status(_ event: cl_event?, _ value: UnsafeMutableRawPointer?) -> Bool {
    func say(_ status: cl_int) -> Bool {
      value?.assumingMemoryBound(to: cl_int.self).pointee = status
      return true
    }
    switch Events(rawValue: events.load(ordering: .relaxed)) {
    case .never: return say(CL_RUNNING)
    case .always: return say(CL_COMPLETE)
    case .wrong: return say(-9999)
    case .late:
      guard isFirst.exchange(false, ordering: .relaxed) else { return false }
      sleep(4)
      return say(CL_RUNNING)
    case .slowly:
      let key = UInt(bitPattern: event)
      return say(slow.withLock { $0.hasEnded(key) } ? CL_COMPLETE : CL_RUNNING)
    case .asTheyAre, nil: return false
    }
  }

  private static func deviceManager(log: DeviceFailureTests.Log = DeviceFailureTests.Log()) throws -> (
    DeviceManager, id: String
  ) {
    var table = try #require(FaultyOpenCL.real).functions
    table.clGetEventInfo = { event, name, size, value, given in
      if DeviceHangTests.status(event, value) { return 0 }
      return FaultyOpenCL.real?.functions.clGetEventInfo(event, name, size, value, given) ?? CL_INVALID_OPERATION
    }
    table.clEnqueueReadBuffer = { a, b, c, d, e, f, g, h, event in
      let status = FaultyOpenCL.real?.functions.clEnqueueReadBuffer(a, b, c, d, e, f, g, h, event)
      if let made = event?.pointee { DeviceHangTests.slow.withLock { $0.last = UInt(bitPattern: made) } }
      return status ?? CL_INVALID_OPERATION
    }
    table.clReleaseMemObject = { memory in
      if DeviceHangTests.events.load(ordering: .relaxed) == Events.never.rawValue {
        DeviceHangTests.released.add(1, ordering: .relaxed)
      }
      return FaultyOpenCL.real?.functions.clReleaseMemObject(memory) ?? CL_INVALID_OPERATION
    }
    table.clFinish = { queue in
      while DeviceHangTests.events.load(ordering: .relaxed) == Events.never.rawValue { usleep(500) }
      return FaultyOpenCL.real?.functions.clFinish(queue) ?? CL_INVALID_OPERATION
    }
    let list = OpenCLPlatformList(OpenCLLibrary(functions: table))
    let deviceManager = DeviceManager(
      processors: 1, folder: { DeviceFailureTests.folder.appendingPathComponent($0).path }, platforms: { _ in list },
      isTakenUnasked: { _ in true }, measure: { _ in DeviceFailureTests.profile }, log: { log.add($0) })
    return (deviceManager, try #require(list.devices.first?.id))
  }

  private static func engine(
    _ deviceManager: DeviceManager, named id: String? = nil, patience: Double,
    _ text: String = DeviceFailureTests.network
  ) throws -> Engine {
    var limits = RuntimeLimits()
    limits.deviceTime = patience
    let choice = try RuntimeLimits.$given.withValue(limits) {
      try DeviceChoice(
        DeviceRequest(threads: 1, allowsGPU: id == nil, preferredOpenCLDevice: id), on: deviceManager)
    }
    return Engine(function: try FusionTests.main(text), devices: choice)
  }

  @Test func aDeviceThatStopsAnsweringIsGivenUpForAllModels() throws {
    Self.set(.asTheyAre)
    defer { Self.set(.asTheyAre) }
    let log = DeviceFailureTests.Log()
    let (deviceManager, _) = try Self.deviceManager(log: log)
    let expected = try DeviceFailureTests.expected(times: 2)
    // Drivers finish compiling a kernel when it first runs. This run allows any time for it.
    let patient = try Self.engine(deviceManager, patience: 3600)
    #expect(DeviceFailureTests.agree(try DeviceFailureTests.predict(patient, times: 2), expected))
    let engine = try Self.engine(deviceManager, patience: 3)
    #expect(DeviceFailureTests.agree(try DeviceFailureTests.predict(engine, times: 2), expected))
    #expect(try #require(engine.planUsedLast).isOnHost == false)
    Self.set(.never)
    // Without giving the device up, this would wait forever.
    #expect(DeviceFailureTests.agree(try DeviceFailureTests.predict(engine, times: 2), expected))
    #expect(log.all.count == 1 && log.all.first?.contains("counts as hung") == true, "\(log.all)")
    let plan = try #require(engine.planUsedLast)
    #expect(plan.isOnHost && plan.notes.contains { $0.contains("counts as hung") }, "\(plan.notes)")
    // A model that is loaded later does not wait at all.
    let other = try Self.engine(deviceManager, patience: 3600)
    #expect(DeviceFailureTests.agree(try DeviceFailureTests.predict(other, times: 2), expected))
    #expect(try #require(other.planUsedLast).isOnHost)
    // Freeing the memory of an earlier model does not call the driver either.
    patient.giveBackMemory()
    #expect(Self.released.load(ordering: .relaxed) == 0)
  }

  /// The driver recovers. Existing plans stay on the CPU, and a newly opened device is used for predictions.
  @Test func aDeviceThatComesRoundIsThereForWhoOpensItAnew() throws {
    Self.set(.asTheyAre)
    defer { Self.set(.asTheyAre) }
    let log = DeviceFailureTests.Log()
    let (deviceManager, _) = try Self.deviceManager(log: log)
    let expected = try DeviceFailureTests.expected(times: 2)
    let patient = try Self.engine(deviceManager, patience: 3600)
    #expect(DeviceFailureTests.agree(try DeviceFailureTests.predict(patient, times: 2), expected))
    let engine = try Self.engine(deviceManager, patience: 3)
    Self.set(.never)
    #expect(DeviceFailureTests.agree(try DeviceFailureTests.predict(engine, times: 2), expected))
    Self.set(.asTheyAre)
    for given in [engine, patient] {
      #expect(DeviceFailureTests.agree(try DeviceFailureTests.predict(given, times: 2), expected))
      #expect(try #require(given.planUsedLast).isOnHost)
    }
    #expect(log.all.count == 2 && log.all.allSatisfy { $0.contains("given up") }, "\(log.all)")
    let (other, id) = try Self.deviceManager()
    for name in [nil, id] {
      let again = try Self.engine(other, named: name, patience: 60)
      #expect(DeviceFailureTests.agree(try DeviceFailureTests.predict(again, times: 2), expected))
      #expect(try #require(again.planUsedLast).isOnHost == false)
    }
  }

  /// When one prediction finds the device hung, all threads that wait for it return, and no more work is submitted.
  @Test func allWhoWaitForAHungDeviceAreTold() throws {
    Self.set(.asTheyAre)
    defer { Self.set(.asTheyAre) }
    let (deviceManager, id) = try Self.deviceManager()
    let context = try deviceManager.context(of: #require(deviceManager.devices.device(id)))
    let watching = try context.makeQueue(patience: 1)
    let other = try context.makeQueue()
    Self.set(.never)
    let told = Mutex<KernelError.Code?>(nil)
    let group = DispatchGroup()
    DispatchQueue.global().async(group: group) {
      let end = Date(timeIntervalSinceNow: 120)
      do throws(KernelError) { _ = try other.hasEnded(unless: { Date() > end }) } catch {
        told.withLock { $0 = error.code }
      }
    }
    let first = #expect(throws: KernelError.self) { try watching.hasEnded(unless: { false }) }
    #expect(first?.code == .openCLHung)
    group.wait()
    #expect(told.withLock { $0 } == .openCLHung)
    let weight = try #require(StoredWeight(Tensor(float32: [1, 2], shape: [2])))
    let refused = #expect(throws: KernelError.self) { try WeightStore().memory(of: weight, on: context) }
    #expect(refused?.code == .openCLHung)
  }

  /// Time in which this process did not run does not count as time in which the device made no progress.
  @Test func aProcessThatDidNotRunBlamesNoDevice() throws {
    Self.set(.asTheyAre)
    defer { Self.set(.asTheyAre) }
    let log = DeviceFailureTests.Log()
    let (deviceManager, _) = try Self.deviceManager(log: log)
    let expected = try DeviceFailureTests.expected(times: 1)
    for patience in [3600.0, 3] {
      let engine = try Self.engine(deviceManager, patience: patience)
      #expect(DeviceFailureTests.agree(try DeviceFailureTests.predict(engine, times: 1), expected))
      if patience == 3 {
        Self.set(.late)
        #expect(DeviceFailureTests.agree(try DeviceFailureTests.predict(engine, times: 1), expected))
        let wasAsked = !Self.isFirst.load(ordering: .relaxed)
        #expect(wasAsked)
        #expect(try #require(engine.planUsedLast).isOnHost == false)
      }
    }
    #expect(log.all.isEmpty, "\(log.all)")
  }

  @Test func aNamedDeviceThatStopsAnsweringIsAnError() throws {
    Self.set(.asTheyAre)
    defer { Self.set(.asTheyAre) }
    let (deviceManager, id) = try Self.deviceManager()
    let expected = try DeviceFailureTests.expected(times: 1)
    for patience in [3600.0, 3] {
      let engine = try Self.engine(deviceManager, named: id, patience: patience)
      #expect(DeviceFailureTests.agree(try DeviceFailureTests.predict(engine, times: 1), expected))
    }
    let engine = try Self.engine(deviceManager, named: id, patience: 3)
    Self.set(.never)
    for _ in 0..<2 {
      let error = #expect(throws: KernelError.self) { try DeviceFailureTests.predict(engine, times: 1) }
      #expect(error?.code == .openCLHung && error?.message.contains(id) == true, "\(error?.message ?? "")")
    }
  }

  /// Fifty launches in 1.5 seconds. None of them takes long alone.
  @Test func aDeviceThatIsSlowIsNotGivenUp() throws {
    Self.set(.asTheyAre)
    defer { Self.set(.asTheyAre) }
    let log = DeviceFailureTests.Log()
    let (deviceManager, _) = try Self.deviceManager(log: log)
    let steps = (0..<50).map { number in
      "tensor<fp32, [1, 2, 4, 4]> v\(number) = softmax(x = \(number == 0 ? "x" : "v\(number - 1)"), axis = int32(-1));"
    }
    let text = "(tensor<fp32, [1, 2, 4, 4]> x) { \(steps.joined(separator: "\n")) } -> (v49)"
    let engine = try Self.engine(deviceManager, patience: 1, text)
    let x = try FusionTests.ramp([1, 2, 4, 4])
    let expected = try #require(EngineTests.run(engine, ["x": x])["v49"])
    Self.set(.slowly)
    #expect(try EngineTests.run(engine, ["x": x])["v49"] == expected)
    #expect(log.all.isEmpty, "\(log.all)")
    #expect(try #require(engine.planUsedLast).isOnHost == false)
  }

  @Test func eventsThatEndTooEarlyChangeNothing() throws {
    Self.set(.asTheyAre)
    defer { Self.set(.asTheyAre) }
    let log = DeviceFailureTests.Log()
    let (deviceManager, _) = try Self.deviceManager(log: log)
    Self.set(.always)
    for network in DeviceFailureTests.Network.allCases {
      let engine = try Self.engine(deviceManager, patience: 60, network.text)
      let expected = try DeviceFailureTests.expected(times: 3, network)
      #expect(DeviceFailureTests.agree(try DeviceFailureTests.predict(engine, times: 3), expected), "\(network)")
      #expect(try #require(engine.planUsedLast).isOnHost == false)
    }
    #expect(log.all.isEmpty, "\(log.all)")
  }

  @Test func eventsWithErrorsThatNobodyKnowsAreFailures() throws {
    Self.set(.asTheyAre)
    defer { Self.set(.asTheyAre) }
    let log = DeviceFailureTests.Log()
    let (deviceManager, id) = try Self.deviceManager(log: log)
    Self.set(.wrong)
    let engine = try Self.engine(deviceManager, patience: 60)
    let expected = try DeviceFailureTests.expected(times: 4)
    #expect(DeviceFailureTests.agree(try DeviceFailureTests.predict(engine, times: 4), expected))
    #expect(log.all.first?.contains("-9999") == true, "\(log.all)")
    let named = try Self.engine(deviceManager, named: id, patience: 60)
    let error = #expect(throws: KernelError.self) { try DeviceFailureTests.predict(named, times: 1) }
    #expect(error?.code == .openCLCall && error?.message.contains("-9999") == true)
  }
}
