import CoreMLExecution

extension MLModelConfiguration {
  /// What the configuration asks of devices: compute units with a GPU allow one.
  var devices: DeviceRequest {
    DeviceRequest(
      threads: threads, allowsGPU: computeUnits == .all || computeUnits == .cpuAndGPU,
      preferredOpenCLDevice: preferredOpenCLDevice, allowsFusion: allowsFusion,
      allowsLowPrecision: optimizationHints.precision == .low,
      allowsLowPrecisionOnGPU: optimizationHints.precision == .low || allowLowPrecisionAccumulationOnGPU,
      favouredRow: favouredRow, timesRows: optimizationHints.specializationStrategy == .fastPrediction)
  }
}
