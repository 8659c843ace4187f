/// Code from outside of the tables that computes one operation: an operation whose row the caller registers.
///
/// An operation has it once its program is loaded to run; no file holds it. The type rules, the planner and the kernel table ask it
/// where they would ask a definition, a row or a reference.
package protocol OperationCode: AnyObject, Sendable {
  /// The types of the outputs, by the contract of `OperationDefinition.TypeRule`.
  func outputTypes(_ call: Invocation) throws -> [ValueType]

  /// The outputs of a call whose every value is known. The values borrow memory: what is kept of them must be copied.
  func evaluate(_ call: Invocation, outputs: [ValueType]) throws -> [Value]
}
