import CKernels
import MIL

/// A prepared kernel with its own memory for the operands and results of a problem.
struct KernelRun {
  private let kernel: @Sendable (CPUFrame) throws -> Void
  /// Keeps the addresses alive.
  private let memory: [TensorStorage]
  private let changing: [TensorStorage]
  private let constants: [Tensor]
  private let weights: WeightStore
  private let sources: [UnsafeRawPointer]
  private let targets: [UnsafeMutableRawPointer]
  private let scratch: UnsafeMutableRawPointer

  /// - Throws: errors of the kernel's preparation, and a `Refusal` for values that are not tensors of known size.
  init(_ candidate: Candidate, at problem: KernelProblem) throws {
    // Weights that the kernel packs here serve this run only.
    let weights = WeightStore()
    guard case .cpu(let kernel, _) = try candidate.prepare(Preparation(weights: weights)) else {
      throw Refusal("not a CPU kernel")
    }
    (self.kernel, self.weights) = (kernel, weights)
    let label = problem.invocation.operation.label
    func room(_ bytes: Int) throws -> (storage: TensorStorage, pointer: UnsafeMutableRawPointer) {
      let storage = try TensorStorage(byteCount: max(bytes, 64), for: "timing \(label)")
      guard let pointer = storage.mutablePointer else { throw Refusal("the memory is not writable") }
      return (storage, pointer)
    }
    let work = try room(candidate.scratchBytes)
    var (memory, changing, constants) = ([work.storage], [TensorStorage](), [Tensor]())
    sources =
      try problem.operands.enumerated().map { slot, operand in
        // The kernel reads neither strings nor operands that it has packed.
        guard operand.type.scalar != .string, !candidate.packed.contains(slot) else {
          return UnsafeRawPointer(work.pointer)
        }
        let layout = candidate.layout(ofOperand: slot)
        if let weight = operand.weight {
          constants.append(layout == .dense ? try weights.dense(weight) : try weights.arranged(weight, layout))
          return constants[constants.count - 1].storage.pointer
        }
        let bytes = try Self.bytes(of: operand.type, layout)
        let place = try room(bytes)
        Numbers.fill(place.pointer, bytes, operand.type.scalar)
        changing.append(place.storage)
        return place.storage.pointer
      } + [UnsafeRawPointer(work.pointer)]
    targets = try problem.outputs.enumerated().map { number, type in
      let place = try room(try Self.bytes(of: type, candidate.layout(ofOutput: number)))
      memory.append(place.storage)
      return place.pointer
    }
    (self.memory, self.changing, self.constants, scratch) = (memory, changing, constants, work.pointer)
  }

  private static func bytes(of type: TensorType, _ layout: Layout) throws -> Int {
    guard let bytes = layout.byteCount(of: type) else { throw Refusal("not a tensor of known size") }
    return bytes
  }

  func callAsFunction(_ pool: ThreadPool) throws {
    try withExtendedLifetime((memory, changing, constants)) {
      try sources.withUnsafeBufferPointer { sources in
        try targets.withUnsafeBufferPointer { targets in
          guard let inputs = sources.baseAddress, let outputs = targets.baseAddress else { return }
          try kernel(CPUFrame(inputs: inputs, outputs: outputs, scratch: scratch, pool: pool))
        }
      }
    }
  }

  /// Puts the CPU caches in the state of a network run. The weights are evicted. The inputs are cached, because the
  /// previous step has just written them.
  func settleCaches() {
    weights.forgetCaches()
    for constant in constants { ck_forget(constant.storage.pointer, constant.storage.byteCount) }
    for storage in changing { CacheSweep.read(storage.pointer, storage.byteCount) }
  }
}

/// Test data: small values of both signs, all different from their neighbors. Integers are 0, a valid index for every
/// axis.
private enum Numbers {
  static func fill(_ memory: UnsafeMutableRawPointer, _ bytes: Int, _ scalar: ScalarType) {
    func number(_ index: Int) -> Float { Float(index &* 40503 & 0xffff) / 65536 - 0.5 }
    switch scalar {
    case .float32:
      let numbers = memory.assumingMemoryBound(to: Float.self)
      for index in 0..<bytes / 4 { numbers[index] = number(index) }
    case .float16:
      let f16 = memory.assumingMemoryBound(to: UInt16.self)
      // Values from 0.25 to 0.5 with alternating sign.
      for index in 0..<bytes / 2 { f16[index] = 0x3400 | UInt16(index & 1) << 15 | UInt16(index &* 5 & 0x3ff) }
    default: break
    }
  }
}
