import MIL

@testable import CoreMLKernels

/// Runs one OpenCL kernel on separate device memory that is poisoned first.
enum OpenCLRowHarness {
  static func run(_ candidate: Candidate, problem: KernelProblem, inputs: [String: [Value]]) throws -> [Tensor] {
    guard case .openCL(let kernel) = try candidate.prepare(Preparation(weights: WeightStore())) else {
      throw CaseError("not an OpenCL kernel")
    }
    let context = try OpenCLHarness.context()
    let queue = try context.makeQueue()
    func memory(_ tensor: Tensor) throws -> OpenCLMemory {
      guard tensor.byteCount > 0 else {
        return try context.makeBuffer(byteCount: 64).memory(byteOffset: 0, byteCount: 0)
      }
      return try tensor.withUnsafeBytes { try context.makeBuffer(copying: $0).memory }
    }
    let operands = try problem.operands.map { operand -> OpenCLMemory in
      guard let tensor = inputs[operand.parameter]?[operand.index].tensor, tensor.scalar != .string else {
        return try memory(Tensor.zeros(.bool, shape: [0]))
      }
      return try memory(tensor)
    }
    let results = try problem.outputs.map { type -> Tensor in
      guard let shape = type.concreteShape else { throw CaseError("an output without a shape") }
      let tensor = try Tensor.zeros(type.scalar, shape: shape)
      tensor.storage.mutablePointer?.initializeMemory(as: UInt8.self, repeating: 0xA5, count: tensor.byteCount)
      return tensor
    }
    let outputs = try results.map(memory)
    // A pattern that shows when a kernel reads what it did not write. The host writes it, because Oclgrind treats other
    // memory as unwritten even after kernels write there.
    let scratch = try context.makeBuffer(copying: [UInt8](repeating: 0xA5, count: max(candidate.scratchBytes, 64)))
    try kernel(OpenCLFrame(queue: queue, inputs: operands, outputs: outputs, scratch: scratch.memory))
    try queue.finish()
    for (tensor, memory) in zip(results, outputs) where tensor.byteCount > 0 {
      guard let target = tensor.storage.mutablePointer else { throw CaseError("no memory") }
      try queue.read(memory, into: UnsafeMutableRawBufferPointer(start: target, count: tensor.byteCount))
    }
    return results
  }
}
