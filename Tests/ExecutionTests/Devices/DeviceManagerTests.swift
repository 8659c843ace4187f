import CoreMLKernels
import Foundation
import MIL
import Synchronization
import TestSupport
import Testing

@testable import CoreMLExecution
@testable import CoreMLKernels

/// State that all models of a process share.
@Suite struct DeviceManagerTests {
  static let double = "(tensor<fp32, [2]> x) { tensor<fp32, [2]> y = add(x = x, y = x); } -> (y)"

  @Test func fiftyModelsHaveTheThreadsOfOne() throws {
    let deviceManager = DeviceManager(processors: 3)
    let request = DeviceRequest(allowsGPU: false)
    let engines = try (0..<50).map { _ in
      Engine(function: try FusionTests.main(Self.double), devices: try DeviceChoice(request, on: deviceManager))
    }
    #expect(engines[0].pool.threads == 3)
    #expect(engines.allSatisfy { $0.pool === engines[0].pool && $0.onCPU.pool === engines[0].pool })
    let narrow = Engine(
      function: engines[0].function,
      devices: try DeviceChoice(DeviceRequest(threads: 1, allowsGPU: false), on: deviceManager)
    )
    #expect(narrow.pool.threads == 1)
    #expect(DeviceManager(processors: 3).pool(threads: 3) !== engines[0].pool)
  }

  @Test func threadsEndWithTheLastModel() throws {
    let deviceManager = DeviceManager(processors: 2)
    weak var pool: ThreadPool?
    do {
      let engine = Engine(
        function: try FusionTests.main(Self.double),
        devices: try DeviceChoice(DeviceRequest(allowsGPU: false), on: deviceManager))
      pool = engine.pool
      #expect(pool != nil)
    }
    #expect(pool == nil)
    #expect(deviceManager.pool(threads: 2).threads == 2)
  }

  @Test func aSentenceIsLoggedOnceForItsSubject() {
    let log = DeviceFailureTests.Log()
    let deviceManager = DeviceManager(processors: 1, log: { log.add($0) })
    for _ in 0..<3 {
      deviceManager.warn("a", about: "one")
      deviceManager.warn("b", about: "two")
    }
    #expect(log.all == ["a", "b"])
  }

  // MARK: processors

