/// What went wrong while offering, preparing or running a kernel: a stable code and a sentence.
public struct KernelError: Error, Sendable, CustomStringConvertible {
  public struct Code: Sendable, Hashable, RawRepresentable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    /// No row, not even a reference, can compute the operation.
    public static let noKernel = Code(rawValue: "kernel.none")
    /// An input's content is outside of what the operation is defined for, such as an index past the end.
    public static let invalidInput = Code(rawValue: "kernel.invalid-input")
    public static let outOfMemory = Code(rawValue: "kernel.out-of-memory")
    public static let device = Code(rawValue: "kernel.device")
  }

  public let code: Code
  public let message: String

  public init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  public var description: String { message }
}

/// Why a row does not take an operation as it stands: a sentence for `runtime plan --explain`, not a failure.
public struct Refusal: Error, Sendable, CustomStringConvertible {
  public let reason: String
  public init(_ reason: String) { self.reason = reason }
  public var description: String { reason }
}
