/// What is asked of devices.
package struct DeviceRequest: Sendable {
  /// Threads of one prediction; nil for one a core.
  package var threads: Int?
  /// The first OpenCL GPU may be used.
  package var allowsGPU: Bool
  /// The `id` of an OpenCL device that is to be used.
  package var preferredOpenCLDevice: String?
  package var allowsFusion: Bool

  package init(threads: Int? = nil, allowsGPU: Bool, preferredOpenCLDevice: String? = nil, allowsFusion: Bool = true) {
    self.threads = threads
    self.allowsGPU = allowsGPU
    self.preferredOpenCLDevice = preferredOpenCLDevice
    self.allowsFusion = allowsFusion
  }
}
