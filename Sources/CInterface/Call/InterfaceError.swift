import CCoreMLRuntime
import CoreMLBase
import CoreMLImages
import CoreMLRuntime

/// An error in the call itself, found before any model runs.
struct InterfaceError: Error, CustomStringConvertible {
  enum Code: String {
    /// An argument that must not be null is null.
    case null = "interface.null"
    /// A handle has another type than the function expects.
    case handle = "interface.handle"
    /// A string is not UTF-8.
    case text = "interface.text"
    /// A number, a key or a word is not one of the allowed values.
    case value = "interface.value"
    /// No entry has the given name or index.
    case missing = "interface.missing"
    /// A value has another kind than the function reads.
    case kind = "interface.kind"
    /// Memory is too small for its contents, or is not aligned.
    case size = "interface.size"
    /// The call comes in the wrong order, such as a second run of a training.
    case order = "interface.order"
    case memory = "interface.no-memory"
    case cancelled = "interface.cancelled"
  }

  let code: Code
  let message: String

  init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  var description: String { message }

  var status: Int {
    switch code {
    case .memory: COREML_NO_MEMORY
    case .cancelled: COREML_CANCELLED
    default: COREML_INVALID_ARGUMENT
    }
  }
}

/// An error in the form that C reads.
final class ErrorHandle: Handle {
  override class var typeName: String { "coreml_error" }

  let status: coreml_status
  let code: UnsafePointer<CChar>
  let message: UnsafePointer<CChar>
  private let memory = KeptMemory()

  init(_ error: any Error) {
    let (status, code, message) = Self.parts(error)
    self.status = coreml_status(status)
    self.code = memory.text(code)
    self.message = memory.text(message)
  }

  private static func parts(_ error: any Error) -> (status: Int, code: String, message: String) {
    switch error {
    case let error as InterfaceError: (error.status, error.code.rawValue, error.message)
    case let error as MLModelError: (status(error), code(error), error.message)
    case let error as ImageError: (status(error), error.code.rawValue, error.message)
    default: (COREML_FAILED, "runtime.generic", "\(error)")
    }
  }

  /// Cancellation has one code, whether a kernel's loop or the following step detected it.
  private static func code(_ error: MLModelError) -> String {
    error.cause == .cancelled ? RuntimeError.Code.cancelled.rawValue : error.underlyingCode
  }

  private static func status(_ error: MLModelError) -> Int {
    switch error.cause {
    case .cancelled, .overTime: return COREML_CANCELLED
    case .unsupported: return COREML_UNSUPPORTED
    case .device: return COREML_DEVICE
    case .memory: return COREML_NO_MEMORY
    case .model: return COREML_INVALID_MODEL
    case .files: return COREML_IO
    case .inputs, .other: break
    }
    switch error.code {
    case .featureType: return COREML_INVALID_INPUT
    // For example a function that the model does not have.
    case .generic where error.underlyingCode == "runtime.invalid-input": return COREML_INVALID_INPUT
    case .io: return COREML_INVALID_MODEL
    case .update: return COREML_UPDATE
    case .parameters: return COREML_PARAMETER
    case .predictionCancelled: return COREML_CANCELLED
    case .modelDecryption, .modelDecryptionKeyFetch: return COREML_UNSUPPORTED
    default: return COREML_FAILED
    }
  }

  private static func status(_ error: ImageError) -> Int {
    switch error.code {
    case .io: COREML_IO
    case .unsupported: COREML_UNSUPPORTED
    case .outOfMemory: COREML_NO_MEMORY
    default: COREML_INVALID_INPUT
    }
  }
}
