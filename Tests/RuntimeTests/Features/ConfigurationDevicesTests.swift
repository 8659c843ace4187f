import CoreMLKernels
import TestSupport
import Testing

@testable import CoreMLExecution
@testable import CoreMLRuntime

/// The devices that follow from a configuration.
@Suite struct ConfigurationDevicesTests {
  @Test func theHintReachesDevicesAndCopies() throws {
    #expect(!MLModelConfiguration().devices.allowsLowPrecision)
    let configuration = MLModelConfiguration()
    configuration.optimizationHints.precision = .low
    #expect(configuration.devices.allowsLowPrecision && configuration.copied.devices.allowsLowPrecision)
    #expect(try DeviceChoice(configuration.devices).devices[0].allowsLowPrecision)
    #expect(try DeviceChoice(configuration.devices).hostOnly.devices[0].allowsLowPrecision)
    #expect(configuration.identity != MLModelConfiguration().identity)
  }

  @Test(.tags(.driver), .unlessQuick, .enabled(if: OpenCLPlatformList.system.devices.first != nil, "no OpenCL device"))
  func aProcessorThatSpeaksOpenCLIsNeverTakenUnasked() throws {
    let configuration = MLModelConfiguration()
    configuration.computeUnits = .all
    let choice = try DeviceChoice(configuration.devices)
    let gpus = OpenCLPlatformList.accelerators(cacheDirectory: nil).devices.filter { $0.kind == .gpu }
    #expect(choice.devices.count == (gpus.isEmpty ? 1 : 2))
    #expect(choice.devices.last?.context?.device.kind != .cpu)
  }
}
