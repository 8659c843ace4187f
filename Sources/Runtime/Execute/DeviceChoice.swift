import CoreMLKernels
import Foundation
import Synchronization

/// The devices that a configuration means: always the CPU, and one OpenCL device where compute units allow it and one is there.
struct DeviceChoice: Sendable {
  let threads: Int
  let allowsFusion: Bool
  let devices: [PlanDevice]

  init(_ configuration: MLModelConfiguration) throws {
    threads = max(configuration.threads ?? ProcessInfo.processInfo.activeProcessorCount, 1)
    allowsFusion = configuration.allowsFusion
    let named = try Self.named(configuration)
    let host = PlanDevice(kind: .cpu, profile: .cpu(threads: threads))
    guard let device = named ?? Self.gpu(configuration.computeUnits) else {
      devices = [host]
      return
    }
    let opened = try OpenCLContext(device, cacheDirectory: RuntimePlaces.folder("programs"))
    guard named == nil else {
      // Costs do not place operations then, so nothing has to be measured.
      devices = [host, PlanDevice(kind: .openCL, profile: .unmeasured, isNamed: true, context: opened)]
      return
    }
    let profiles = MeasuredProfiles(directory: RuntimePlaces.folder("profiles"))
    let measured = try profiles.profile(of: ThreadPool(threads: threads), on: Processor.name)
    devices = [
      PlanDevice(kind: .cpu, profile: host.profile, measured: measured),
      PlanDevice(kind: .openCL, profile: try profiles.profile(of: opened), context: opened),
    ]
  }

  private static func named(_ configuration: MLModelConfiguration) throws -> OpenCLDevice? {
    guard let id = configuration.preferredOpenCLDevice else { return nil }
    guard let device = OpenCLPlatformList.system.device(id) else {
      let known = OpenCLPlatformList.system.devices.map(\.id)
      throw RuntimeError(.device, "there is no OpenCL device '\(id)'; there are \(known.isEmpty ? ["none"] : known)")
    }
    return device
  }

  /// The OpenCL device that a configuration means, if any, without opening it.
  static func device(_ configuration: MLModelConfiguration) throws -> OpenCLDevice? {
    try named(configuration) ?? gpu(configuration.computeUnits)
  }

  init(threads: Int, devices: [PlanDevice]? = nil, allowsFusion: Bool = true) {
    self.threads = threads
    self.allowsFusion = allowsFusion
    self.devices = devices ?? [PlanDevice(kind: .cpu, profile: .cpu(threads: threads))]
  }

  /// The CPU is all there is.
  var isOnCPU: Bool { devices.count == 1 }

  /// Looked up once, when first asked for.
  private static let accelerators = OpenCLPlatformList.accelerators(cacheDirectory: RuntimePlaces.folder("programs"))

  /// The first GPU, where compute units allow one. A device of type CPU is never taken unasked.
  private static func gpu(_ units: MLComputeUnits) -> OpenCLDevice? {
    switch units {
    case .cpuOnly, .cpuAndNeuralEngine: nil
    case .cpuAndGPU, .all: accelerators.devices.first { $0.kind == .gpu }
    @unknown default: nil
    }
  }
}
