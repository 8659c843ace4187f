import CoreMLBase
import CoreMLKernels
import MIL

extension Error {
  /// Whether work met its bounds, in memory or in time. That says nothing of what the work was on, and may be otherwise the next time: it is
  /// not remembered.
  var isOfBounds: Bool {
    switch self {
    case let error as MILError: error.isOfBounds
    case let error as KernelError: error.code == .outOfMemory
    case let error as RuntimeError: error.code == .cancelled
    case let failure as DeviceFailure: failure.cause.isOfBounds
    default: false
    }
  }

  /// Whether work had too little memory: what needs less of it may go on.
  var isShortage: Bool {
    switch self {
    case let error as MILError: error.code == .outOfMemory
    case let error as KernelError: [.outOfMemory, .openCLMemory].contains(error.code)
    case let failure as DeviceFailure: failure.cause.isShortage
    default: false
    }
  }
}

/// What `body` gives, or nil where it refuses; that it was stopped, or had too little memory, is an error as it is anywhere else.
func unlessRefused<Result>(_ body: () throws -> Result) throws -> Result? {
  do { return try body() } catch {
    guard !error.isOfBounds else { throw error }
    return nil
  }
}
