import CoreMLExecution
import CoreMLKernels
import Foundation

/// The protocol of all compute devices.
public protocol MLComputeDeviceProtocol: NSObjectProtocol, Sendable {}

/// The CPU of the machine.
public final class MLCPUComputeDevice: NSObject, MLComputeDeviceProtocol, Sendable {
  /// The processor's model name.
  public var name: String { Processor.name }
  /// The number of logical processors that this process may run on.
  public var coreCount: Int { Processor.count }

  /// Whether the other object is a CPU device.
  override public func isEqual(_ object: Any?) -> Bool { object is MLCPUComputeDevice }

  override public var hash: Int { 0 }

  override public var description: String { "CPU: \(name)" }
}

/// A GPU of the machine, used through OpenCL.
public final class MLGPUComputeDevice: NSObject, MLComputeDeviceProtocol, Sendable {
  /// The identifier for `MLModelConfiguration.preferredOpenCLDevice`.
  public let id: String
  /// The driver's name for the device.
  public let name: String
  /// The vendor of the device.
  public let vendor: String
  /// The version of the driver.
  public let driverVersion: String
  /// The device's memory in bytes.
  public let memorySize: Int

  init(_ device: OpenCLDevice) {
    (id, name, vendor) = (device.id, device.name, device.vendor)
    (driverVersion, memorySize) = (device.driverVersion, device.memoryBytes)
    super.init()
  }

  /// Whether the other object is the same device.
  override public func isEqual(_ object: Any?) -> Bool { (object as? MLGPUComputeDevice)?.id == id }

  override public var hash: Int { id.hash }

  override public var description: String { "GPU: \(name) (\(id))" }
}

/// Apple's Neural Engine. Never present here; the type exists so that source code that uses it compiles.
public final class MLNeuralEngineComputeDevice: NSObject, MLComputeDeviceProtocol, Sendable {
  /// The number of cores.
  public let totalCoreCount: Int

  init(cores: Int) {
    totalCoreCount = cores
    super.init()
  }
}

/// A device that can run models.
public enum MLComputeDevice: Sendable, Hashable, CustomStringConvertible {
  /// The CPU.
  case cpu(MLCPUComputeDevice)
  /// A GPU, used through OpenCL.
  case gpu(MLGPUComputeDevice)
  /// Never occurs on this system.
  case neuralEngine(MLNeuralEngineComputeDevice)

  /// Every device of the machine: the CPU, then the GPUs in the order of the OpenCL drivers.
  public static var allComputeDevices: [MLComputeDevice] {
    let request = DeviceRequest(allowsGPU: true)
    let found = (try? DeviceChoice.devices(request)) ?? []
    return [.cpu(MLCPUComputeDevice())] + found.map { .gpu(MLGPUComputeDevice($0)) }
  }

  /// The device's name.
  public var description: String { "\(object)" }

  fileprivate var object: any MLComputeDeviceProtocol {
    switch self {
    case .cpu(let device): device
    case .gpu(let device): device
    case .neuralEngine(let device): device
    }
  }
}

/// Every device of the machine.
// swift-format-ignore: AlwaysUseLowerCamelCase
public func MLAllComputeDevices() -> [any MLComputeDeviceProtocol] { MLComputeDevice.allComputeDevices.map(\.object) }

extension MLModel {
  /// The devices that can run models: the CPU, then the GPUs.
  public class var availableComputeDevices: [MLComputeDevice] { MLComputeDevice.allComputeDevices }
}
