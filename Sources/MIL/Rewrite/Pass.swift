/// A rewrite of a function. What it gives computes the same values and holds together as what it took did (`Function.verify`); operations
/// that it makes carry the origins of those they stand for, and names that it makes up are `FreshNames`.
package protocol Pass {
  func callAsFunction(_ function: Function) throws -> Function
}

extension Function {
  /// The function after a pass. Debug builds, which tests are, verify it.
  package func after(_ pass: some Pass) throws -> Function {
    let result = try pass(self)
    #if DEBUG
      do { try result.verify() } catch let error as MILError {
        throw MILError(error.code, "after \(type(of: pass)): \(error.message)", operation: error.operation)
      }
    #endif
    return result
  }
}
