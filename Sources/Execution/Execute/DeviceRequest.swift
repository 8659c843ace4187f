/// What is asked of devices.
package struct DeviceRequest: Sendable {
  /// Threads of one prediction; nil for one a processor.
  package var threads: Int?
  /// OpenCL GPUs may be used.
  package var allowsGPU: Bool
  /// The `id` of an OpenCL device that is to be used.
  package var preferredOpenCLDevice: String?
  package var allowsFusion: Bool
  /// The host's products may be of brain floating point.
  package var allowsLowPrecision: Bool
  /// The place, among the host's rows that take an operation, of the one that runs; nil for the cheapest.
  package var favouredKernel: Int?
  package var timing: KernelTiming
  /// OpenCL devices may round the factors of products to fewer bits.
  package var allowsLowPrecisionOnGPU: Bool

  package init(
    threads: Int? = nil, allowsGPU: Bool, preferredOpenCLDevice: String? = nil, allowsFusion: Bool = true,
    allowsLowPrecision: Bool = false, allowsLowPrecisionOnGPU: Bool = false, favouredKernel: Int? = nil,
    timing: KernelTiming = .never
  ) {
    self.allowsLowPrecision = allowsLowPrecision
    self.allowsLowPrecisionOnGPU = allowsLowPrecisionOnGPU
    self.threads = threads
    self.allowsGPU = allowsGPU
    self.preferredOpenCLDevice = preferredOpenCLDevice
    self.allowsFusion = allowsFusion
    self.favouredKernel = favouredKernel
    self.timing = timing
  }
}

/// When the host's rows are timed on this machine, where several take an operation, so that the fastest runs. What was timed once is known.
package enum KernelTiming: Sendable {
  case never
  /// For the shapes that a model is opened with; others go by what is known of them, or by estimates.
  case whenOpened
  /// For any shapes, when they are first met.
  case whenMet
}
