import CoreMLKernels
import Testing

@testable import CoreMLExecution

/// Placement over any number of devices by costs alone, at positions that a person would choose.
@Suite struct DevicePlacementTests {
  static let host = PlanDevice(kind: .cpu, profile: .cpu(threads: 2))
  static func gpu(latency: Double = 10e-6, limit: Int? = nil, isNamed: Bool = false) -> PlanDevice {
    let profile = DeviceProfile(
      peakFlops: 20e12, bandwidth: 1e12, launch: 5e-6, transferBandwidth: 12e9, transferLatency: latency)
    return PlanDevice(kind: .openCL, profile: profile, isNamed: isNamed, memoryLimit: limit)
  }

  /// A chain of operations with costs for each device.
  static func chain(_ costs: [[Double?]], bytes: Int = 1 << 20, constants: [Int]? = nil) -> Workload {
    let items = costs.enumerated().map { number, costs in
      Workload.Item(
        inputs: [number], outputs: [number + 1], costs: costs, constantBytes: constants?[number] ?? 0)
    }
    let values = (0...costs.count).map { Workload.Value(bytes: bytes, isResult: $0 == costs.count) }
    return Workload(items: items, values: values)
  }

  /// The log mentions a device that holds no part of the model. A device that holds a part is not mentioned.
  @Test func aDeviceThatHoldsNothingIsSaidToBeEmpty() {
    let costs = Array(repeating: [1, 1e-3] as [Double?], count: 3)
    func place(_ limit: Int) -> DevicePlacement {
      DevicePlacement(
        Self.chain(costs, bytes: 1 << 10, constants: [1 << 20, 1 << 20, 1 << 20]),
        devices: [Self.host, Self.gpu(limit: limit)])
    }
    let (none, some, all) = (place(1 << 12), place(3 << 19), place(1 << 30))
    #expect(none.device == [0, 0, 0] && none.emptied.keys.sorted() == [1])
    #expect(none.emptied[1]?.contains("device 1 has no room for") == true)
    #expect(some.device.contains(1) && some.notes.count == 1 && some.emptied.isEmpty)
    #expect(all.device == [1, 1, 1] && all.notes.isEmpty && all.emptied.isEmpty)
  }

  @Test func theFasterOfTwoGPUsGetsAll() {
    let place = DevicePlacement(
      Self.chain(Array(repeating: [1e-2, 1e-3, 5e-4], count: 6)), devices: [Self.host, Self.gpu(), Self.gpu()])
    #expect(place.device == [2, 2, 2, 2, 2, 2])
  }

  /// The third operation takes a hundred times as long on the faster device, which justifies two copies each way.
  @Test func whatOnlyTheOtherGPUDoesWellGoesThere() {
    var costs = Array(repeating: [1e-1, 2e-2, 1e-2] as [Double?], count: 5)
    costs[2] = [1, 2e-2, 2]
    let place = DevicePlacement(Self.chain(costs), devices: [Self.host, Self.gpu(), Self.gpu()])
    #expect(place.device == [2, 2, 1, 2, 2])
  }

  @Test func whatNoGPUHasIsTheHosts() {
    var costs = Array(repeating: [1e-1, 2e-2, 1e-2] as [Double?], count: 5)
    costs[2] = [1e-2, nil, nil]
    let place = DevicePlacement(Self.chain(costs), devices: [Self.host, Self.gpu(), Self.gpu()])
    #expect(place.device == [2, 2, 0, 2, 2])
  }

  /// A tiny model behind a slow bus stays on the host.
  @Test func lightWorkStays() {
    let place = DevicePlacement(
      Self.chain(Array(repeating: [1e-6, 5e-6, 5e-6], count: 4)), devices: [Self.host, Self.gpu(), Self.gpu()])
    #expect(place.device == [0, 0, 0, 0])
  }

  @Test func aNamedDeviceGetsWhateverItHas() {
    let place = DevicePlacement(
      Self.chain([[1e-6, 1, 1e-6], [1e-6, nil, 1e-6]]), devices: [Self.host, Self.gpu(isNamed: true), Self.gpu()])
    #expect(place.device[0] == 1)
  }

