/// An error of work within limits: a stable code, and a sentence that says what was expected and what was found.
///
/// Memory, time and cancellation have their codes here. The module `MIL` adds the codes of programs in an extension of `Code`.
package struct LimitError: Error, Sendable, CustomStringConvertible {
  package struct Code: Sendable, Hashable, RawRepresentable {
    package let rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue }

    package static let invalidArgument = Code(rawValue: "mil.invalid-argument")
    /// A memory limit, or the system, does not grant the memory. The message names the purpose and the size.
    package static let outOfMemory = Code(rawValue: "mil.out-of-memory")
    /// The caller cancelled the work.
    package static let cancelled = Code(rawValue: "mil.cancelled")
    /// The work took longer than its time limit.
    package static let overTime = Code(rawValue: "mil.over-time")
  }

  package let code: Code
  package let message: String
  /// The operation at fault, such as `conv 'conv_1'`, if it is known.
  package var operation: String?

  package init(_ code: Code, _ message: String, operation: String? = nil) {
    self.code = code
    self.message = message
    self.operation = operation
  }

  package var description: String { operation.map { "\($0): \(message)" } ?? message }

  /// Whether the work met a limit of memory or time. Such an error says nothing about the program.
  package var isOfBounds: Bool { code == .outOfMemory || code == .cancelled || code == .overTime }
}
