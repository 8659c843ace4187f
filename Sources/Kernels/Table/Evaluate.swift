import MIL

extension KernelTable {
  /// Computes one operation whose every argument's value is known, in memory of its own: how constants are folded and how
  /// operations run whose shapes only run time tells. The best CPU row that accepts is taken, else the reference.
  public static func evaluate(_ invocation: Invocation, pool: ThreadPool) throws -> [Value] {
    let operation = invocation.operation
    if let code = operation.code {
      return try code.evaluate(invocation, outputs: code.outputTypes(invocation))
    }
    let rows = rows(for: operation.type, on: .cpu)
    guard !rows.isEmpty else {
      throw KernelError(.noKernel, "\(operation.label): no kernel computes '\(operation.type)'")
    }
    let types = try invocation.located { try Operations.definition(of: operation).outputTypes(invocation) }
    let tensors = types.compactMap(\.tensor)
    let argumentsAreTensors = invocation.inputTypes.values.joined().allSatisfy { $0.tensor != nil }
    guard tensors.count == types.count, argumentsAreTensors,
      tensors.allSatisfy({ $0.isConcrete && $0.scalar != .string })
    else { return try References.evaluate(invocation) }
    let site = Site(
      invocation: invocation, outputs: try tensors.map { try $0.validated(operation.label) }, threads: pool.threads)
    for row in rows where row.name != "reference" {
      do {
        return try run(row.offer(site), site, pool)
      } catch is Refusal {
        continue
      }
    }
    return try References.evaluate(invocation)
  }

  private static func run(_ offer: Offer, _ site: Site, _ pool: ThreadPool) throws -> [Value] {
    // What is packed here is for this call alone.
    guard case .cpu(let kernel) = try offer.prepare(Preparation(weights: WeightStore())) else {
      throw Refusal("not a CPU kernel")
    }
    let results = try site.outputs.map { try Tensor.zeros($0.scalar, shape: $0.concreteShape ?? []) }
    let scratch = TensorStorage(byteCount: offer.scratchBytes)
    let arguments = site.operands.map(\.constant)
    let sources = arguments.map { $0?.storage.pointer ?? scratch.pointer } + [scratch.pointer]
    let targets = results.compactMap(\.storage.mutablePointer)
    guard let work = scratch.mutablePointer, targets.count == results.count else {
      throw KernelError(.outOfMemory, "\(site.invocation.operation.label): no memory for the outputs")
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
}
