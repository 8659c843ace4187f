import CoreMLKernels
import Foundation
import MIL
import Synchronization
import TestSupport
import Testing

@testable import CoreMLExecution
@testable import CoreMLKernels

/// Makes every OpenCL call fail in turn. A device that the caller did not name falls back to the CPU. A named device
/// reports the error.
@Suite(
  .tags(.driver), .unlessQuick, .serialized,
  .enabled(if: OpenCLPlatformList.system.devices.first != nil, "no OpenCL device"))
struct DeviceFailureTests {
  /// So fast that the planner places every supported operation on the device.
  static let profile = DeviceProfile(
    peakFlops: 1e15, bandwidth: 1e15, launch: 1e-9, transferBandwidth: 1e15, transferLatency: 1e-9)

  static let folder = FileManager.default.temporaryDirectory.appendingPathComponent("coreml-failures-\(getpid())")

  /// The devices of the library whose calls can fail, enumerated while no call fails.
  static let list: OpenCLPlatformList? = {
    FaultyOpenCL.fail(0, status: 0)
    return try? OpenCLPlatformList(FaultyOpenCL.library())
  }()

  /// Codes that name the device as the cause.
  private static let codes: Set<KernelError.Code> = [
    .device, .openCLUnavailable, .openCLBuild, .openCLCall, .openCLLaunch, .openCLHung,
  ]

  final class Log: Sendable {
    private let lines = Mutex<[String]>([])
    func add(_ line: String) { lines.withLock { $0.append(line) } }
    var all: [String] { lines.withLock { $0 } }
  }

  static func deviceManager(_ list: OpenCLPlatformList, log: Log = Log()) -> DeviceManager {
    DeviceManager(
      processors: 1, folder: { folder.appendingPathComponent($0).path }, platforms: { _ in list },
      isTakenUnasked: { _ in true }, measure: { _ in profile }, log: { log.add($0) })
  }

  static func request(named: Bool) throws -> DeviceRequest {
    let device = try #require(list?.devices.first)
    return DeviceRequest(threads: 1, allowsGPU: !named, preferredOpenCLDevice: named ? device.id : nil)
  }

  struct Predictions {
    var results: [[Double]] = []
    var state: [Double] = []
  }

  /// Runs predictions one after the other, with one state.
  static func predict(_ engine: Engine, times: Int, stop: @escaping () -> Bool = { false }) throws -> Predictions {
    let states = try StateBuffers(types: engine.stateTypes)
    var all = Predictions()
    let x = try FusionTests.ramp([1, 2, 4, 4])
    for _ in 0..<times {
      let result = try engine.run(["x": .tensor(x)], states: states, shouldStop: stop) {
        try $0.first?.value.tensor?.doubles()
      }
      all.results.append(result ?? [])
    }
    all.state = try states.read("s").doubles()
    return all
  }

  static func engine(
    named: Bool, _ list: OpenCLPlatformList, log: Log = Log(), _ network: Network = .convolution
  ) throws -> Engine {
    let choice = try DeviceChoice(request(named: named), on: deviceManager(list, log: log))
    return Engine(function: try FusionTests.main(network.text), devices: choice)
  }

  static func agree(_ one: Predictions, _ other: Predictions) -> Bool {
    one.state == other.state && one.results.count == other.results.count
      && zip(one.results.joined(), other.results.joined()).allSatisfy { abs($0 - $1) < 1e-5 * max(1, abs($1)) }
      && one.results.joined().count == other.results.joined().count
  }

  static func expected(times: Int, _ network: Network = .convolution) throws -> Predictions {
    try predict(Engine(function: FusionTests.main(network.text), devices: DeviceChoice(threads: 1)), times: times)
  }

