import AllocationCount
import CKernels
import MIL

@testable import CoreMLKernels

/// Runs one CPU kernel on separate buffers that are poisoned first, so that an unwritten element is detected. Converts
/// NCHWc inputs and outputs. The padding of a last channel block must be zero.
enum CPUHarness {
  static func run(
    _ candidate: Candidate, problem: KernelProblem, inputs: [String: [Value]],
    _ preparation: Preparation = Preparation(weights: WeightStore())
  ) throws -> [Tensor] {
    try prepared(candidate, problem: problem, inputs: inputs, preparation) { try $0() }
  }

  /// The number of allocations when the kernel runs a second time.
  static func allocations(_ candidate: Candidate, problem: KernelProblem, inputs: [String: [Value]]) throws -> Int {
    var count = 0
    _ = try prepared(candidate, problem: problem, inputs: inputs, Preparation(weights: WeightStore())) { kernel in
      try kernel()
      count = try AllocationCount.count(kernel)
    }
    return count
  }

  private static func prepared(
    _ candidate: Candidate, problem: KernelProblem, inputs: [String: [Value]], _ preparation: Preparation,
    _ use: (_ kernel: () throws -> Void) throws -> Void
  ) throws -> [Tensor] {
    guard case .cpu(let kernel, _) = try candidate.prepare(preparation) else {
      throw CaseError("not a CPU kernel")
    }
    let results = try problem.outputs.enumerated().map { number, type -> TensorStorage in
      guard let bytes = candidate.layout(ofOutput: number).byteCount(of: type) else {
        throw CaseError("an output without a shape")
      }
      let memory = try TensorStorage(byteCount: bytes)
      memory.mutablePointer?.initializeMemory(as: UInt8.self, repeating: 0xA5, count: bytes)
      return memory
    }
    let operands = try problem.operands.enumerated().map { slot, operand -> TensorStorage in
      guard let tensor = inputs[operand.parameter]?[operand.index].tensor else { throw CaseError("no tensor") }
      return try moved(tensor.storage, operand.type, from: .dense, to: candidate.layout(ofOperand: slot))
    }
    let scratch = try TensorStorage(byteCount: candidate.scratchBytes)
    let pool = ThreadPool(threads: problem.threads)
    try call({ frame in try use { try kernel(frame) } }, operands, results, scratch, pool)
    return try zip(results, problem.outputs).enumerated().map { number, result in
      let layout = candidate.layout(ofOutput: number)
      try requireZeros(result.0, result.1, layout)
      return try Tensor(
        result.1.scalar, shape: result.1.concreteShape ?? [],
        storage: moved(result.0, result.1, from: layout, to: .dense))
    }
  }

  private static func call(
    _ kernel: (CPUFrame) throws -> Void, _ operands: [TensorStorage], _ results: [TensorStorage],
    _ scratch: TensorStorage,
    _ pool: ThreadPool
  ) throws {
    let sources = operands.map(\.pointer)
    let targets = results.compactMap(\.mutablePointer)
    guard let work = scratch.mutablePointer, targets.count == results.count else { throw CaseError("no memory") }
    try withExtendedLifetime((operands, results, scratch)) {
      try sources.withUnsafeBufferPointer { sources in
        try targets.withUnsafeBufferPointer { targets in
          guard let outputs = targets.baseAddress else { return }
          let empty = UnsafePointer<UnsafeRawPointer>(bitPattern: 8)
          guard let inputs = sources.baseAddress ?? empty else { return }
          try kernel(CPUFrame(inputs: inputs, outputs: outputs, scratch: work, pool: pool))
        }
      }
    }
  }

  private static func moved(
    _ memory: TensorStorage, _ type: TensorType, from source: Layout, to target: Layout
  ) throws -> TensorStorage {
    guard source != target else { return memory }
    guard let bytes = target.byteCount(of: type),
      case .cpu(let kernel, _) = try Reorder(type, from: source, to: target).kernel
    else {
      throw CaseError("\(type) cannot lie \(target)")
    }
    let result = try TensorStorage(byteCount: bytes)
    try call(kernel, [memory], [result], TensorStorage(byteCount: 0), ThreadPool(threads: 1))
    return result
  }

  /// Weights of zero multiply the padding of the last block, so it must not be infinite or NaN.
  private static func requireZeros(_ memory: TensorStorage, _ type: TensorType, _ layout: Layout) throws {
    guard case .blocked(let size) = layout, let shape = type.concreteShape, shape[1] % size != 0,
      // Every int8 value is finite.
      type.scalar == .float32
    else { return }
    let (area, blocks) = (shape[2...].reduce(1, *), (shape[1] + size - 1) / size)
    let floats = memory.pointer.assumingMemoryBound(to: Float.self)
    for image in 0..<shape[0] {
      for position in 0..<area {
        for lane in shape[1] % size..<size
        where floats[((image * blocks + blocks - 1) * area + position) * size + lane] != 0 {
          throw CaseError("channel \(lane) of the last block is no zero at \(position)")
        }
      }
    }
  }
}
