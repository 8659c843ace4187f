import MIL

extension KernelRegistry {
  /// The kernel of a problem whose outputs have no elements. It does nothing, so an empty output with many rows costs
  /// no loop.
  package static func nothing(at problem: KernelProblem) -> (
    implementation: KernelImplementation, candidate: Candidate
  )? {
    guard !problem.outputs.isEmpty, problem.outputs.allSatisfy({ $0.elementCount == 0 }),
      problem.invocation.operation.code == nil
    else { return nil }
    let candidate = Candidate(efficiency: 1, work: Work(flops: 0, bytes: 0)) { .cpu { _ in } }
    return (KernelImplementation("nothing", for: problem.operation) { _ in candidate }, candidate)
  }
}
