import CoreMLKernels
import MIL

/// A device as planning sees it. The first of a plan's devices is always the host's CPU.
package struct PlanDevice: Sendable {
  package let kind: DeviceKind
  /// What its rows are compared by.
  let profile: DeviceProfile
  /// What it was measured to do, where that is known: what devices are compared by. Rows are not, so that one kind of machine always
  /// runs the same rows.
  var measured: DeviceProfile?
  /// The caller named the device: whatever has a row there runs there, whatever it costs, and nothing takes its place.
  var isNamed = false
  /// The device, opened; nil for the host.
  package var context: OpenCLContext?
  /// Bytes that a plan may take of its memory; nil for no limit.
  var memoryLimit: Int?
  /// Seconds without progress after which it is taken for hung; nil waits for as long as it takes.
  var patience: Double?
  /// All its rows take halves as they are. Others get every half as a single-precision value. No device's do so far: who writes such rows
  /// sets it where the device is made (`DeviceChoice`).
  var keepsF16 = false
  /// Some of its rows read and write halves, and calculate in single precision.
  var storesF16: Bool { kind == .openCL }
  /// How long its rows take on this machine; nil goes by what is estimated. The host's only.
  var timings: KernelTimings?
  /// Rows are timed for shapes that come when the model is open, too.
  var timesWhatIsMet = false
  /// The place, among the rows that take an operation, of the one that runs; nil for the cheapest. Only checks say one.
  var favouredKernel: Int?
  /// Its rows may round the factors of products: to brain floating point on the host, to TF32 elsewhere.
  var allowsLowPrecision = false

  /// What sentences call it, as the device of that number in a plan.
  func name(_ number: Int) -> String { context.map(\.device.id) ?? "device \(number)" }

  /// What placing goes by.
  var placing: DeviceProfile { measured ?? profile }

  /// Whether a state is to be in its memory where its operations are: the host's can be any, another's those whose elements its rows read as
  /// they are. Small ones stay with the host, which has them whatever becomes of a device.
  func canHold(state type: TensorType) -> Bool {
    guard context != nil else { return true }
    return type.byteCount ?? 0 >= Self.leastStateBytes
      && (type.scalar == .float32 || type.scalar == .float16 && storesF16)
  }

  private static let leastStateBytes = 1 << 16
}
