import CoreMLKernels
import MIL

/// What a device could not do while a plan was made for it or run on it.
struct DeviceFailure: Error, CustomStringConvertible {
  let device: Int
  /// The operation, as the device lowered it; nil for what is no operation's fault.
  let operation: Operation?
  let cause: any Error
  /// Its rows do not take the operation after all: nothing is wrong with the device.
  var isRefusal = false

  /// The device has stopped answering: it is not tried again.
  var isFinal: Bool { (cause as? KernelError)?.code == .openCLHung }

  var reason: String { "\(cause)" }
  var description: String { reason }

  /// Runs `body`, which asks something of a device. A fault of what was given to it is not the device's.
  static func blaming<Result>(
    _ device: Int, _ operation: @autoclosure () -> Operation? = nil, _ body: () throws -> Result
  ) throws -> Result {
    do { return try body() } catch let error as KernelError where device != 0 && error.code != .invalidInput {
      throw DeviceFailure(device: device, operation: operation(), cause: error)
    }
  }
}
