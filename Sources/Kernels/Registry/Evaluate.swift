import CoreMLBase
import MIL

extension KernelRegistry {
  /// Which known values a kernel may treat as constants.
  package enum Constancy: Sendable {
    /// All known values: used for constant folding, which runs an operation once.
    case everything
    /// Only literals: the operation runs again with other values.
    case literals
  }

  /// Computes one operation whose argument values are all known, in memory of its own.
  ///
  /// Constant folding uses it, and so do operations whose shapes are only known at run time. It runs the cheapest CPU
  /// kernel that accepts the problem with dense layouts, or else the reference.
  package static func evaluate(
    _ invocation: Invocation, pool: ThreadPool, constancy: Constancy = .everything
  ) throws -> [Value] {
    try Cancellation.check()
    let operation = invocation.operation
    if let code = operation.code {
      return try code.evaluate(invocation, outputs: code.outputTypes(invocation))
    }
    let implementations = implementations(for: operation.type, on: .cpu)
    guard !implementations.isEmpty else {
      throw KernelError(.noKernel, "\(operation.label): no kernel computes '\(operation.type)'")
    }
    let types = try invocation.located { try Operations.definition(of: operation).outputTypes(invocation) }
    if let nothing = try References.nothing(types) { return nothing }
    let tensors = types.compactMap(\.tensor)
    let argumentsAreTensors = invocation.inputTypes.values.joined().allSatisfy { $0.tensor != nil }
    guard tensors.count == types.count, argumentsAreTensors,
      tensors.allSatisfy({ $0.isConcrete && $0.scalar != .string })
    else { return try References.evaluate(invocation) }
    let evaluation = Evaluation(
      invocation, outputs: try tensors.map { try $0.validated(operation.label) }, pool: pool, constancy: constancy)
    let work = try Operations.definition(of: operation).work(invocation, outputs: types)
    for choice in try evaluation.choices(implementations.filter { $0.name != "reference" }, work) {
      do { return try evaluation.run(choice) } catch is Refusal {
        continue
      } catch let error as KernelError where error.code == .noRoom {
        continue
      }
    }
    return try References.evaluate(invocation)
  }
}

/// An operation that is run once, outside of a plan.
struct Evaluation {
  private let problem: KernelProblem
  /// The same problem with every value as a constant, for kernels that require a constant operand. They pack it, and
  /// the packing adds to their cost.
  private let folding: KernelProblem
  private let pool: ThreadPool

  struct Choice {
    let implementation: String
    let candidate: Candidate
    let problem: KernelProblem
    let cost: Double
  }

  init(_ invocation: Invocation, outputs: [TensorType], pool: ThreadPool, constancy: KernelRegistry.Constancy) {
    self.pool = pool
    folding = KernelProblem(invocation: invocation, outputs: outputs, threads: pool.threads)
    problem = constancy == .everything ? folding : folding.withConstantsOnlyOfLiterals()
  }

  /// The candidates, cheapest first. At equal cost the earlier kernel comes first.
  func choices(_ implementations: [KernelImplementation], _ work: Work) throws -> [Choice] {
    let profile = DeviceProfile.cpu(threads: pool.threads)
    var choices: [Choice] = []
    for implementation in implementations {
      for problem in [problem, folding] {
        do {
          let candidate = try implementation.match(problem)
          // Arguments and results are dense outside of a plan. A blocked layout needs a larger buffer.
          guard candidate.isDense else { break }
          choices.append(
            Choice(
              implementation: implementation.name, candidate: candidate, problem: problem,
              cost: profile.costOnce(of: candidate, work, at: problem)))
          break
        } catch is Refusal {
          continue
        }
      }
    }
    return choices.enumerated().sorted { ($0.element.cost, $0.offset) < ($1.element.cost, $1.offset) }.map(\.element)
  }

  func run(_ choice: Choice) throws -> [Value] {
    let (candidate, problem) = (choice.candidate, choice.problem)
    let label = problem.invocation.operation.label
    let scratch = try room(label) {
      try TensorStorage(byteCount: candidate.scratchBytes, for: "the scratch of \(label)")
    }
    guard case .cpu(let kernel, _) = try room(label, { try candidate.prepare(Preparation(weights: WeightStore())) })
    else {
      throw Refusal("not a CPU kernel")
    }
    let results = try problem.invocation.located {
      try problem.outputs.map { try Tensor.zeros($0.scalar, shape: $0.concreteShape ?? []) }
    }
    // Weights that are packed here serve this call only.
    let arguments = problem.values
    let sources = arguments.map { $0?.storage.pointer ?? scratch.pointer } + [scratch.pointer]
    let targets = results.compactMap(\.storage.mutablePointer)
    guard let work = scratch.mutablePointer, targets.count == results.count else {
      throw KernelError(.outOfMemory, "\(label): no memory for the outputs")
    }
    try withExtendedLifetime((arguments, results, scratch)) {
      try sources.withUnsafeBufferPointer { sources in
        try targets.withUnsafeBufferPointer { targets in
          guard let inputs = sources.baseAddress, let outputs = targets.baseAddress else { return }
          try kernel(CPUFrame(inputs: inputs, outputs: outputs, scratch: work, pool: pool))
        }
      }
    }
    return results.map { .tensor($0) }
  }

  /// Turns an allocation failure into `noRoom`, so that the next kernel is tried.
  private func room<Result>(_ label: String, _ body: () throws -> Result) throws -> Result {
    do { return try body() } catch let error as MILError where error.code == .outOfMemory {
      throw KernelError(.noRoom, "\(label): \(error.message)")
    }
  }
}

extension KernelError.Code {
  /// Within an evaluation: the memory for this kernel does not fit; another kernel may need less.
  fileprivate static let noRoom = KernelError.Code(rawValue: "kernel.no-room")
}

extension KernelProblem {
  /// The same problem, but only the literals of the operation are constants: named values may change.
  fileprivate func withConstantsOnlyOfLiterals() -> KernelProblem {
    let bindings = KernelProblem.order(of: invocation.operation).map(\.binding)
    return KernelProblem(
      self,
      operands: zip(operands, bindings).map { operand, binding in
        if case .literal = binding { return operand }
        return Operand(parameter: operand.parameter, index: operand.index, type: operand.type, constant: nil)
      })
  }

  /// The value of every operand that is known, by slot.
  fileprivate var values: [Tensor?] {
    operands.map { $0.constant ?? invocation.valueIfKnown($0.parameter, $0.index)?.tensor }
  }
}
