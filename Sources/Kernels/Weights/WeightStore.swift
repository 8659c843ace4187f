import CKernels
import Foundation
import MIL

/// The packed, decoded and uploaded weights of one model. Each is made once and shared by all plans of all shapes, and
/// lives while any plan uses it.
package final class WeightStore: @unchecked Sendable {  // tables are protected by the lock
  private struct Key: Hashable {
    let weight: String
    /// Nil: the dense tensor.
    let recipe: PackingRecipe?
    let instructionSet: String
    /// The device context that owns the memory. Nil: host memory.
    var context: ObjectIdentifier?
  }

  /// Keeps the weight alive, because the key uses its address, which must not be reused.
  private struct Held {
    let weights: [StoredWeight]
    weak var object: AnyObject?
  }

  /// The identity of the model's weight file, and the cache in which packed weights outlive the process.
  private let file: (identity: String, cache: ArtifactCache)?
  private let flight = SingleFlight<Key>()
  private let lock = NSLock()
  private var held: [Key: Held] = [:]
  private var made = 0
  private var uploaded = 0
  /// When this many objects are held, entries that no plan uses any more are removed.
  private var sweep = 64

  /// Bytes. Packing a smaller weight is faster than a lookup on disk.
  private static let smallest = 1 << 20

  /// - Parameter file: the identity of the model's weight file, if the file does not change, and the cache for packed
  ///   weights.
  package init(file: (identity: String, cache: ArtifactCache)? = nil) { self.file = file }

  /// How many packed or decoded weights this store has made. Those found in the cache do not count.
  package var madeCount: Int { lock.withLock { made } }

  /// How many constants were copied to devices.
  package var uploadCount: Int { lock.withLock { uploaded } }

  /// Bytes of host memory of the weights in use.
  package var byteCount: Int {
    lock.withLock {
      held.values.reduce(0) { sum, held in
        sum + ((held.object as? PackedMemory)?.byteCount ?? (held.object as? TensorStorage)?.byteCount ?? 0)
      }
    }
  }

  /// Evicts the weights in use from the CPU caches, for timing the kernels that read them.
  func forgetCaches() {
    for held in lock.withLock({ Array(held.values) }) {
      if let memory = held.object as? PackedMemory { ck_forget(memory.pointer, memory.byteCount) }
      if let memory = held.object as? TensorStorage { ck_forget(memory.pointer, memory.byteCount) }
    }
  }

  /// Bytes of device memory of the constants in use.
  package var deviceByteCount: Int {
    lock.withLock { held.values.reduce(0) { $0 + (($1.object as? OpenCLBuffer)?.byteCount ?? 0) } }
  }

  // MARK: packed and uploaded weights

  /// See `Preparation.packed`.
  func packed(
    _ weight: StoredWeight, _ recipe: PackingRecipe, _ pack: (UnsafeMutableRawBufferPointer) throws -> Void
  ) throws -> PackedMemory {
    let identity = WeightIdentity(weight)
    let key = Key(weight: identity.local, recipe: recipe, instructionSet: InstructionSet.name)
    return try flight.value(for: key) {
      find(key)
    } make: {
      let name = recipe.byteCount < Self.smallest ? nil : lastingName(identity, recipe, key.instructionSet)
      if let name, let memory = file?.cache.load(name, byteCount: recipe.byteCount) {
        keep(memory, [weight], key, isMade: false)
        return memory
      }
      var memory = try PackedMemory.filled(
        byteCount: recipe.byteCount, isSecret: weight.tensors.contains { $0.storage.isSecret }, pack)
      for tensor in weight.tensors { tensor.storage.releasePages() }
      if let name, let kept = file?.cache.save(memory, name) { memory = kept }
      keep(memory, [weight], key, isMade: true)
      return memory
    }
  }

  /// A tensor that combines several weights. The parameters of `recipe` define which parts go where; `fill` writes
  /// them.
  package func joined(
    _ weights: [StoredWeight], _ recipe: PackingRecipe, _ scalar: ScalarType, shape: [Int],
    _ fill: (UnsafeMutableRawBufferPointer) throws -> Void
  ) throws -> Tensor {
    let identity = weights.map { WeightIdentity($0).local }.joined(separator: " ")
    let key = Key(weight: identity, recipe: recipe, instructionSet: "")
    let memory: PackedMemory = try flight.value(for: key) {
      find(key)
    } make: {
      let memory = try PackedMemory.filled(byteCount: recipe.byteCount, fill)
      for tensor in weights.flatMap(\.tensors) { tensor.storage.releasePages() }
      keep(memory, weights, key, isMade: true)
      return memory
    }
    return try Tensor(
      scalar, shape: shape,
      storage: TensorStorage(borrowing: memory.pointer, byteCount: memory.byteCount, owner: memory))
  }

  /// The weight, dense, in device memory: uploaded once for all plans. The memory keeps the context alive.
  package func memory(of weight: StoredWeight, on context: OpenCLContext) throws -> OpenCLMemory {
    try upload(weight, nil, to: context) { copy in try dense(weight).withUnsafeBytes(copy) }
  }

  /// The weight as fp16 in device memory, uploaded once for all plans. Values that fp16 does not hold are rounded.
  func f16(of weight: StoredWeight, on context: OpenCLContext) throws -> OpenCLMemory {
    try upload(weight, F16Matrix.recipe(of: weight), to: context) { copy in
      try withF16(of: weight, copy)
    }
  }

  /// The weight as fp16 in a kernel's layout. `pack` returns memory in which the elements are laid out as `recipe`
  /// says.
  func f16(
    of weight: StoredWeight, _ recipe: PackingRecipe, on context: OpenCLContext,
    _ pack: (OpenCLMemory) throws -> OpenCLBuffer
  ) throws -> OpenCLMemory {
    try upload(weight, recipe, to: context) { copy in
      try withF16(of: weight) { try pack(copy($0).memory) }
    }
  }

  /// The weight as fp32 in a kernel's layout; see `f16`.
  func floats(
    of weight: StoredWeight, _ recipe: PackingRecipe, on context: OpenCLContext,
    _ pack: (OpenCLMemory) throws -> OpenCLBuffer
  ) throws -> OpenCLMemory {
    try upload(weight, recipe, to: context) { copy in
      try dense(weight).withUnsafeBytes { try pack(copy($0).memory) }
    }
  }

  private func withF16(
    of weight: StoredWeight, _ body: (UnsafeRawBufferPointer) throws -> OpenCLBuffer
  ) throws -> OpenCLBuffer {
    guard F16Matrix.canHold(weight) else {
      var numbers = [UInt16](repeating: 0, count: weight.count)
      numbers.withUnsafeMutableBufferPointer { target in
        guard let target = target.baseAddress else { return }
        weight.decodeF16(0..<weight.count, into: target)
      }
      return try numbers.withUnsafeBytes(body)
    }
    let f16 = try F16Matrix(weight, Preparation(weights: self))
    return try withExtendedLifetime(f16) {
      try body(UnsafeRawBufferPointer(start: f16.pointer, count: 2 * weight.count))
    }
  }

  /// The codes of a quantized matrix and its scales, offsets and tables, in device memory: uploaded once for all plans.
  func coded(_ weight: StoredWeight, _ parts: QuantizedMatrix.Parts, on context: OpenCLContext) throws -> (
    codes: OpenCLMemory, numbers: OpenCLMemory
  ) {
    let codes = PackingRecipe("opencl.codes", [], byteCount: parts.codes.count)
    let numbers = PackingRecipe("opencl.codes.numbers", [parts.grid.columns], byteCount: 4 * parts.numbers.count)
    return (
      try upload(weight, codes, to: context) { copy in try copy(parts.codes) },
      try upload(weight, numbers, to: context) { copy in
        try (parts.numbers + [0]).withUnsafeBytes { try copy($0) }
      }
    )
  }

  /// Uploads one representation of a weight to a device. `read` produces the bytes and passes them on to be copied.
  private func upload(
    _ weight: StoredWeight, _ recipe: PackingRecipe?, to context: OpenCLContext,
    _ read: ((UnsafeRawBufferPointer) throws -> OpenCLBuffer) throws -> OpenCLBuffer
  ) throws -> OpenCLMemory {
    try context.requireAlive()
    let key = Key(
      weight: WeightIdentity(weight).local, recipe: recipe, instructionSet: "", context: ObjectIdentifier(context))
    let buffer: OpenCLBuffer = try flight.value(for: key) {
      find(key)
    } make: {
      let buffer = try read { try context.makeBuffer(copying: $0) }
      for tensor in weight.tensors { tensor.storage.releasePages() }
      keep(buffer, [weight], key, isMade: false)
      lock.withLock { uploaded += 1 }
      return buffer
    }
    return buffer.memory
  }

  /// The weight as a dense tensor of its type.
  package func dense(_ weight: StoredWeight) throws -> Tensor {
    if let tensor = weight.tensor { return tensor }
    let key = Key(weight: WeightIdentity(weight).local, recipe: nil, instructionSet: "")
    let storage: TensorStorage = try flight.value(for: key) {
      find(key)
    } make: {
      let storage = try weight.dense().storage
      for tensor in weight.tensors { tensor.storage.releasePages() }
      keep(storage, [weight], key, isMade: true)
      return storage
    }
    return try Tensor(weight.type.scalar, shape: weight.shape, storage: storage)
  }

  /// The weight in a layout: its bytes as a one-dimensional tensor.
  package func arranged(_ weight: StoredWeight, _ layout: Layout) throws -> Tensor {
    guard let bytes = layout.byteCount(of: weight.type) else {
      throw KernelError(.noKernel, "no kernel moves \(weight.type) to \(layout)")
    }
    let recipe = PackingRecipe("layout \(layout)", weight.shape, byteCount: bytes)
    let reorder = try Reorder(weight.type, from: .dense, to: layout)
    let memory = try packed(weight, recipe) { target in
      let numbers = try dense(weight)
      guard case .cpu(let run, _) = reorder.kernel, var result = target.baseAddress else { return }
      var operand = numbers.storage.pointer
      try run(CPUFrame(inputs: &operand, outputs: &result, scratch: result, pool: ThreadPool(threads: 1)))
    }
    return try Tensor(
      weight.type.scalar, shape: [bytes / MemoryLayout<Float>.size],
      storage: TensorStorage(borrowing: memory.pointer, byteCount: memory.byteCount, owner: memory))
  }

  private func find<Form: AnyObject>(_ key: Key) -> Form? { lock.withLock { held[key]?.object as? Form } }

  private func keep(_ object: AnyObject, _ weights: [StoredWeight], _ key: Key, isMade: Bool) {
    lock.withLock {
      if held.count >= sweep {
        held = held.filter { $0.value.object != nil }
        sweep = 2 * held.count + 64
      }
      held[key] = Held(weights: weights, object: object)
      if isMade { made += 1 }
    }
  }

  private func lastingName(_ identity: WeightIdentity, _ recipe: PackingRecipe, _ instructionSet: String) -> String? {
    guard let file, let weight = identity.lasting else { return nil }
    return ArtifactCache.name([
      file.identity, weight, recipe.name, "\(recipe.parameters)", "\(recipe.byteCount)", instructionSet,
    ])
  }
}
