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

  /// The state's own memory, for a run that has the state to itself: nothing that was read of it before sees what is written there. It is
  /// where it is until the next `write` of the state.
  func memory(_ name: String) throws -> UnsafeMutableRawPointer {
    try lock.withLock {
      let type = try stored(name).type
      guard var storage = tensors.removeValue(forKey: name)?.storage else {
        throw RuntimeError(.invalidInput, "there is no state '\(name)'")
      }
      if storage.mutablePointer == nil || !isKnownUniquelyReferenced(&storage) {
        storage = try TensorStorage(copying: UnsafeRawBufferPointer(start: storage.pointer, count: storage.byteCount))
      }
      tensors[name] = try Tensor(type.scalar, shape: type.concreteShape ?? [], storage: storage)
      guard let memory = storage.mutablePointer else {
        throw RuntimeError(.evaluation, "no memory for the state '\(name)'")
      }
      return memory
    }
  }

  package func read(_ name: String) throws -> Tensor { try lock.withLock { try stored(name) } }

  /// Call with the lock held.
  private func stored(_ name: String) throws -> Tensor {
    if let tensor = tensors[name] { return tensor }
    guard let type = types[name], let shape = type.concreteShape else {
      throw RuntimeError(.invalidInput, "there is no state '\(name)'")
    }
    let tensor = try Tensor.zeros(type.scalar, shape: shape)
    tensors[name] = tensor
    return tensor
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
