import CoreMLKernels
import Foundation
import Synchronization

/// The devices that a request means: always the CPU, and one OpenCL device where the request allows it and one is there.
package struct DeviceChoice: Sendable {
  package let threads: Int
  package let allowsFusion: Bool
  package let devices: [PlanDevice]

  package init(_ request: DeviceRequest) throws {
    threads = max(request.threads ?? ProcessInfo.processInfo.activeProcessorCount, 1)
    allowsFusion = request.allowsFusion
    let named = try Self.named(request)
    let host = PlanDevice(kind: .cpu, profile: .cpu(threads: threads))
    guard let device = named ?? Self.gpu(request) else {
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

  package init(threads: Int, devices: [PlanDevice]? = nil, allowsFusion: Bool = true) {
    self.threads = threads
    self.allowsFusion = allowsFusion
    self.devices = devices ?? [PlanDevice(kind: .cpu, profile: .cpu(threads: threads))]
  }

  /// The CPU is all there is.
  package var isOnCPU: Bool { devices.count == 1 }

  /// Looked up once, when first asked for.
  private static let accelerators = OpenCLPlatformList.accelerators(cacheDirectory: RuntimePlaces.folder("programs"))

  /// The first GPU, where one is allowed. A device of type CPU is never taken unasked.
  private static func gpu(_ request: DeviceRequest) -> OpenCLDevice? {
    request.allowsGPU ? accelerators.devices.first { $0.kind == .gpu } : nil
  }
}
