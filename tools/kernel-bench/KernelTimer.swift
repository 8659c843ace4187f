import CoreMLKernels
import MIL

/// Times the kernel implementations of one operation. Each has its own input and output memory.
struct KernelTimer {
  /// The time of one kernel: the name of the implementation and the seconds of its fastest run.
  struct Result {
    let row: String
    let seconds: Double
  }

  let pool: ThreadPool
  /// Seconds to spend on each kernel.
  let patience: Double

  /// Times every kernel that matches the shape, except for the reference kernel.
  ///
  /// - Returns: the arithmetic and the bytes of the operation, and the results, fastest first.
  func run(_ shape: Shape) throws -> (work: Work, results: [Result]) {
    let (call, tensors) = try shape.invocation()
    let definition = try Operations.definition(of: call.operation)
    let outputs = try definition.outputTypes(call)
    let work = definition.work(call, outputs: outputs)
    let problem = KernelProblem(invocation: call, outputs: outputs.compactMap(\.tensor), threads: pool.threads)
    var results: [Result] = []
    for row in KernelRegistry.implementations(for: shape.operation, on: .cpu) where row.name != "reference" {
      guard let candidate = try? row.match(problem) else { continue }
      results.append(Result(row: row.name, seconds: try seconds(candidate, problem, tensors)))
    }
    return (work, results.sorted { $0.seconds < $1.seconds })
  }

  /// The seconds of the fastest run of a candidate; infinity if it cannot run here.
  private func seconds(_ candidate: Candidate, _ problem: KernelProblem, _ tensors: [String: Tensor]) throws -> Double {
    guard case .cpu(let kernel, _) = try candidate.prepare(Preparation(weights: WeightStore())) else { return .infinity }
    let operands = try problem.operands.enumerated().map { slot, operand in
      try memory(operand.constant ?? tensors[operand.parameter], operand.type, candidate.layout(ofOperand: slot))
    }
    let outputs = try problem.outputs.enumerated().map { number, type in
      try memory(nil, type, candidate.layout(ofOutput: number))
    }
    let scratch = try TensorStorage(byteCount: max(candidate.scratchBytes, 64))
    let sources = operands.map(\.pointer)
    let targets = outputs.compactMap(\.mutablePointer)
    guard let work = scratch.mutablePointer, targets.count == outputs.count else { return .infinity }
    return try withExtendedLifetime((operands, outputs, scratch)) {
      try sources.withUnsafeBufferPointer { sources in
        try targets.withUnsafeBufferPointer { targets in
          guard let inputs = sources.baseAddress, let results = targets.baseAddress else { return .infinity }
          return try best { try kernel(CPUFrame(inputs: inputs, outputs: results, scratch: work, pool: pool)) }
        }
      }
    }
  }

  /// Storage for a value in `layout`: the bytes of `tensor`, or zeros without one.
  ///
  /// It copies a dense tensor into a blocked layout without reordering. The order does not affect the time.
  private func memory(_ tensor: Tensor?, _ type: TensorType, _ layout: Layout) throws -> TensorStorage {
    if let tensor, layout == .dense { return tensor.storage }
    let storage = try TensorStorage(byteCount: max(layout.byteCount(of: type) ?? 0, 64))
    guard let target = storage.mutablePointer else { return storage }
    target.initializeMemory(as: UInt8.self, repeating: 0, count: storage.byteCount)
    if let tensor { target.copyMemory(from: tensor.storage.pointer, byteCount: tensor.storage.byteCount) }
    return storage
  }

  private func best(_ body: () throws -> Void) rethrows -> Double {
    let clock = ContinuousClock()
    try body()
    var (least, total) = (Double.infinity, 0.0)
    var rounds = 0
    while total < patience || rounds < 3 {
      let seconds = try clock.measure { try body() } / .seconds(1)
      (least, total, rounds) = (min(least, seconds), total + seconds, rounds + 1)
    }
    return least
  }
}
