/// An error of the runtime: a stable code, and a sentence that names the file, layer or operation, the expectation and
/// the finding. The public API throws `MLModelError` with one of these as the underlying error.
public struct RuntimeError: Error, Sendable, CustomStringConvertible {
  public struct Code: Sendable, Hashable, RawRepresentable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The file cannot be read as a model.
    public static let invalidModel = Code(rawValue: "runtime.invalid-model")
    /// The model is valid but uses an unsupported feature, which the message names.
    public static let unsupported = Code(rawValue: "runtime.unsupported")
    /// The model's type requires components that exist only on Apple's systems. The message names them and possible
    /// alternatives.
    public static let closedModelType = Code(rawValue: "runtime.closed-model-type")
    public static let invalidInput = Code(rawValue: "runtime.invalid-input")
    public static let io = Code(rawValue: "runtime.io")
    public static let device = Code(rawValue: "runtime.device")
    public static let cancelled = Code(rawValue: "runtime.cancelled")
    public static let evaluation = Code(rawValue: "runtime.evaluation")
    /// The class of a custom layer is missing, threw an error, or returned an invalid result.
    public static let customLayer = Code(rawValue: "runtime.custom-layer")
    /// The same for a custom model.
    public static let customModel = Code(rawValue: "runtime.custom-model")
  }

  public let code: Code
  public let message: String
  /// The file that caused the error, if any.
  public var file: String?
  /// The error thrown by the application's code, if any.
  public var cause: (any Error)?

  public init(_ code: Code, _ message: String, file: String? = nil, cause: (any Error)? = nil) {
    self.cause = cause
    self.code = code
    self.message = message
    self.file = file
  }

  public var description: String { file.map { "\($0): \(message)" } ?? message }
}
