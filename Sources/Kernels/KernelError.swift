/// What went wrong while offering, preparing or running a kernel: a stable code and a sentence.
package struct KernelError: Error, Sendable, CustomStringConvertible {
  package struct Code: Sendable, Hashable, RawRepresentable {
    package let rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue }

    /// No row, not even a reference, can compute the operation.
    package static let noKernel = Code(rawValue: "kernel.none")
    /// An input's content is outside of what the operation is defined for, such as an index past the end.
    package static let invalidInput = Code(rawValue: "kernel.invalid-input")
    package static let outOfMemory = Code(rawValue: "kernel.out-of-memory")
    package static let device = Code(rawValue: "kernel.device")
  }

  package let code: Code
  package let message: String

  package init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  package var description: String { message }
}

/// Why a row does not take an operation as it stands: a sentence for `runtime plan --explain`, not a failure.
package struct Refusal: Error, Sendable, CustomStringConvertible {
  package let reason: String
  package init(_ reason: String) { self.reason = reason }
  package var description: String { reason }
}
