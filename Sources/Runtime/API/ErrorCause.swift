import CoreMLBase
import CoreMLKernels
import CoreMLSpec
import MIL

/// The class of an error, derived from its stable code. It determines the exit status of the command, the status of the
/// C API, and whether an error counts against a model. This is the only place that classifies codes.
package enum ErrorCause: Sendable {
  /// A value or shape that the caller passed is invalid.
  case inputs
  /// A limit, the machine or a device does not provide the memory.
  case memory
  /// A device is missing, cannot be used, or fails.
  case device
  /// The caller cancelled the work.
  case cancelled
  /// A time limit was exceeded.
  case overTime
  /// A model file uses something that this runtime does not support.
  case unsupported
  /// A file is not a model.
  case model
  /// A file cannot be read or written.
  case files
  case other

  /// - Parameter code: `underlyingCode` of an `MLModelError`, or the code of an error that it wraps.
  package init(code: String) { self = Self.known[code] ?? .other }

  private static let known: [String: ErrorCause] = {
    var known: [String: ErrorCause] = [:]
    func sort(_ cause: ErrorCause, _ codes: [String]) { for code in codes { known[code] = cause } }
    func runtime(_ codes: RuntimeError.Code...) -> [String] { codes.map(\.rawValue) }
    func mil(_ codes: MILError.Code...) -> [String] { codes.map(\.rawValue) }
    func kernel(_ codes: KernelError.Code...) -> [String] { codes.map(\.rawValue) }
    sort(.inputs, runtime(.invalidInput, .evaluation) + mil(.invalidShape, .invalidType, .invalidArgument))
    sort(.inputs, kernel(.invalidInput))
    sort(.memory, mil(.outOfMemory) + kernel(.outOfMemory, .openCLMemory))
    sort(
      .device,
      runtime(.device) + kernel(.device, .openCLUnavailable, .openCLBuild, .openCLCall, .openCLLaunch, .openCLHung))
    sort(.cancelled, runtime(.cancelled) + mil(.cancelled))
    sort(.overTime, mil(.overTime))
    sort(.unsupported, runtime(.unsupported, .closedModelType) + mil(.unsupported, .unknownOperation))
    sort(.unsupported, kernel(.noKernel))
    sort(.model, runtime(.invalidModel))
    sort(.files, runtime(.io))
    sort(.files, [SpecError.Code.unreadable, .unwritable, .notAFile].map(\.rawValue))
    return known
  }()
}

extension MLModelError {
  /// The class of the error.
  package var cause: ErrorCause { ErrorCause(code: underlyingCode) }
}
