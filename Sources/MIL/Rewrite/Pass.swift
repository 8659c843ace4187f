/// A rewrite of a function. The result must compute the same values and be valid (`Function.verify`) if the input is.
/// New operations must have the origins of those that they replace, and new names must come from `FreshNames`.
package protocol Pass {
  func callAsFunction(_ function: Function) throws -> Function
}

extension Function {
  /// The function after a pass. Debug builds, which tests use, verify it.
  package func after(_ pass: some Pass) throws -> Function {
    try pass(self).verified(after: "\(type(of: pass))")
  }

  /// The function itself. Debug builds verify it, and name `maker` in errors.
  package func verified(after maker: @autoclosure () -> String) throws -> Function {
    #if DEBUG
      do { try verify() } catch let error as MILError {
        throw MILError(error.code, "after \(maker()): \(error.message)", operation: error.operation)
      }
    #endif
    return self
  }
}
