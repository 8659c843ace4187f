/// An error while a kernel is matched, prepared or run: a stable code and a sentence.
package struct KernelError: Error, Sendable, CustomStringConvertible {
  package struct Code: Sendable, Hashable, RawRepresentable {
    package let rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue }

    /// No kernel can compute the operation, not even the reference.
    package static let noKernel = Code(rawValue: "kernel.none")
    /// The content of an input is outside of the operation's domain. An example is an index past the end.
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

/// The reason why a kernel does not accept a problem. `runtime plan --explain` prints it; it is not a failure.
package struct Refusal: Error, Sendable, CustomStringConvertible {
  package let reason: String
  package init(_ reason: String) { self.reason = reason }
  package var description: String { reason }
}
