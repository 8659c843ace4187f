import CoreMLBase
import CoreMLKernels
import MIL

/// The devices that a request selects: always the CPU, plus the OpenCL devices that the request allows or names.
package struct DeviceChoice: Sendable {
  package let deviceManager: DeviceManager
  package let threads: Int
  package let allowsFusion: Bool
  package let devices: [PlanDevice]
  /// Devices that were left out, and why.
  let notes: [String]

  /// - Throws: If the request names a device that is not available. Other unavailable devices are left out, with a
  ///   sentence in `notes`.
  package init(_ request: DeviceRequest, on deviceManager: DeviceManager = .shared) throws {
    self.deviceManager = deviceManager
    threads = max(request.threads ?? deviceManager.processors, 1)
    allowsFusion = request.allowsFusion
    var host = PlanDevice(kind: .cpu, profile: .cpu(threads: threads))
    host.allowsLowPrecision = request.allowsLowPrecision
    host.forcedKernel = request.forcedKernel
    if request.timing != .never { host.timings = deviceManager.kernelTimings(threads: threads) }
    host.timesWhatIsMet = request.timing == .whenMet
    let patience = try RuntimeLimits.inForce().deviceTime
    if let named = try Self.named(request, deviceManager) {
      // Costs do not affect placement in this case, so no measurement is needed.
      let context = try deviceManager.context(of: named)
      devices = [
        host,
        PlanDevice(
          kind: .openCL, profile: named.kind == .gpu ? .gpu : .unmeasured, isNamed: true, context: context,
          patience: patience,
          allowsLowPrecision: request.allowsLowPrecisionOnGPU),
      ]
      notes = []
      return
    }
    let (found, notes) = Self.opened(request, deviceManager, patience)
    self.notes = notes
    guard !found.isEmpty else {
      devices = [host]
      return
    }
    host.measured = try deviceManager.hostProfile(threads: threads)
    devices = [host] + found
  }

  package init(
    threads: Int, devices: [PlanDevice]? = nil, allowsFusion: Bool = true, notes: [String] = [],
    on deviceManager: DeviceManager = .shared
  ) {
    self.deviceManager = deviceManager
    self.threads = threads
    self.allowsFusion = allowsFusion
    self.devices = devices ?? [PlanDevice(kind: .cpu, profile: .cpu(threads: threads))]
    self.notes = notes
  }

  /// The same choice with the host only.
  var hostOnly: DeviceChoice {
    var host = PlanDevice(kind: .cpu, profile: .cpu(threads: threads))
    host.allowsLowPrecision = devices[0].allowsLowPrecision
    host.forcedKernel = devices[0].forcedKernel
    (host.timings, host.timesWhatIsMet) = (devices[0].timings, devices[0].timesWhatIsMet)
    return DeviceChoice(threads: threads, devices: [host], allowsFusion: allowsFusion, notes: notes, on: deviceManager)
  }

  /// True if the CPU is the only device.
  package var isOnCPU: Bool { devices.count == 1 }

  /// The OpenCL devices that a request selects, without opening them.
  package static func devices(_ request: DeviceRequest, on deviceManager: DeviceManager = .shared) throws
    -> [OpenCLDevice]
  {
    if let named = try named(request, deviceManager) { return [named] }
    return request.allowsGPU ? deviceManager.accelerators.devices : []
  }

  private static func named(_ request: DeviceRequest, _ deviceManager: DeviceManager) throws -> OpenCLDevice? {
    guard let id = request.preferredOpenCLDevice else { return nil }
    let list = deviceManager.devices
    guard let device = list.device(id) else {
      let known = list.devices.map(\.id)
      let problems = list.hasLibrary ? list.problems.map { "; \($0)" }.joined() : ""
      throw RuntimeError(
        .device, "there is no OpenCL device '\(id)'; there are \(known.isEmpty ? ["none"] : known)\(problems)")
    }
    return device
  }

  /// All GPUs that can be opened and measured, if the request allows GPUs, with notes about the others. A device of
  /// type CPU is used only if the request names it.
  private static func opened(
    _ request: DeviceRequest, _ deviceManager: DeviceManager, _ patience: Double?
  ) -> (devices: [PlanDevice], notes: [String]) {
    guard request.allowsGPU else { return ([], []) }
    let (found, problems) = deviceManager.accelerators
    var notes = problems.map { "a device is left out: \($0)" }
    for note in notes { deviceManager.warn(note, about: note) }
    let devices = found.compactMap { device -> PlanDevice? in
      do {
        let context = try deviceManager.context(of: device)
        return PlanDevice(
          kind: .openCL, profile: try deviceManager.profile(of: context), context: context,
          memoryLimit: Self.limit(of: device), patience: patience,
          allowsLowPrecision: request.allowsLowPrecisionOnGPU)
      } catch {
        let note = "\(device.id) (\(device.name)) is left out: \(error)"
        deviceManager.warn(note, about: device.id)
        notes.append(note)
        return nil
      }
    }
    return (devices, notes)
  }

  /// Seven eighths of the device's memory. The rest is for the driver and for programs that use the display.
  private static func limit(of device: OpenCLDevice) -> Int? {
    device.memoryBytes > 0 ? device.memoryBytes / 8 * 7 : nil
  }
}
