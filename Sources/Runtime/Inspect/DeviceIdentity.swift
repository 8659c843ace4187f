import CoreMLExecution
import CoreMLKernels
import Foundation

/// What results depend on beside the model: the devices that a configuration means, and their drivers.
package struct DeviceIdentity: Sendable, Hashable {
  package let device: String
  package let driver: String

  /// - Throws: `MLModelError` when the configuration names a device that there is none of.
  package init(_ configuration: MLModelConfiguration) throws {
    let device = try MLModelError.wrapping(.generic) { try DeviceChoice.device(configuration.devices) }
    self.device = [Processor.name, device?.id].compactMap { $0 }.joined(separator: " + ")
    driver = device?.programIdentity ?? "none"
  }
}

extension MLModelConfiguration {
  /// What of the configuration changes results, as text.
  package var identity: String {
    let words = [
      "units \(computeUnits.rawValue)", "device \(preferredOpenCLDevice ?? "any")",
      "function \(functionName ?? "default")",
      "fusion \(allowsFusion)", "low precision \(allowLowPrecisionAccumulationOnGPU)",
    ]
    return words.joined(separator: ", ")
  }
}
