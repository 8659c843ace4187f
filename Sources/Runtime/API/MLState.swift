import Foundation
import MIL

/// The state of a stateful model, kept across predictions: made by `MLModel.makeState()`, zero at first.
public final class MLState: @unchecked Sendable {  // the buffers have their own lock; `lock` keeps predictions apart
  private let buffers: StateBuffers?
  private let lock = NSRecursiveLock()

  init(_ types: [String: TensorType]) { buffers = try? StateBuffers(types: types) }

  /// Names of the states.
  public var stateNames: [String] { (buffers?.types.keys).map { $0.sorted() } ?? [] }

  func exclusively<Result>(_ body: (StateBuffers) throws -> Result) throws -> Result {
    guard let buffers else { throw RuntimeError(.invalidModel, "the model's states have no fixed shape") }
    lock.lock()
    defer { lock.unlock() }
    return try body(buffers)
  }

  /// Hands out a state's array; what `body` writes to it is the state afterwards. The array must not be used after `body` returns.
  public func withMultiArray<Result>(for stateName: String, _ body: (MLMultiArray) throws -> Result) throws -> Result {
    try exclusively { buffers in
      let (tensor, type) = try MLModelError.wrapping(.generic) {
        let tensor = try buffers.read(stateName)
        guard let type = MLMultiArrayDataType(tensor.scalar) else {
          throw RuntimeError(.unsupported, "the state '\(stateName)' holds \(tensor.scalar.rawValue)")
        }
        return (tensor, type)
      }
      let array = try MLMultiArray(tensor, as: type)
      let result = try body(array)
      try MLModelError.wrapping(.generic) { try buffers.write(stateName, from: array.tensor(as: tensor.scalar)) }
      return result
    }
  }
}
