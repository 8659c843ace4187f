/// Which kind of row a device runs.
package enum DeviceKind: String, Sendable, Hashable, Codable, CaseIterable {
  case cpu
  case openCL
}

/// What a device can do at best, as far as costs need to know: measured once and cached, or synthetic in tests.
package struct DeviceProfile: Sendable, Hashable, Codable {
  /// Single-precision operations a second over all its units.
  package var peakFlops: Double
  /// Bytes a second from its main memory.
  package var bandwidth: Double
  /// Seconds from enqueueing a kernel to its start.
  package var launch: Double
  /// Bytes a second to and from host memory, and seconds one transfer costs however small. Zero cost on the CPU.
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

  /// A modest core, until measured.
  package static func cpu(threads: Int) -> DeviceProfile {
    DeviceProfile(peakFlops: 60e9 * Double(max(threads, 1)), bandwidth: 16e9, launch: 0.2e-6)
  }

  /// A device that has not been measured: slower than any CPU, so that nothing moves there by guesswork.
  package static let unmeasured = DeviceProfile(
    peakFlops: 1e9, bandwidth: 1e9, launch: 20e-6, transferBandwidth: 1e9, transferLatency: 20e-6)

  /// A discrete GPU of some years ago. Rows of a GPU that is named are compared by it, so that they are the same on every machine.
  package static let gpu = DeviceProfile(
    peakFlops: 15e12, bandwidth: 600e9, launch: 4e-6, transferBandwidth: 12e9, transferLatency: 10e-6)

  /// Seconds to move `bytes` between this device and the host.
  package func transfer(bytes: Double) -> Double { transferLatency + bytes / transferBandwidth }
}
