import CoreMLKernels
import Foundation
import Synchronization

/// The devices that a request means: always the CPU, and one OpenCL device where the request allows it and one is there.
package struct DeviceChoice: Sendable {
  package let threads: Int
  package let allowsFusion: Bool
  /// The OpenCL device, when there is one to use.
  package let context: OpenCLContext?
  package let devices: [PlanDevice]

  package init(_ request: DeviceRequest) throws {
    threads = max(request.threads ?? ProcessInfo.processInfo.activeProcessorCount, 1)
    allowsFusion = request.allowsFusion
    let named = try Self.named(request)
    guard let device = named ?? Self.gpu(request) else {
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

  private static func named(_ request: DeviceRequest) throws -> OpenCLDevice? {
    guard let id = request.preferredOpenCLDevice else { return nil }
    guard let device = OpenCLPlatformList.system.device(id) else {
      let known = OpenCLPlatformList.system.devices.map(\.id)
      throw RuntimeError(.device, "there is no OpenCL device '\(id)'; there are \(known.isEmpty ? ["none"] : known)")
    }
    return device
  }

  /// The OpenCL device that a request means, if any, without opening it.
  package static func device(_ request: DeviceRequest) throws -> OpenCLDevice? {
    try named(request) ?? gpu(request)
  }

  package init(
    threads: Int, context: OpenCLContext? = nil, devices: [PlanDevice]? = nil, allowsFusion: Bool = true
  ) {
    self.threads = threads
    self.context = context
    self.allowsFusion = allowsFusion
    self.devices = devices ?? [PlanDevice(kind: .cpu, profile: .cpu(threads: threads))]
  }

  /// Looked up once, when first asked for.
  private static let accelerators = OpenCLPlatformList.accelerators(cacheDirectory: RuntimePlaces.folder("programs"))

  /// The first GPU, where one is allowed. A device of type CPU is never taken unasked.
  private static func gpu(_ request: DeviceRequest) -> OpenCLDevice? {
    request.allowsGPU ? accelerators.devices.first { $0.kind == .gpu } : nil
  }
}
