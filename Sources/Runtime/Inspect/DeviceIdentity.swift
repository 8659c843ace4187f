import CoreMLExecution
import CoreMLKernels
import Foundation

/// What results depend on beside the model: the devices that a configuration means, and their drivers.
package struct DeviceIdentity: Sendable, Hashable {
  package let device: String
  package let driver: String

  /// - Throws: `MLModelError` when the configuration names a device that there is none of.
  package init(_ configuration: MLModelConfiguration) throws {
    let devices = try MLModelError.wrapping(.generic) { try DeviceChoice.devices(configuration.devices) }
    device = ([Processor.name] + devices.map(\.id)).joined(separator: " + ")
    driver = devices.isEmpty ? "none" : devices.map(\.programIdentity).joined(separator: "\n")
  }
}

extension MLModelConfiguration {
  /// What of the configuration changes results, as text.
  package var identity: String {
    var words = [
      "units \(computeUnits.rawValue)", "device \(preferredOpenCLDevice ?? "any")",
      "function \(functionName ?? "default")",
      "fusion \(allowsFusion)", "low precision \(allowLowPrecisionAccumulationOnGPU)",
      "precision \(optimizationHints.precision.rawValue)",
    ]
    if optimizationHints.specializationStrategy == .fastPrediction { words.append("fast prediction") }
    if let favouredKernel { words.append("row \(favouredKernel)") }
    return words.joined(separator: ", ")
  }
}
