import CoreMLBase
import CoreMLKernels
import Foundation
import MIL

/// The tensors of a model's states, kept across predictions. A state starts as zeros of its declared type. Its memory
/// is allocated at the first access.
///
/// A state moves to the memory of a device when steps of that device access it. It moves back when the host accesses
/// it.
package final class StateBuffers: @unchecked Sendable {  // every access holds the lock
  /// The memory of one state; nil before the first access.
  private final class Cell {
    let type: TensorType
    var storage: TensorStorage?
    /// Its memory on the device that accessed it last.
    var device: OpenCLBuffer?
    /// Its contents on that device before the current run wrote to it.
    var before: OpenCLBuffer?
    /// The queue of a failed run, whose commands may still access the memory.
    var queue: OpenCLQueue?
    /// Seconds after which the device counts as hung.
    var patience: Double?
    var newest = Newest.host
    init(_ type: TensorType) { self.type = type }
  }

  /// Where the latest contents of a state are.
  private enum Newest {
    case host, device, both
  }

  private let lock = NSLock()
  /// The states that the current run has written on a device.
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

  /// The state's own memory, for a run with exclusive use of the state. Values read earlier do not see writes to it.
  /// The address is valid until the next `write` of the state. The function allocates only if values read earlier are
  /// still in use.
  func memory(_ name: String) throws -> UnsafeMutableRawPointer {
    lock.lock()
    defer { lock.unlock() }
    let cell = try cell(name)
    if cell.storage == nil || cell.newest == .device { _ = try stored(cell) }
    // The caller may write to the memory.
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

  /// The state's memory on the device of `queue`, the counterpart of `memory(_:)` for the host. Commands of the queue
  /// see the latest contents.
  func memory(_ name: String, on queue: OpenCLQueue) throws -> OpenCLMemory {
    try lock.withLock {
      try placed(cell(name), on: queue).memory
    }
  }

  private func placed(_ cell: Cell, on queue: OpenCLQueue) throws -> OpenCLBuffer {
    if let left = cell.queue, left.context !== queue.context, cell.newest != .device {
      // No contents are needed from the other device, so what happens to its memory does not matter.
      (cell.queue, cell.device, cell.before) = (nil, nil, nil)
    }
    try settle(cell)
    if let known = cell.device, known.context === queue.context {
      if cell.newest == .host { try send(cell, to: known, queue) }
      return known
    }
    // The state was on another device. It is copied through the host.
    if cell.newest == .device { _ = try stored(cell) }
    let memory = try queue.context.makeBuffer(byteCount: cell.type.byteCount ?? 0)
    try send(cell, to: memory, queue)
    (cell.device, cell.before) = (memory, nil)
    return memory
  }

  /// Announces commands that write these states on the device of `queue`. If only the device has the current contents,
  /// a copy is made there first.
  func willBeWritten(_ names: [String], on queue: OpenCLQueue) throws {
    try lock.withLock {
      for name in names {
        let cell = try cell(name)
        // A state that is written before it is read has no memory on the device yet.
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
      // Tensors read earlier must not change.
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
    // Retry once, since the first failure may have been a temporary shortage.
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

  /// Waits for commands that a failed run has left on a queue.
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

  // MARK: saving and writing

  /// The host storage of all states. Retaining it keeps the memory valid.
  var storages: [TensorStorage] { lock.withLock { cells.values.compactMap(\.storage) } }

  /// Runs `body`, and restores the states if it throws. This allocates memory for each state that is written, so it is
  /// skipped if `isCertain`.
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

  /// Restores a state after a failed run.
  private func restore(_ cell: Cell, _ kept: Kept, _ run: (queue: OpenCLQueue, hasCopy: Bool)?) {
    cell.storage = kept.storage
    cell.queue = run?.queue ?? cell.queue
    guard kept.newest == .device else {
      // The host has the contents, whatever the device's memory contains now.
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

  /// Replaces a state's contents by `tensor`, converted to the state's type. The shape must match.
  package func write(_ name: String, from tensor: Tensor) throws {
    let type = try require(name, takes: tensor.shape)
    try tensor.converted(to: type.scalar).withUnsafeBytes { try write(name, bytes: $0) }
  }

  /// Throws if the shape does not match the state's. Returns the state's type.
  @discardableResult package func require(_ name: String, takes shape: [Int]) throws -> TensorType {
    guard let type = types[name] else { throw RuntimeError(.invalidInput, "there is no state '\(name)'") }
    guard shape == type.concreteShape else {
      throw RuntimeError(.invalidInput, "the state '\(name)' is \(type) and cannot take a tensor of shape \(shape)")
    }
    return type
  }

  /// Replaces a state's contents by bytes of the state's type. Memory without other references is overwritten in place,
  /// since an allocation in every iteration of a long loop would cost more than the copy.
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
