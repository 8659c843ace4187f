import MIL

extension KernelRegistry {
  /// The row of a site whose outputs have no elements: rows of nothing are not walked through, however many there are.
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