  private func quota(_ files: [String: String]) throws -> Int? {
    let root = FileManager.default.temporaryDirectory.appendingPathComponent("coreml-quota-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: root) }
    for (name, text) in files {
      let file = root.appendingPathComponent(name)
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(text.utf8).write(to: file)
    }
    return ProcessorQuota(root: root.path).processors
  }

  @Test func theControlGroupLimitsTheProcessors() throws {
    #expect(try quota([:]) == nil)
    #expect(
      try quota(["proc/self/cgroup": "0::/a/b\n", "sys/fs/cgroup/a/b/cpu.max": "max 100000\n"]) == nil)
    // The smallest quota of all enclosing groups, rounded up.
    #expect(
      try quota([
        "proc/self/cgroup": "0::/a/b\n", "sys/fs/cgroup/a/b/cpu.max": "800000 100000\n",
        "sys/fs/cgroup/a/cpu.max": "250000 100000\n",
      ]) == 3)
    // A container sees its own group as the root.
    #expect(try quota(["proc/self/cgroup": "0::/\n", "sys/fs/cgroup/cpu.max": "50000 100000\n"]) == 1)
    #expect(
      try quota([
        "proc/self/cgroup": "3:memory:/x\n2:cpu,cpuacct:/x\n",
        "sys/fs/cgroup/cpu,cpuacct/x/cpu.cfs_quota_us": "400000\n",
        "sys/fs/cgroup/cpu,cpuacct/x/cpu.cfs_period_us": "100000\n",
        "sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us": "-1\n",
        "sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us": "100000\n",
      ]) == 4)
    #expect(try quota(["proc/self/cgroup": "0::/\n", "sys/fs/cgroup/cpu.max": "nonsense 0\n"]) == nil)
    #expect(Processor.count >= 1)
  }

  // MARK: kernels

  /// Measured speeds move operations between devices. They do not change which kernel runs on the host.
  @Test func theHostsRowsAreTheSameWhateverWasMeasured() throws {
    let text = """
      (tensor<fp32, [1, 16, 24, 24]> x) {
        \(PlacementTests.weight([16, 16, 3, 3], "w"))
        \(PlacementTests.weight([16, 16, 1, 1], "p"))
        \(PlacementTests.weight([64, 9216], "v"))
        tensor<fp32, [1, 16, 24, 24]> a = conv(x = x, weight = w, pad_type = string("same"));
        tensor<fp32, [1, 16, 24, 24]> b = relu(x = a);
        tensor<fp32, [1, 16, 24, 24]> c = conv(x = b, weight = p, pad_type = string("valid"));
        tensor<fp32, [1, 9216]> d = reshape(x = c, shape = tensor<int32, [2]>([1, 9216]));
        tensor<fp32, [1, 64]> e = linear(x = d, weight = v);
        tensor<fp32, [1, 64]> f = softmax(x = e, axis = int32(1));
      } -> (f)
      """
    func rows(_ measured: DeviceProfile?, beside gpu: PlanDevice? = nil) throws -> [String] {
      let host = PlanDevice(kind: .cpu, profile: .cpu(threads: 2), measured: measured)
      let devices = DeviceChoice(threads: 2, devices: [host] + (gpu.map { [$0] } ?? []))
      let engine = Engine(function: try FusionTests.main(text), devices: devices)
      return try engine.plan(for: engine.inputTypes).steps.map {
        "\($0.choice.device) \($0.choice.kernel) \($0.choice.cost)"
      }
    }
    let plain = try rows(nil)
    #expect(plain.count > 3)
    let odd = [
      DeviceProfile(peakFlops: 1e15, bandwidth: 1e6, launch: 1e-9),
      DeviceProfile(peakFlops: 1e6, bandwidth: 1e15, launch: 1e-3),
    ]
    for profile in odd { #expect(try rows(profile) == plain) }
    guard let device = OpenCLPlatformList.system.devices.first else { return }
    // A GPU that gets no operations, because the host is measured as faster.
    let slow = DeviceProfile(
      peakFlops: 1, bandwidth: 1, launch: 10, transferBandwidth: 1, transferLatency: 10)
    let gpu = PlanDevice(kind: .openCL, profile: slow, context: try OpenCLContext(device))
    for profile in odd { #expect(try rows(profile, beside: gpu) == plain) }
  }
}

/// Which OpenCL devices the runtime uses.
@Suite(.tags(.driver), .unlessQuick, .enabled(if: OpenCLPlatformList.system.devices.first != nil, "no OpenCL device"))
struct DeviceChoiceTests {
  /// The machine's first device under several ids, as if the machine had that many devices.
  static func list(_ ids: [String], problems: [KernelError] = []) throws -> OpenCLPlatformList {
    let first = try #require(OpenCLPlatformList.system.devices.first)
    return OpenCLPlatformList(
      devices: try ids.map { try OpenCLDevice(first.handle, platform: first.platform, id: $0, library: first.library) },
      problems: problems, hasLibrary: true)
  }

  static func deviceManager(
    _ list: OpenCLPlatformList, log: DeviceFailureTests.Log = DeviceFailureTests.Log(),
    measure: @escaping @Sendable (OpenCLContext) throws -> DeviceProfile = { _ in PlacementTests.fast }
  ) -> DeviceManager {
    DeviceManager(
      processors: 2, folder: { _ in nil }, platforms: { _ in list }, isTakenUnasked: { _ in true }, measure: measure,
      log: { log.add($0) })
  }

  static let any = DeviceRequest(threads: 2, allowsGPU: true)

  @Test func everyGPUIsTakenWithAllButAMarginOfItsMemory() throws {
    let deviceManager = Self.deviceManager(try Self.list(["opencl:0:0", "opencl:0:1", "opencl:1:0"]))
    let choice = try DeviceChoice(Self.any, on: deviceManager)
    // The last one is the same vendor's device seen through a second driver.
    #expect(choice.devices.map { $0.context?.device.id } == [nil, "opencl:0:0", "opencl:0:1"])
    #expect(choice.devices[0].measured != nil && choice.notes.isEmpty)
    for device in choice.devices.dropFirst() {
      let bytes = try #require(device.context?.device.memoryBytes)
      let limit = try #require(device.memoryLimit)
      #expect(limit < bytes && limit > bytes / 2)
    }
    // A device is opened once for all models.
    let again = try DeviceChoice(Self.any, on: deviceManager)
    #expect(zip(choice.devices, again.devices).allSatisfy { $0.context === $1.context })
    #expect(try DeviceChoice(DeviceRequest(threads: 2, allowsGPU: false), on: deviceManager).isOnCPU)
    #expect(try DeviceChoice.devices(Self.any, on: deviceManager).map(\.id) == ["opencl:0:0", "opencl:0:1"])
  }

  @Test func aPlanOverTwoGPUsIsRight() throws {
    let choice = try DeviceChoice(Self.any, on: Self.deviceManager(try Self.list(["opencl:0:0", "opencl:0:1"])))
    let text = """
      (tensor<fp32, [1, 64, 48, 48]> x) {
        \(PlacementTests.weight([64, 64, 3, 3], "w"))
        \(PlacementTests.convolutions)
      } -> (d)
      """
    let function = try FusionTests.main(text)
    let x = ["x": try FusionTests.ramp([1, 64, 48, 48])]
    let engine = Engine(function: function, devices: choice)
    let result = try #require(EngineTests.run(engine, x)["d"])
    let expected = try #require(EngineTests.run(Engine(function: function, devices: choice.hostOnly), x)["d"])
    #expect(zip(result, expected).allSatisfy { abs($0 - $1) <= 1e-4 * max(1, abs($1)) })
    #expect(try #require(engine.planUsedLast).steps.contains { $0.device != 0 })
  }

  @Test func whatCannotBeMeasuredIsLeftOut() throws {
    let log = DeviceFailureTests.Log()
    let problem = KernelError(.openCLUnavailable, "opencl:2: the driver ends the process")
    let deviceManager = Self.deviceManager(try Self.list(["opencl:0:0", "opencl:0:1"], problems: [problem]), log: log) {
      context in
      guard context.device.id == "opencl:0:1" else { throw KernelError(.openCLMemory, "it has no memory") }
      return PlacementTests.fast
    }
    for _ in 0..<3 {
      let choice = try DeviceChoice(Self.any, on: deviceManager)
      #expect(choice.devices.map { $0.context?.device.id } == [nil, "opencl:0:1"])
      let engine = Engine(function: try FusionTests.main(DeviceManagerTests.double), devices: choice)
      let notes = try engine.plan(for: engine.inputTypes).notes
      #expect(notes.contains { $0.contains("opencl:0:0") && $0.contains("it has no memory") })
      #expect(notes.contains { $0.contains("opencl:2") })
      #expect(notes == choice.notes)
    }
    #expect(log.all.count == 2)
    // A named device has to exist, but need not be measured.
    let named = DeviceRequest(threads: 2, allowsGPU: true, preferredOpenCLDevice: "opencl:0:0")
    #expect(try DeviceChoice(named, on: deviceManager).devices[1].isNamed)
    let missing = DeviceRequest(threads: 2, allowsGPU: true, preferredOpenCLDevice: "opencl:2:0")
    #expect { try DeviceChoice(missing, on: deviceManager) } throws: { "\($0)".contains("the driver ends the process") }
  }

  @Test func aMachineWithoutOpenCLHasNothingToSay() throws {
    let deviceManager = Self.deviceManager(OpenCLPlatformList(libraryPath: "libOpenCL-that-does-not-exist.so"))
    let choice = try DeviceChoice(Self.any, on: deviceManager)
    #expect(choice.isOnCPU && choice.notes.isEmpty)
  }
}
