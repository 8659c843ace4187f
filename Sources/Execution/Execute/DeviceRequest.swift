/// The devices that a caller requests, and how to use them.
package struct DeviceRequest: Sendable {
  /// Threads of one prediction; nil for one per processor.
  package var threads: Int?
  /// Allows OpenCL GPUs.
  package var allowsGPU: Bool
  /// The `id` of the OpenCL device to use.
  package var preferredOpenCLDevice: String?
  package var allowsFusion: Bool
  /// Allows the host to compute products in bf16.
  package var allowsLowPrecision: Bool
  /// The index of the kernel to run among the host's kernels for an operation; nil for the cheapest.
  package var forcedKernel: Int?
  package var timing: KernelTiming
  /// Allows OpenCL devices to round the factors of products to fewer bits.
  package var allowsLowPrecisionOnGPU: Bool

  package init(
    threads: Int? = nil, allowsGPU: Bool, preferredOpenCLDevice: String? = nil, allowsFusion: Bool = true,
    allowsLowPrecision: Bool = false, allowsLowPrecisionOnGPU: Bool = false, forcedKernel: Int? = nil,
    timing: KernelTiming = .never
  ) {
    self.allowsLowPrecision = allowsLowPrecision
    self.allowsLowPrecisionOnGPU = allowsLowPrecisionOnGPU
    self.threads = threads
    self.allowsGPU = allowsGPU
    self.preferredOpenCLDevice = preferredOpenCLDevice
    self.allowsFusion = allowsFusion
    self.forcedKernel = forcedKernel
    self.timing = timing
  }
}

/// When to time the host's kernels on this machine, if several accept an operation, so that the fastest runs. Times are
/// measured once and kept.
package enum KernelTiming: Sendable {
  case never
  /// For the input shapes with which a model is opened. Other shapes use known times, or estimates.
  case whenOpened
  /// For any shape, at its first use.
  case whenMet
}
