import CoreMLExecution

extension MLModelConfiguration {
  /// What the configuration asks of devices: compute units with a GPU allow one.
  var devices: DeviceRequest {
    DeviceRequest(
      threads: threads, allowsGPU: computeUnits == .all || computeUnits == .cpuAndGPU,
      preferredOpenCLDevice: preferredOpenCLDevice, allowsFusion: allowsFusion,
      allowsLowPrecision: optimizationHints.precision == .low,
      allowsLowPrecisionOnGPU: optimizationHints.precision == .low || allowLowPrecisionAccumulationOnGPU,
      favouredKernel: favouredKernel, timing: timing)
  }

  /// Kernels are timed where predictions are to be fast: as new shapes come, too, where these are said to be rare.
  private var timing: KernelTiming {
    guard optimizationHints.specializationStrategy == .fastPrediction else { return .never }
    return optimizationHints.reshapeFrequency == .infrequent ? .whenMet : .whenOpened
  }
}
