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
    let named = try Self.named(configuration)
    guard let device = named ?? Self.gpu(configuration.computeUnits) else {
      context = nil
      devices = [PlanDevice(kind: .cpu, profile: .cpu(threads: threads))]
      return
    }
    let opened = try OpenCLContext(device, cacheDirectory: RuntimePlaces.folder("programs"))
    context = opened
    guard named == nil else {
      // Costs do not place operations then, so nothing has to be measured.
      devices = [
        PlanDevice(kind: .cpu, profile: .cpu(threads: threads)),
        PlanDevice(kind: .openCL, profile: .unmeasured, isNamed: true),
      ]
      return
    }
    let profiles = MeasuredProfiles(directory: RuntimePlaces.folder("profiles"))
    devices = [
      PlanDevice(kind: .cpu, profile: try profiles.profile(of: ThreadPool(threads: threads), on: Processor.name)),
      PlanDevice(kind: .openCL, profile: try profiles.profile(of: opened)),
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

  init(threads: Int, context: OpenCLContext? = nil, devices: [PlanDevice]? = nil, allowsFusion: Bool = true) {
    self.threads = threads
    self.context = context
    self.allowsFusion = allowsFusion
    self.devices = devices ?? [PlanDevice(kind: .cpu, profile: .cpu(threads: threads))]
  }

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