  /// No call fails: the device computes everything, and its programs are in the cache folder afterwards.
  @discardableResult
  static func callsWithoutFailure(named: Bool, _ network: Network = .convolution) throws -> Int {
    FaultyOpenCL.fail(0, status: 0)
    let list = try #require(list)
    do {
      let engine = try engine(named: named, list, network)
      #expect(agree(try predict(engine, times: 2), try expected(times: 2, network)))
      let plan = try #require(engine.planUsedLast)
      #expect(
        plan.steps.contains { $0.choice.operation.type.hasSuffix(network.operation) && $0.choice.device == .openCL })
      #expect(plan.notes.isEmpty)
    }
    return FaultyOpenCL.callCount
  }

  /// Out of resources, and out of memory, which the runtime retries.
  @Test(
    arguments: zip(
      [-5, -36, -36, -36, -36] as [Int32], [Network.convolution, .convolution, .attention, .movement, .states]))
  func everyCallOfADeviceThatNobodyNamedMayFailOnce(status: Int32, network: Network) throws {
    try Self.callsWithoutFailure(named: false, network)
    let count = try Self.callsWithoutFailure(named: false, network)
    #expect(count > 60)
    let expected = try Self.expected(times: 2, network)
    let list = try #require(Self.list)
    var told = 0
    for number in 1...count {
      FaultyOpenCL.fail(number, status: status)
      let log = Self.Log()
      let results = Result { try Self.predict(Self.engine(named: false, list, log: log, network), times: 2) }
      let call = "call \(number), \(FaultyOpenCL.failedCall)"
      switch results {
      case .success(let results): #expect(Self.agree(results, expected), "\(call)")
      case .failure(let error): Issue.record("\(call): \(error)")
      }
      #expect(log.all.count <= 1, "\(call)")
      told += log.all.count
    }
    #expect(told > 5)
  }

  @Test(arguments: Network.allCases) func everyCallOfANamedDeviceMayFailOnce(network: Network) throws {
    try Self.callsWithoutFailure(named: true, network)
    let count = try Self.callsWithoutFailure(named: true, network)
    let expected = try Self.expected(times: 2, network)
    let list = try #require(Self.list)
    var refused = 0
    for number in 1...count {
      FaultyOpenCL.fail(number, status: -36)
      do {
        #expect(Self.agree(try Self.predict(Self.engine(named: true, list, network), times: 2), expected))
      } catch let error as KernelError {
        refused += 1
        let call = FaultyOpenCL.failedCall
        #expect(error.message.contains(call) && error.message.contains(list.devices[0].id), "\(error)")
        #expect(Self.codes.contains(error.code), "\(error.code)")
      }
    }
    #expect(refused > 20)
  }

  /// The device fails permanently during predictions: the runtime logs the failure, retries, and gives the device up.
  @Test func aDeviceThatIsGoneIsGivenUp() throws {
    // The first run builds programs and makes more calls than later runs. A failure could then begin after the
    // predictions.
    try Self.callsWithoutFailure(named: false)
    let count = try Self.callsWithoutFailure(named: false)
    let list = try #require(Self.list)
    let expected = try Self.expected(times: 6)
    for number in stride(from: 1, through: count, by: 7) {
      FaultyOpenCL.fail(from: number, status: -5)
      let log = Self.Log()
      let engine = try Self.engine(named: false, list, log: log)
      // The number of event polls differs from run to run, and those calls count. So the failure may begin late, and
      // the last prediction of a round may give the device up, which leaves no plan.
      for _ in 0..<20 where engine.planUsedLast?.isOnHost != true {
        #expect(Self.agree(try Self.predict(engine, times: 6), expected), "from call \(number) on")
      }
      #expect((1...2).contains(log.all.count), "\(log.all)")
      let plan = try #require(engine.planUsedLast)
      #expect(plan.isOnHost && !plan.notes.isEmpty, "from call \(number) on")
    }
  }

  /// The input is at fault: the device reports the error as the CPU does, and nothing is retried.
  @Test func aFaultOfTheInputIsNotTheDevices() throws {
    FaultyOpenCL.fail(0, status: 0)
    let log = Self.Log()
    let list = try #require(Self.list)
    let function = try FusionTests.main(
      """
      (tensor<fp32, [4, 8]> x, tensor<int32, [2]> i, state<tensor<fp32, [1]>> s) {
        tensor<fp32, [1]> before = read_state(input = s);
        tensor<fp32, [1]> after = add(x = before, y = fp32(1));
        write_state(input = s, data = after);
        tensor<fp32, [2, 8]> y = gather(x = x, indices = i, axis = int32(0), validate_indices = bool(false));
        tensor<fp32, [2, 8]> z = relu(x = y);
      } -> (z)
      """)
    let engine = Engine(
      function: function, devices: try DeviceChoice(Self.request(named: false), on: Self.deviceManager(list, log: log)))
    let states = try StateBuffers(types: engine.stateTypes)
    let x = try FusionTests.ramp([4, 8])
    for _ in 0..<2 {
      let error = #expect(throws: KernelError.self) {
        try engine.run(
          ["x": .tensor(x), "i": .tensor(Tensor(int32: [0, 9], shape: [2]))], states: states, shouldStop: { false }
        ) { _ in }
      }
      #expect(error?.code == .invalidInput)
    }
    #expect(log.all.isEmpty)
    let plan = try #require(engine.planUsedLast)
    #expect(!plan.isOnHost)
    // The state keeps no write from before the device reported the error.
    #expect(try states.read("s").doubles() == [0])
  }

  /// A device without memory for one more session is not given up. The prediction waits for the session of another
  /// prediction.
  @Test func whoFindsNoMemoryWaitsForAnotherToEnd() throws {
    FaultyOpenCL.fail(0, status: 0)
    let log = Self.Log()
    let engine = try Self.engine(named: false, #require(Self.list), log: log)
    let expected = try Self.expected(times: 1)
    #expect(Self.agree(try Self.predict(engine, times: 1), expected))
    let gate = SessionPoolTests.Gate()
    let isFirst = Atomic(true)
    let group = DispatchGroup()
    let results = Mutex<[Predictions]>([])
    DispatchQueue.global().async(group: group) {
      let result = try? Self.predict(engine, times: 1) {
        if isFirst.exchange(false, ordering: .relaxed) { gate.pass() }
        return false
      }
      results.withLock { $0 += [result].compactMap { $0 } }
    }
    #expect(gate.isReached(by: 1))
    FaultyOpenCL.fail(1, status: -4)
    DispatchQueue.global().async(group: group) {
      let result = try? Self.predict(engine, times: 1)
      results.withLock { $0 += [result].compactMap { $0 } }
    }
    let end = Date(timeIntervalSinceNow: 120)
    while FaultyOpenCL.failedCall.isEmpty, Date() < end { usleep(200) }
    #expect(!FaultyOpenCL.failedCall.isEmpty)
    gate.open()
    group.wait()
    #expect(results.withLock { $0.count } == 2)
    #expect(results.withLock { $0 }.allSatisfy { Self.agree($0, expected) })
    #expect(log.all.isEmpty)
  }

  /// A failure while the runtime enumerates devices excludes the device, too.
  @Test func everyCallThatLooksForDevicesMayFailOnce() throws {
    FaultyOpenCL.fail(0, status: 0)
    let library = try FaultyOpenCL.library()
    #expect(!OpenCLPlatformList(library).devices.isEmpty)
    var sentences = 0
    for number in 1...FaultyOpenCL.callCount {
      FaultyOpenCL.fail(number, status: -5)
      let list = OpenCLPlatformList(library)
      let choice = try DeviceChoice(Self.request(named: false), on: Self.deviceManager(list))
      #expect(choice.notes.count == list.problems.count)
      #expect(list.problems.isEmpty || list.problems.contains { $0.message.contains(FaultyOpenCL.failedCall) })
      sentences += choice.notes.count
    }
    #expect(sentences > 10)
  }
}
