import Foundation
import MIL

/// The tensors of a model's states, kept across predictions. Zero at first, in the type the model declares; one that nothing asks for
/// takes no memory.
package final class StateBuffers: @unchecked Sendable {  // every access holds the lock
  private let lock = NSLock()
  private var tensors: [String: Tensor] = [:]
  package let types: [String: TensorType]

  package init(types: [String: TensorType]) throws {
    self.types = types
    for (name, type) in types {
      guard type.concreteShape != nil else {
        throw RuntimeError(.invalidModel, "the state '\(name)' has the unknown shape \(type)")
      }
    }
  }

  package func read(_ name: String) throws -> Tensor {
    try lock.withLock {
      if let tensor = tensors[name] { return tensor }
      guard let type = types[name], let shape = type.concreteShape else {
        throw RuntimeError(.invalidInput, "there is no state '\(name)'")
      }
      let tensor = try Tensor.zeros(type.scalar, shape: shape)
      tensors[name] = tensor
      return tensor
    }
  }

  /// Replaces a state's content by `tensor`, converted to the state's type; the shape must be the state's.
  package func write(_ name: String, from tensor: Tensor) throws {
    guard let type = types[name] else { throw RuntimeError(.invalidInput, "there is no state '\(name)'") }
    guard tensor.shape == type.concreteShape else {
      throw RuntimeError(
        .invalidInput, "the state '\(name)' is \(type) and cannot take a tensor of shape \(tensor.shape)")
    }
    let given = try tensor.converted(to: type.scalar)
    try lock.withLock {
      // What nobody else has is written over: memory anew for every step of a long loop would cost more than the copy.
      if var storage = tensors.removeValue(forKey: name)?.storage, isKnownUniquelyReferenced(&storage),
        storage.byteCount == given.byteCount, let memory = storage.mutablePointer
      {
        given.withUnsafeBytes { bytes in
          if let source = bytes.baseAddress { memory.copyMemory(from: source, byteCount: bytes.count) }
        }
        tensors[name] = try Tensor(type.scalar, shape: given.shape, storage: storage)
      } else {
        tensors[name] = try Value.tensor(given).detached().tensor
      }
    }
  }
}
