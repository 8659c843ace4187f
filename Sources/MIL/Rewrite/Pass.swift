/// A rewrite of a function. What it gives computes the same values and holds together as what it took did (`Function.verify`); operations
/// that it makes carry the origins of those they stand for, and names that it makes up are `FreshNames`.
package protocol Pass {
  func callAsFunction(_ function: Function) throws -> Function
}

extension Function {
  /// The function after a pass. Debug builds, which tests are, verify it.
  package func after(_ pass: some Pass) throws -> Function {
    try pass(self).verified(after: "\(type(of: pass))")
  }

  /// The function itself. Debug builds verify what was written or rewritten, and say by what.
  package func verified(after maker: @autoclosure () -> String) throws -> Function {
    #if DEBUG
      do { try verify() } catch let error as MILError {
        throw MILError(error.code, "after \(maker()): \(error.message)", operation: error.operation)
      }
    #endif
    return self
  }
}
