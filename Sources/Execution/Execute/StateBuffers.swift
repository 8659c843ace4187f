import CoreMLBase
import CoreMLKernels
import Foundation
import MIL

/// The tensors of a model's states, kept across predictions. Zero at first, in the type the model declares; one that nothing asks for
/// takes no memory.
///
/// A state that a device's steps read and write is in that device's memory from then on: it is brought back when something of the host's asks
/// for it, and taken there again when the device does.
package final class StateBuffers: @unchecked Sendable {  // every access holds the lock
  /// A state's memory; nil before it is asked for.
  private final class Cell {
    let type: TensorType
    var storage: TensorStorage?
    /// Its memory on the device that had it last.
    var device: OpenCLBuffer?
    /// What it was there before the run at hand wrote to it.
    var before: OpenCLBuffer?
    /// A queue whose commands may be at work on it still: that of a run that did not end well.
    var queue: OpenCLQueue?
    /// Seconds after which its device is taken for hung.
    var patience: Double?
    var newest = Newest.host
    init(_ type: TensorType) { self.type = type }
  }

  /// Where a state is as it was written last.
  private enum Newest {
    case host, device, both
  }

  private let lock = NSLock()
  /// What the run at hand has written to on a device.
  private var written: [String: (queue: OpenCLQueue, hasCopy: Bool)] = [:]
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
    if cell.storage == nil || cell.newest == .device { _ = try stored(cell) }
    // It may be written to.
    cell.newest = .host
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

  // MARK: on a device

  /// The state's own memory on a queue's device, as `memory` has that of the host. Commands of the queue find there what was written last.
  func memory(_ name: String, on queue: OpenCLQueue) throws -> OpenCLMemory {
    try lock.withLock {
      try placed(cell(name), on: queue).memory
    }
  }

  private func placed(_ cell: Cell, on queue: OpenCLQueue) throws -> OpenCLBuffer {
    if let left = cell.queue, left.context !== queue.context, cell.newest != .device {
      // Whatever becomes of what another device had, nobody needs it.
      (cell.queue, cell.device, cell.before) = (nil, nil, nil)
    }
    try settle(cell)
    if let known = cell.device, known.context === queue.context {
      if cell.newest == .host { try send(cell, to: known, queue) }
      return known
    }
    // Another device had it: it comes by way of the host.
    if cell.newest == .device { _ = try stored(cell) }
    let memory = try queue.context.makeBuffer(byteCount: cell.type.byteCount ?? 0)
    try send(cell, to: memory, queue)
    (cell.device, cell.before) = (memory, nil)
    return memory
  }

  /// Tells that commands which write to these states on a queue's device follow. What only that device has is kept there first.
  func willBeWritten(_ names: [String], on queue: OpenCLQueue) throws {
    try lock.withLock {
      for name in names {
        let cell = try cell(name)
        // What is written without having been read before has no memory there yet.
        let device = try placed(cell, on: queue)
        if cell.newest == .device {
          let known = cell.before.flatMap { $0.context === queue.context ? $0 : nil }
          let before = try known ?? queue.context.makeBuffer(byteCount: device.byteCount)
          cell.before = before
          try queue.copy(device.memory, to: before.memory)
        }
        written[name] = (queue, hasCopy: cell.newest == .device)
        (cell.newest, cell.patience) = (.device, queue.patience)
      }
    }
  }

  private func send(_ cell: Cell, to memory: OpenCLBuffer, _ queue: OpenCLQueue) throws {
    if let storage = cell.storage {
      try queue.write(UnsafeRawBufferPointer(start: storage.pointer, count: storage.byteCount), to: memory.memory)
      cell.newest = .both
    } else {
      try queue.zero(memory.memory)
      cell.newest = .device
    }
  }

  // MARK: with the lock held

  private func cell(_ name: String) throws -> Cell {
    guard let cell = cells[name] else { throw RuntimeError(.invalidInput, "there is no state '\(name)'") }
    return cell
  }

  private func stored(_ cell: Cell) throws -> TensorStorage {
    if cell.newest == .device, let device = cell.device {
      // What was read before stays as it was.
      if !isKnownUniquelyReferenced(&cell.storage) { cell.storage = nil }
      let storage = try cell.storage ?? fresh(cell)
      cell.storage = storage
      if let target = storage.mutablePointer {
        try fetch(cell, device, into: UnsafeMutableRawBufferPointer(start: target, count: storage.byteCount))
      }
      cell.newest = .both
      return storage
    }
    if let storage = cell.storage { return storage }
    let storage = try fresh(cell)
    cell.storage = storage
    return storage
  }

  private func fetch(_ cell: Cell, _ device: OpenCLBuffer, into bytes: UnsafeMutableRawBufferPointer) throws {
    var last: KernelError?
    // What fails once may have been short of something.
    for _ in 0..<2 {
      do {
        try settle(cell)
        let queue = try device.context.makeQueue(patience: cell.patience)
        try queue.read(device.memory, into: bytes, wait: false)
        _ = try queue.hasEnded(unless: { false })
        return try queue.finish()
      } catch let error as KernelError { last = error }
    }
    guard let last else { return }
    throw KernelError(
      last.code,
      "a state of \(cell.type) is in the memory of \(device.device.id), which does not give it back: \(last.message)")
  }

  /// Waits for what a run has left at work.
  private func settle(_ cell: Cell) throws {
    guard let queue = cell.queue else { return }
    try queue.context.requireAlive()
    if queue.patience != nil { _ = try queue.hasEnded(unless: { false }) }
    queue.drain()
    cell.queue = nil
  }

  private func fresh(_ cell: Cell) throws -> TensorStorage {
    try TensorStorage(byteCount: cell.type.byteCount ?? 0, for: "a state of \(cell.type)")
  }

  // MARK: keeping and writing

  /// What keeps the states' memory where it is now.
  var storages: [TensorStorage] { lock.withLock { cells.values.compactMap(\.storage) } }

  /// Runs `body`; where it throws, states are again what they were before. That costs memory anew for each state that is written, so
  /// that it is not done where `isCertain`.
  func keptUnlessThrown(_ isCertain: Bool, _ body: () throws -> Void) throws {
    guard !isCertain, !types.isEmpty else { return try body() }
    let before = lock.withLock {
      written = [:]
      return cells.mapValues { Kept(storage: $0.storage, device: $0.device, newest: $0.newest) }
    }
    do { try body() } catch {
      lock.withLock { for (name, cell) in cells { before[name].map { restore(cell, $0, written[name]) } } }
      throw error
    }
    lock.withLock { written = [:] }
  }

  /// Lets a state be what it was before a run that did not end well.
  private func restore(_ cell: Cell, _ kept: Kept, _ run: (queue: OpenCLQueue, hasCopy: Bool)?) {
    cell.storage = kept.storage
    cell.queue = run?.queue ?? cell.queue
    guard kept.newest == .device else {
      // The host has it, whatever the device has now.
      cell.newest = run == nil && cell.device === kept.device ? kept.newest : .host
      return
    }
    cell.newest = .device
    if run?.hasCopy == true, cell.device === kept.device {
      swap(&cell.device, &cell.before)
    } else if cell.device !== kept.device {
      (cell.device, cell.before) = (kept.device, nil)
    }
  }

  private struct Kept {
    let storage: TensorStorage?
    let device: OpenCLBuffer?
    let newest: Newest
  }

  /// Replaces a state's content by `tensor`, converted to the state's type; the shape must be the state's.
  package func write(_ name: String, from tensor: Tensor) throws {
    let type = try require(name, takes: tensor.shape)
    try tensor.converted(to: type.scalar).withUnsafeBytes { try write(name, bytes: $0) }
  }

  /// Refuses a shape that is not the state's; gives the state's type.
  @discardableResult package func require(_ name: String, takes shape: [Int]) throws -> TensorType {
    guard let type = types[name] else { throw RuntimeError(.invalidInput, "there is no state '\(name)'") }
    guard shape == type.concreteShape else {
      throw RuntimeError(.invalidInput, "the state '\(name)' is \(type) and cannot take a tensor of shape \(shape)")
    }
    return type
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
    cell.newest = .host
  }
}
