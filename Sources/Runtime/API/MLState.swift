import CoreMLBase
import CoreMLExecution
import CoreMLKernels
import Foundation
import MIL

/// The state of a stateful model, kept across predictions: made by `MLModel.makeState()`, zero at first.
// Sendable: the buffers have their own lock; `lock` keeps predictions apart
public final class MLState: NSObject, @unchecked Sendable {
  private let buffers: StateBuffers?
  private let lock = NSRecursiveLock()

  init(_ types: [String: TensorType]) {
    buffers = try? StateBuffers(types: types)
    super.init()
  }

  /// Names of the states.
  public var stateNames: [String] { (buffers?.types.keys).map { $0.sorted() } ?? [] }

  func exclusively<Result>(_ body: (StateBuffers) throws -> Result) throws -> Result {
    guard let buffers else { throw RuntimeError(.invalidModel, "the model's states have no fixed shape") }
    lock.lock()
    defer { lock.unlock() }
    return try body(buffers)
  }

  /// Hands out a state's array; what `body` writes to it is the state afterwards. The array must not be used after `body` returns.
  ///
  /// - Precondition: the model has a state of that name (`MLModelDescription.stateDescriptionsByName`), of numbers that a
  ///   multi-array can hold.
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

  /// What a device that answers no more has kept for itself is lost: nobody is to take other numbers for it.
  private func numbers(of name: String, _ buffers: StateBuffers) -> Tensor? {
    do { return try buffers.read(name) } catch let error as KernelError {
      guard let type = buffers.types[name], type.scalar.isFloat, let shape = type.concreteShape else { return nil }
      DeviceManager.shared.warn("the numbers of the state '\(name)' are lost, NaN stands for them: \(error.message)")
      return try? Tensor(type.scalar, shape: shape, doubles: Array(repeating: .nan, count: shape.reduce(1, *)))
    } catch { return nil }
  }

  /// Hands out a state's array under the name that this method had first.
  @available(*, deprecated, renamed: "withMultiArray(for:_:)")
  public func withMultiArray<Result>(_ stateName: String, _ body: (MLMultiArray) throws -> Result) rethrows -> Result {
    try withMultiArray(for: stateName, body)
  }

  /// Hands out a state's array under the name that this method had before its closure lost its label.
  @available(*, deprecated, message: "use withMultiArray(for:_:)")
  @_disfavoredOverload
  public func withMultiArray<Result>(for stateName: String, body: (MLMultiArray) throws -> Result) rethrows -> Result {
    try withMultiArray(for: stateName, body)
  }
}
