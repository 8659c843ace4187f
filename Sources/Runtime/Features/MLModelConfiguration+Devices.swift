import CoreMLExecution

extension MLModelConfiguration {
  /// The device requirements of the configuration. Compute units with a GPU allow a GPU.
  var devices: DeviceRequest {
    DeviceRequest(
      threads: threads, allowsGPU: computeUnits == .all || computeUnits == .cpuAndGPU,
      preferredOpenCLDevice: preferredOpenCLDevice, allowsFusion: allowsFusion,
      allowsLowPrecision: optimizationHints.precision == .low,
      allowsLowPrecisionOnGPU: optimizationHints.precision == .low || allowLowPrecisionAccumulationOnGPU,
      forcedKernel: forcedKernel, timing: timing)
  }

  /// When kernels are timed. `fastPrediction` times them at loading, and for new shapes too if these are declared to be
  /// rare.
  private var timing: KernelTiming {
    guard optimizationHints.specializationStrategy == .fastPrediction else { return .never }
    return optimizationHints.reshapeFrequency == .infrequent ? .whenMet : .whenOpened
  }
}
