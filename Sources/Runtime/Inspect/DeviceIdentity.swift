import CoreMLExecution
import CoreMLKernels
import Foundation

/// What results depend on besides the model: the devices that a configuration selects, and their drivers.
package struct DeviceIdentity: Sendable, Hashable {
  package let device: String
  package let driver: String

  /// - Throws: `MLModelError` if the configuration names a device that does not exist.
  package init(_ configuration: MLModelConfiguration) throws {
    let devices = try MLModelError.wrapping(.generic) { try DeviceChoice.devices(configuration.devices) }
    device = ([Processor.name] + devices.map(\.id)).joined(separator: " + ")
    driver = devices.isEmpty ? "none" : devices.map(\.programIdentity).joined(separator: "\n")
  }
}

extension MLModelConfiguration {
  /// The settings that affect results, as text.
  package var identity: String {
    var words = [
      "units \(computeUnits.rawValue)", "device \(preferredOpenCLDevice ?? "any")",
      "function \(functionName ?? "default")",
      "fusion \(allowsFusion)", "low precision \(allowLowPrecisionAccumulationOnGPU)",
      "precision \(optimizationHints.precision.rawValue)",
    ]
    if optimizationHints.specializationStrategy == .fastPrediction { words.append("fast prediction") }
    if let forcedKernel { words.append("row \(forcedKernel)") }
    return words.joined(separator: ", ")
  }
}
