import CoreMLExecution
import CoreMLKernels
import Foundation

/// What all devices have in common.
public protocol MLComputeDeviceProtocol: NSObjectProtocol, Sendable {}

/// The machine's processor.
public final class MLCPUComputeDevice: NSObject, MLComputeDeviceProtocol, Sendable {
  /// The name that the processor gives itself.
  public var name: String { Processor.name }
  /// The processors that this process may run on.
  public var coreCount: Int { Processor.count }

  /// Whether the other object stands for the processor.
  override public func isEqual(_ object: Any?) -> Bool { object is MLCPUComputeDevice }

  override public var hash: Int { 0 }

  override public var description: String { "CPU: \(name)" }
}

/// A GPU of the machine, used through OpenCL.
public final class MLGPUComputeDevice: NSObject, MLComputeDeviceProtocol, Sendable {
  /// What `MLModelConfiguration.preferredOpenCLDevice` names it by.
  public let id: String
  /// The name that the driver has for the device.
  public let name: String
  /// Who made the device.
  public let vendor: String
  /// The version of the driver.
  public let driverVersion: String
  /// Bytes of the device's memory.
  public let memorySize: Int

  init(_ device: OpenCLDevice) {
    (id, name, vendor) = (device.id, device.name, device.vendor)
    (driverVersion, memorySize) = (device.driverVersion, device.memoryBytes)
    super.init()
  }

  /// Whether the other object stands for the same device.
  override public func isEqual(_ object: Any?) -> Bool { (object as? MLGPUComputeDevice)?.id == id }

  override public var hash: Int { id.hash }

  override public var description: String { "GPU: \(name) (\(id))" }
}

/// Apple's Neural Engine, of which there is none here: the type is there so that sources that ask for it build.
public final class MLNeuralEngineComputeDevice: NSObject, MLComputeDeviceProtocol, Sendable {
  /// How many cores the engine has.
  public let totalCoreCount: Int

  init(cores: Int) {
    totalCoreCount = cores
    super.init()
  }
}

/// A device that models can be computed on.
public enum MLComputeDevice: Sendable, Hashable, CustomStringConvertible {
  /// The processor.
  case cpu(MLCPUComputeDevice)
  /// A GPU, through OpenCL.
  case gpu(MLGPUComputeDevice)
  /// Never on this system.
  case neuralEngine(MLNeuralEngineComputeDevice)

  /// Every device of the machine: the processor, then the GPUs in the order of OpenCL's drivers.
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
  /// The devices that models can be computed on: the processor, then the GPUs.
  public class var availableComputeDevices: [MLComputeDevice] { MLComputeDevice.allComputeDevices }
}
