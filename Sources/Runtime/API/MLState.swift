import CoreMLBase
import CoreMLExecution
import CoreMLKernels
import Foundation
import MIL

/// The state of a stateful model, kept across predictions. `MLModel.makeState()` creates it, filled with zeros.
// Sendable: the buffers have their own lock; `lock` serializes predictions
public final class MLState: NSObject, @unchecked Sendable {
  private let buffers: StateBuffers?
  private let lock = NSRecursiveLock()

  init(_ types: [String: TensorType]) {
    buffers = try? StateBuffers(types: types)
    super.init()
  }

  /// The names of the states, sorted.
  public var stateNames: [String] { (buffers?.types.keys).map { $0.sorted() } ?? [] }

  func exclusively<Result>(_ body: (StateBuffers) throws -> Result) throws -> Result {
    guard let buffers else { throw RuntimeError(.invalidModel, "the model's states have no fixed shape") }
    lock.lock()
    defer { lock.unlock() }
    return try body(buffers)
  }

  /// Calls `body` with the array of a state. Changes that `body` makes to the array become the new state. The array
  /// must not be used after `body` returns.
  ///
  /// - Precondition: the model has a state of that name (`MLModelDescription.stateDescriptionsByName`), with elements
  ///   that a multi-array can hold.
  public func withMultiArray<Result>(
    for stateName: String, _ body: (MLMultiArray) throws -> Result
  ) rethrows -> Result {
    lock.lock()
    defer { lock.unlock() }
    guard let buffers, let tensor = numbers(of: stateName, buffers), let type = MLMultiArrayDataType(tensor.scalar),
      let array = try? MLMultiArray(tensor, as: type)
    else { preconditionFailure("the model has no state '\(stateName)' that is a multi-array") }
    defer {
      do { try buffers.write(stateName, from: array.tensor(as: tensor.scalar)) } catch {
        preconditionFailure("the state '\(stateName)' cannot be written: \(error)")
      }
    }
    return try body(array)
  }

  /// If a device fails, the contents that were stored only there are lost. NaN replaces them, so that stale values are
  /// not mistaken for the state.
  private func numbers(of name: String, _ buffers: StateBuffers) -> Tensor? {
    do { return try buffers.read(name) } catch let error as KernelError {
      guard let type = buffers.types[name], type.scalar.isFloat, let shape = type.concreteShape else { return nil }
      DeviceManager.shared.warn("the elements of the state '\(name)' are lost and replaced by NaN: \(error.message)")
      return try? Tensor(type.scalar, shape: shape, doubles: Array(repeating: .nan, count: shape.reduce(1, *)))
    } catch { return nil }
  }

  /// Deprecated name of `withMultiArray(for:_:)`.
  @available(*, deprecated, renamed: "withMultiArray(for:_:)")
  public func withMultiArray<Result>(_ stateName: String, _ body: (MLMultiArray) throws -> Result) rethrows -> Result {
    try withMultiArray(for: stateName, body)
  }

  /// Deprecated form of `withMultiArray(for:_:)` with a label for the closure.
  @available(*, deprecated, message: "use withMultiArray(for:_:)")
  @_disfavoredOverload
  public func withMultiArray<Result>(for stateName: String, body: (MLMultiArray) throws -> Result) rethrows -> Result {
    try withMultiArray(for: stateName, body)
  }
}
