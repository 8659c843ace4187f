import Foundation
import MIL

/// The tensors of a model's states, kept across predictions. Zero at first, in the type the model declares; one that nothing asks for
/// takes no memory.
package final class StateBuffers: @unchecked Sendable {  // every access holds the lock
  /// A state's memory; nil before it is asked for.
  private final class Cell {
    let type: TensorType
    var storage: TensorStorage?
    init(_ type: TensorType) { self.type = type }
  }

  private let lock = NSLock()
  private let cells: [String: Cell]
  package let types: [String: TensorType]

  package init(types: [String: TensorType]) throws {
    self.types = types
    for (name, type) in types {
      guard type.concreteShape != nil else {
        throw RuntimeError(.invalidModel, "the state '\(name)' has the unknown shape \(type)")
      }
    }
    cells = types.mapValues { Cell($0) }
  }

  /// The state's own memory, for a run that has the state to itself: nothing that was read of it before sees what is written there. It is
  /// where it is until the next `write` of the state. Takes memory only where somebody else has what was read.
  func memory(_ name: String) throws -> UnsafeMutableRawPointer {
    lock.lock()
    defer { lock.unlock() }
    let cell = try cell(name)
    if cell.storage == nil { _ = try stored(cell) }
    if isKnownUniquelyReferenced(&cell.storage), let memory = cell.storage?.mutablePointer { return memory }
    let before = try stored(cell)
    let copy = try TensorStorage(
      copying: UnsafeRawBufferPointer(start: before.pointer, count: before.byteCount), for: "a copy of a state")
    cell.storage = copy
    guard let memory = copy.mutablePointer else {
      throw RuntimeError(.evaluation, "no memory for the state '\(name)'")
    }
    return memory
  }

  package func read(_ name: String) throws -> Tensor {
    try lock.withLock {
      let cell = try cell(name)
      return try Tensor(cell.type.scalar, shape: cell.type.concreteShape ?? [], storage: stored(cell))
    }
  }

  // MARK: with the lock held

  private func cell(_ name: String) throws -> Cell {
    guard let cell = cells[name] else { throw RuntimeError(.invalidInput, "there is no state '\(name)'") }
    return cell
  }

  private func stored(_ cell: Cell) throws -> TensorStorage {
    if let storage = cell.storage { return storage }
    let storage = try TensorStorage(byteCount: cell.type.byteCount ?? 0, for: "a state of \(cell.type)")
    cell.storage = storage
    return storage
  }

  // MARK: keeping and writing

  /// What keeps the states' memory where it is now.
  var storages: [TensorStorage] { lock.withLock { cells.values.compactMap(\.storage) } }

  /// Runs `body`; where it throws, states are again what they were before. That costs memory anew for each state that is written, so
  /// that it is not done where `isCertain`.
  func keptUnlessThrown(_ isCertain: Bool, _ body: () throws -> Void) throws {
    guard !isCertain, !types.isEmpty else { return try body() }
    let before = lock.withLock { cells.mapValues { $0.storage } }
    do { try body() } catch {
      lock.withLock { for (name, cell) in cells { cell.storage = before[name].flatMap { $0 } } }
      throw error
    }
  }

  /// Replaces a state's content by `tensor`, converted to the state's type; the shape must be the state's.
  package func write(_ name: String, from tensor: Tensor) throws {
    guard let type = types[name] else { throw RuntimeError(.invalidInput, "there is no state '\(name)'") }
    guard tensor.shape == type.concreteShape else {
      throw RuntimeError(
        .invalidInput, "the state '\(name)' is \(type) and cannot take a tensor of shape \(tensor.shape)")
    }
    try tensor.converted(to: type.scalar).withUnsafeBytes { try write(name, bytes: $0) }
  }

  /// The same of the bytes of a tensor of the state's type. What nobody else has is written over: memory anew for every step of a long
  /// loop would cost more than the copy.
  func write(_ name: String, bytes: UnsafeRawBufferPointer) throws {
    lock.lock()
    defer { lock.unlock() }
    let cell = try cell(name)
    if isKnownUniquelyReferenced(&cell.storage), let memory = cell.storage?.mutablePointer,
      cell.storage?.byteCount == bytes.count
    {
      if let source = bytes.baseAddress { memory.copyMemory(from: source, byteCount: bytes.count) }
    } else {
      cell.storage = try TensorStorage(copying: bytes, for: "a state of \(cell.type)")
    }
  }
}