  /// Of four layers with 100 MB each, a device with 250 MB holds two: the ones that gain most there.
  @Test func aGPUTooSmallForTheWeightsHoldsWhatGainsMost() {
    let costs: [[Double?]] = [[1e-2, 1e-3], [9e-2, 1e-3], [9e-2, 1e-3], [1e-2, 1e-3]]
    let place = DevicePlacement(
      Self.chain(costs, constants: Array(repeating: 100 << 20, count: 4)),
      devices: [Self.host, Self.gpu(limit: 250 << 20)])
    #expect(place.device == [0, 1, 1, 0])
    #expect(place.notes.count == 1)
  }

  /// An operation that does not fit on the faster of two GPUs goes to the other GPU. Only an operation that fits on
  /// neither goes to the host.
  @Test(arguments: [(150, 1), (350, 3)])
  func whatAGPUHasNoRoomForGoesToTheNext(limit: Int, stay: Int) {
    let costs = Array(repeating: [9e-2, 2e-3, 1e-3] as [Double?], count: 4)
    let place = DevicePlacement(
      Self.chain(costs, constants: Array(repeating: 100 << 20, count: 4)),
      devices: [Self.host, Self.gpu(limit: 450 << 20), Self.gpu(limit: limit << 20)])
    #expect(place.device.count { $0 == 2 } == stay)
    #expect(!place.device.contains(0))
    #expect(place.notes.count == 1)
  }

  @Test func whatNoGPUHasRoomForGoesHome() {
    let costs = Array(repeating: [9e-2, 2e-3, 1e-3] as [Double?], count: 5)
    let place = DevicePlacement(
      Self.chain(costs, constants: Array(repeating: 100 << 20, count: 5)),
      devices: [Self.host, Self.gpu(limit: 250 << 20), Self.gpu(limit: 150 << 20)])
    #expect(place.device.count { $0 == 2 } == 1)
    #expect(place.device.count { $0 == 1 } == 2)
    #expect(place.device.count { $0 == 0 } == 2)
  }

  /// The smaller of two GPUs is the faster one. Both are too small for the values of the third operation.
  @Test func anOperationThatNoGPUCanHoldGoesHomeAlone() {
    let items = (0..<3).map { number in
      Workload.Item(inputs: [number], outputs: [number + 1], costs: [9e-1, 2e-2, 1e-2], constantBytes: 10 << 20)
    }
    let values = [1, 1, 1, 400].map { Workload.Value(bytes: $0 << 20, isResult: $0 == 400) }
    let place = DevicePlacement(
      Workload(items: items, values: values),
      devices: [Self.host, Self.gpu(limit: 100 << 20), Self.gpu(limit: 50 << 20)])
    #expect(place.device == [2, 2, 0])
  }

  /// The other GPU is slower than the host, so operations that do not fit go to the host.
  @Test func aGPUThatGainsNothingGetsNothing() {
    let costs = Array(repeating: [2e-2, 3e-2, 1e-3] as [Double?], count: 4)
    let place = DevicePlacement(
      Self.chain(costs, constants: Array(repeating: 100 << 20, count: 4)),
      devices: [Self.host, Self.gpu(), Self.gpu(limit: 250 << 20)])
    #expect(place.device == [0, 0, 2, 2])
  }

  /// The costs of copies never make a placement more expensive than the host alone.
  @Test func noPlacementIsDearerThanTheHostAlone() {
    var seed: UInt64 = 11
    func random() -> Double {
      seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Double(seed >> 40) / Double(1 << 24)
    }
    for _ in 0..<40 {
      let items = (0..<30).map { number in
        Workload.Item(
          inputs: [Int(random() * Double(number + 1)), number], outputs: [number + 1],
          costs: [random() * 1e-3, random() < 0.7 ? random() * 2e-4 : nil, random() < 0.7 ? random() * 1e-4 : nil])
      }
      let values = (0...30).map { Workload.Value(bytes: Int(random() * 1e6), isResult: $0 > 28) }
      let place = DevicePlacement(Workload(items: items, values: values), devices: [Self.host, Self.gpu(), Self.gpu()])
      let alone = items.reduce(0) { $0 + ($1.costs[0] ?? 0) }
      #expect(place.cost <= alone * 1.02)
    }
  }
}
