import CoreMLKernels
import MIL

/// A failure of a device while a plan is made for it or runs on it.
struct DeviceFailure: Error, CustomStringConvertible {
  let device: Int
  /// The operation as the device lowered it; nil if no operation caused the failure.
  let operation: Operation?
  let cause: any Error
  /// None of the device's kernels accepts the operation. The device itself works.
  var isRefusal = false

  /// The device has stopped answering. The planner does not try it again.
  var isFinal: Bool { (cause as? KernelError)?.code == .openCLHung }

  var reason: String { "\(cause)" }
  var description: String { reason }

  /// Runs `body`, which calls a device, and attributes its kernel errors to that device. Errors about invalid input
  /// pass through, since the device did not cause them.
  static func blaming<Result>(
    _ device: Int, _ operation: @autoclosure () -> Operation? = nil, _ body: () throws -> Result
  ) throws -> Result {
    do { return try body() } catch let error as KernelError where device != 0 && error.code != .invalidInput {
      throw DeviceFailure(device: device, operation: operation(), cause: error)
    }
  }
}
