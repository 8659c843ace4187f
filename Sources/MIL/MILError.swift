/// What is wrong with a program: a stable code, and a sentence that names the operation, what was expected and what was found.
public struct MILError: Error, Sendable, CustomStringConvertible {
  public struct Code: Sendable, Hashable, RawRepresentable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let syntax = Code(rawValue: "mil.syntax")
    public static let unknownOperation = Code(rawValue: "mil.unknown-operation")
    public static let invalidProgram = Code(rawValue: "mil.invalid-program")
    public static let invalidArgument = Code(rawValue: "mil.invalid-argument")
    public static let missingArgument = Code(rawValue: "mil.missing-argument")
    /// A type rule needs the value of an argument that is only known at run time.
    public static let unknownValue = Code(rawValue: "mil.unknown-value")
    public static let invalidShape = Code(rawValue: "mil.invalid-shape")
    public static let invalidType = Code(rawValue: "mil.invalid-type")
    public static let unsupported = Code(rawValue: "mil.unsupported")
    /// Memory that a limit, or the machine, does not give; the message says what for, and how much.
    public static let outOfMemory = Code(rawValue: "mil.out-of-memory")
    /// Whoever started the work told it to stop.
    public static let cancelled = Code(rawValue: "mil.cancelled")
    /// The work took longer than its limit of time.
    public static let overTime = Code(rawValue: "mil.over-time")
  }

  public let code: Code
  public let message: String
  /// The operation at fault, such as `conv 'conv_1'`, once known.
  public var operation: String?

  public init(_ code: Code, _ message: String, operation: String? = nil) {
    self.code = code
    self.message = message
    self.operation = operation
  }

  public var description: String { operation.map { "\($0): \(message)" } ?? message }

  /// Whether the work met its bounds, in memory or in time: that says nothing of the program.
  public var isOfBounds: Bool { code == .outOfMemory || code == .cancelled || code == .overTime }

  /// The same error, naming the operation unless an inner one is named already.
  public func at(_ operation: Operation) -> MILError {
    guard self.operation == nil else { return self }
    return MILError(code, message, operation: operation.label)
  }
}
