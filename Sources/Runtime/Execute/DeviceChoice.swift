import CoreMLKernels
import Foundation
import Synchronization

/// The devices that a configuration means: always the CPU, and one OpenCL device where compute units allow it and one is there.
struct DeviceChoice: Sendable {
  let threads: Int
  let allowsFusion: Bool
  /// The OpenCL device, when there is one to use.
  let context: OpenCLContext?
  let devices: [PlanDevice]

  init(_ configuration: MLModelConfiguration) throws {
    threads = max(configuration.threads ?? ProcessInfo.processInfo.activeProcessorCount, 1)
    allowsFusion = configuration.allowsFusion
    let host = PlanDevice(kind: .cpu, profile: .cpu(threads: threads))
    var named: OpenCLDevice?
    if let id = configuration.preferredOpenCLDevice {
      guard let device = OpenCLPlatformList.system.device(id) else {
        let known = OpenCLPlatformList.system.devices.map(\.id)
        throw RuntimeError(.device, "there is no OpenCL device '\(id)'; there are \(known.isEmpty ? ["none"] : known)")
      }
      named = device
    }
    guard let device = named ?? Self.gpu(configuration.computeUnits) else {
      context = nil
      devices = [host]
      return
    }
    context = try OpenCLContext(device, cacheDirectory: RuntimePlaces.programs)
    devices = [host, PlanDevice(kind: .openCL, profile: DeviceProfiles.profile(of: device), isNamed: named != nil)]
  }

  init(threads: Int, context: OpenCLContext? = nil, devices: [PlanDevice]? = nil, allowsFusion: Bool = true) {
    self.threads = threads
    self.context = context
    self.allowsFusion = allowsFusion
    self.devices = devices ?? [PlanDevice(kind: .cpu, profile: .cpu(threads: threads))]
  }

  /// Looked up once, when first asked for.
  private static let accelerators = OpenCLPlatformList.accelerators(cacheDirectory: RuntimePlaces.programs)

  /// The first GPU, where compute units allow one. A device of type CPU is never taken unasked.
  private static func gpu(_ units: MLComputeUnits) -> OpenCLDevice? {
    switch units {
    case .cpuOnly, .cpuAndNeuralEngine: nil
    case .cpuAndGPU, .all: accelerators.devices.first { $0.kind == .gpu }
    @unknown default: nil
    }
  }
}

/// Where the runtime keeps what can be made again.
enum RuntimePlaces {
  /// OpenCL program binaries; nil where no cache folder can be had.
  static var programs: String? {
    let environment = ProcessInfo.processInfo.environment
    let base =
      environment["XDG_CACHE_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
      ?? environment["HOME"].map { "\($0)/.cache" }
    return base.map { "\($0)/coreml/programs" }
  }
}

/// What OpenCL devices can do: taken from the device's own figures until it is measured.
enum DeviceProfiles {
  static func profile(of device: OpenCLDevice) -> DeviceProfile {
    guard device.kind == .gpu else { return .unmeasured }
    return DeviceProfile(
      peakFlops: Double(device.computeUnits) * 128 * 2 * 1.5e9, bandwidth: 400e9, launch: 8e-6, transferBandwidth: 10e9,
      transferLatency: 15e-6)
  }
}
