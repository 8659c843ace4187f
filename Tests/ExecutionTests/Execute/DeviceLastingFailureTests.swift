import COpenCL
import CoreMLKernels
import Foundation
import MIL
import TestSupport
import Testing

@testable import CoreMLExecution
@testable import CoreMLKernels

/// Failures that are permanent however often a call is retried: compilation, memory allocation and launch. The CPU then
/// predicts. A named device reports which call failed.
@Suite(.tags(.driver), .unlessQuick, .serialized, .enabled(if: FaultyOpenCL.real != nil, "there is no OpenCL"))
struct DeviceLastingFailureTests {
  enum Fault: String, CaseIterable, Sendable {
    case build, memory, launch, reading

    var code: KernelError.Code {
      switch self {
      case .build: .openCLBuild
      case .memory: .openCLMemory
      case .launch, .reading: .openCLCall
      }
    }
    /// A word of the error message.
    var word: String {
      switch self {
      case .build: "CL_BUILD_PROGRAM_FAILURE"
      case .memory: "CL_MEM_OBJECT_ALLOCATION_FAILURE"
      case .launch: "CL_DEVICE_NOT_AVAILABLE"
      case .reading: "CL_INVALID_COMMAND_QUEUE"
      }
    }
  }

  private static func deviceManager(_ fault: Fault, log: DeviceFailureTests.Log) throws -> (
    deviceManager: DeviceManager, id: String
  ) {
    var table = try #require(FaultyOpenCL.real).functions
    switch fault {
    case .build: table.clBuildProgram = { _, _, _, _, _, _ in -11 }
    case .memory:
      table.clCreateBuffer = { _, _, _, _, status in
        status?.pointee = -4
        return nil
      }
    case .launch: table.clEnqueueNDRangeKernel = { _, _, _, _, _, _, _, _, _ in -2 }
    case .reading: table.clEnqueueReadBuffer = { _, _, _, _, _, _, _, _, _ in -36 }
    }
    let list = OpenCLPlatformList(OpenCLLibrary(functions: table))
    let deviceManager = DeviceManager(
      processors: 1, folder: { _ in nil }, platforms: { _ in list }, isTakenUnasked: { _ in true },
      measure: { _ in DeviceFailureTests.profile }, log: { log.add($0) })
    return (deviceManager, try #require(list.devices.first?.id))
  }

  @Test(arguments: Fault.allCases) func theCPUDoesWhatADeviceCannot(_ fault: Fault) throws {
    let log = DeviceFailureTests.Log()
    let (deviceManager, _) = try Self.deviceManager(fault, log: log)
    for network in DeviceFailureTests.Network.allCases {
      let choice = try DeviceChoice(DeviceRequest(threads: 1, allowsGPU: true), on: deviceManager)
      let engine = Engine(function: try FusionTests.main(network.text), devices: choice)
      let expected = try DeviceFailureTests.expected(times: 5, network)
      #expect(DeviceFailureTests.agree(try DeviceFailureTests.predict(engine, times: 5), expected), "\(network)")
      #expect(try #require(engine.planUsedLast).isOnHost, "\(network)")
    }
    #expect(log.all.contains { $0.contains(fault.word) }, "\(log.all)")
  }

  @Test(arguments: Fault.allCases) func aNamedDeviceSaysWhatItCannotDo(_ fault: Fault) throws {
    let (deviceManager, id) = try Self.deviceManager(fault, log: DeviceFailureTests.Log())
    let error = #expect(throws: KernelError.self) {
      let choice = try DeviceChoice(
        DeviceRequest(threads: 1, allowsGPU: false, preferredOpenCLDevice: id), on: deviceManager)
      let engine = Engine(function: try FusionTests.main(DeviceFailureTests.network), devices: choice)
      _ = try DeviceFailureTests.predict(engine, times: 1)
    }
    #expect(error?.code == fault.code && error?.message.contains(fault.word) == true, "\(error?.message ?? "")")
    #expect(error?.message.contains(id) == true, "\(error?.message ?? "")")
  }
}
