import CoreMLBase

/// An error in a program: a stable code, and a sentence that names the operation, what was expected and what was found.
///
/// It is a `LimitError` with the codes of programs, so that one `catch` handles both.
package typealias MILError = LimitError

extension MILError.Code {
  package static let syntax = Self(rawValue: "mil.syntax")
  package static let unknownOperation = Self(rawValue: "mil.unknown-operation")
  package static let invalidProgram = Self(rawValue: "mil.invalid-program")
  package static let missingArgument = Self(rawValue: "mil.missing-argument")
  /// A type rule needs the value of an argument that is only known at run time.
  package static let unknownValue = Self(rawValue: "mil.unknown-value")
  package static let invalidShape = Self(rawValue: "mil.invalid-shape")
  package static let invalidType = Self(rawValue: "mil.invalid-type")
  package static let unsupported = Self(rawValue: "mil.unsupported")
}

extension MILError {
  /// The same error, naming the operation unless an inner one is named already.
  package func at(_ operation: Operation) -> MILError {
    guard self.operation == nil else { return self }
    return MILError(code, message, operation: operation.label)
  }
}
