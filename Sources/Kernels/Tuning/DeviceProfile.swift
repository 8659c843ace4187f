/// The kind of kernels that a device runs.
package enum DeviceKind: String, Sendable, Hashable, Codable, CaseIterable {
  case cpu
  case openCL
}

/// The peak rates of a device that the cost model needs. They are measured once and cached, or synthetic in tests.
package struct DeviceProfile: Sendable, Hashable, Codable {
  /// fp32 operations a second over all units.
  package var peakFlops: Double
  /// Bytes a second from its main memory.
  package var bandwidth: Double
  /// Seconds between enqueueing a kernel and its start.
  package var launch: Double
  /// Bytes a second to and from host memory, and the fixed seconds of a transfer. Transfers cost nothing on the CPU.
  package var transferBandwidth: Double
  package var transferLatency: Double

  package init(
    peakFlops: Double, bandwidth: Double, launch: Double, transferBandwidth: Double = .infinity,
    transferLatency: Double = 0
  ) {
    self.peakFlops = peakFlops
    self.bandwidth = bandwidth
    self.launch = launch
    self.transferBandwidth = transferBandwidth
    self.transferLatency = transferLatency
  }

  /// Default for a modest core, used until a measurement exists.
  package static func cpu(threads: Int) -> DeviceProfile {
    DeviceProfile(peakFlops: 60e9 * Double(max(threads, 1)), bandwidth: 16e9, launch: 0.2e-6)
  }

  /// A device that has not been measured. It is slower than any CPU, so the planner moves no work there.
  package static let unmeasured = DeviceProfile(
    peakFlops: 1e9, bandwidth: 1e9, launch: 20e-6, transferBandwidth: 1e9, transferLatency: 20e-6)

  /// A discrete GPU of some years ago. For a GPU that is selected by name the planner compares kernels with this
  /// profile, so that it picks the same kernels on every machine.
  package static let gpu = DeviceProfile(
    peakFlops: 15e12, bandwidth: 600e9, launch: 4e-6, transferBandwidth: 12e9, transferLatency: 10e-6)

  /// Seconds to move `bytes` between this device and the host.
  package func transfer(bytes: Double) -> Double { transferLatency + bytes / transferBandwidth }
}
