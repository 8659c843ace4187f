/// Application code that computes an operation, registered by the caller.
///
/// The code is attached when a program is loaded, and is not part of any file. Type rules, the planner and the kernel
/// registry use it in place of a definition, a kernel or a reference.
package protocol OperationCode: AnyObject, Sendable {
  /// The types of the outputs, by the contract of `OperationDefinition.TypeRule`.
  func outputTypes(_ call: Invocation) throws -> [ValueType]

  /// Computes the outputs of a call with known values. The values borrow memory, so the code must copy what it keeps.
  func evaluate(_ call: Invocation, outputs: [ValueType]) throws -> [Value]
}
