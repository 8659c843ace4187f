import CoreMLBase
import CoreMLKernels
import MIL

extension Error {
  /// Whether the work was cancelled or ran out of memory. Such an error says nothing about the input and must not be
  /// cached, since the next attempt may succeed.
  var isOfBounds: Bool {
    switch self {
    case let error as MILError: error.isOfBounds
    case let error as KernelError: error.code == .outOfMemory
    case let error as RuntimeError: error.code == .cancelled
    case let failure as DeviceFailure: failure.cause.isOfBounds
    default: false
    }
  }

  /// Whether the work ran out of memory. An alternative with a smaller footprint may still succeed.
  var isShortage: Bool {
    switch self {
    case let error as MILError: error.code == .outOfMemory
    case let error as KernelError: [.outOfMemory, .openCLMemory].contains(error.code)
    case let failure as DeviceFailure: failure.cause.isShortage
    default: false
    }
  }
}

/// The result of `body`, or nil if it throws. Cancellation and lack of memory are rethrown.
func unlessRefused<Result>(_ body: () throws -> Result) throws -> Result? {
  do { return try body() } catch {
    guard !error.isOfBounds else { throw error }
    return nil
  }
}
