/// What the runtime could not do: a stable code, and a sentence that names the file, layer or operation, what was expected and
/// what was found. The public API throws `MLModelError` with one of these beneath.
public struct RuntimeError: Error, Sendable, CustomStringConvertible {
  public struct Code: Sendable, Hashable, RawRepresentable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The file cannot be read as a model.
    public static let invalidModel = Code(rawValue: "runtime.invalid-model")
    /// The model is sound, and something in it is not supported here; the message names it.
    public static let unsupported = Code(rawValue: "runtime.unsupported")
    /// The model's type needs what only Apple's systems have; the message says what, and what can be done.
    public static let closedModelType = Code(rawValue: "runtime.closed-model-type")
    public static let invalidInput = Code(rawValue: "runtime.invalid-input")
    public static let io = Code(rawValue: "runtime.io")
    public static let device = Code(rawValue: "runtime.device")
    public static let cancelled = Code(rawValue: "runtime.cancelled")
    public static let evaluation = Code(rawValue: "runtime.evaluation")
    /// A custom layer's class is missing, threw, or gave what it must not.
    public static let customLayer = Code(rawValue: "runtime.custom-layer")
    /// The same of a custom model.
    public static let customModel = Code(rawValue: "runtime.custom-model")
  }

  public let code: Code
  public let message: String
  /// The file at fault, when one is.
  public var file: String?
  /// What the application's code threw, when it did.
  public var cause: (any Error)?

  public init(_ code: Code, _ message: String, file: String? = nil, cause: (any Error)? = nil) {
    self.cause = cause
    self.code = code
    self.message = message
    self.file = file
  }

  public var description: String { file.map { "\($0): \(message)" } ?? message }
}
