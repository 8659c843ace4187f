import CoreMLKernels
import MIL

/// A device as the planner sees it. The first device of a plan is always the host CPU.
package struct PlanDevice: Sendable {
  package let kind: DeviceKind
  /// The profile used to compare kernels on this device.
  let profile: DeviceProfile
  /// The measured profile, if known, used to compare devices. Kernels are not compared by it, so that machines of one
  /// type always choose the same kernels.
  var measured: DeviceProfile?
  /// The caller named the device. Every operation that has a kernel there runs there, whatever the cost, without
  /// fallback.
  var isNamed = false
  /// The opened device; nil for the host.
  package var context: OpenCLContext?
  /// Bytes of device memory that a plan may use; nil for no limit.
  var memoryLimit: Int?
  /// Seconds without progress after which the device counts as hung; nil for no limit.
  var patience: Double?
  /// All its kernels read and write fp16 values directly. On other devices the planner widens all fp16 values to fp32.
  /// No device has such kernels yet. Code that adds them must set the flag where `DeviceChoice` creates the device.
  var keepsF16 = false
  /// Some of its kernels read and write fp16 values, and compute in fp32.
  var storesF16: Bool { kind == .openCL }
  /// Measured kernel times on this machine; nil to use estimates only. Host only.
  var timings: KernelTimings?
  /// Also time kernels for shapes that first occur after the model has been opened.
  var timesWhatIsMet = false
  /// The index of the kernel to run among those that accept an operation; nil for the cheapest. Set only by tests.
  var forcedKernel: Int?
  /// Kernels may round the factors of products: to bf16 on the host, to TF32 on other devices.
  var allowsLowPrecision = false

  /// The name used in messages. `number` is the device's number in the plan.
  func name(_ number: Int) -> String { context.map(\.device.id) ?? "device \(number)" }

  /// The profile used for device placement.
  var placing: DeviceProfile { measured ?? profile }

  /// Whether a state of this type may be stored in the device's memory, next to the operations that use it. The host
  /// can hold any state. Other devices hold a state only if their kernels read its elements directly. Small states stay
  /// on the host, where they survive the loss of a device.
  func canHold(state type: TensorType) -> Bool {
    guard context != nil else { return true }
    return type.byteCount ?? 0 >= Self.leastStateBytes
      && (type.scalar == .float32 || type.scalar == .float16 && storesF16)
  }

  private static let leastStateBytes = 1 << 16
}
