import CoreMLBase
import CoreMLKernels
import CoreMLSpec
import MIL

/// What an error is of, told by its stable code. Statuses of the command and of the C interface, and what counts against a model, follow
/// from it, so that a code is sorted here and nowhere else.
package enum ErrorCause: Sendable {
  /// Values or shapes of what the caller gave.
  case inputs
  /// Memory that a limit, the machine or a device does not give.
  case memory
  /// A device that is not there, cannot be used, or fails.
  case device
  /// Whoever asked for the work had it stopped.
  case cancelled
  /// A limit of time.
  case overTime
  /// Something that a file holds and that does not run here.
  case unsupported
  /// A file that holds no model.
  case model
  /// A file that cannot be read or written.
  case files
  case other

  /// - Parameter code: `underlyingCode` of an `MLModelError`, or the code of an error beneath one.
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
  /// What the error is of.
  package var cause: ErrorCause { ErrorCause(code: underlyingCode) }
}
