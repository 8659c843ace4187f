import MIL

/// What a device could not do while a plan was made for it.
struct DeviceFailure: Error, CustomStringConvertible {
  let device: Int
  /// The operation, as the device lowered it; nil for what is no operation's fault.
  let operation: Operation?
  let cause: any Error
  /// Its rows do not take the operation after all: nothing is wrong with the device.
  var isRefusal = false

  var reason: String { "\(cause)" }
  var description: String { reason }
}
