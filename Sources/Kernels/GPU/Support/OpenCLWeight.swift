import MIL

/// A product's weights as its OpenCL rows take them: floats in the device's memory like any other value, or halves that were copied there when
/// the plan was made.
struct OpenCLWeight: Sendable {
  let slot: Int
  private let stored: StoredWeight?
  /// Whether it is read as halves where it is stored.
  private let isF16: Bool

  /// Refuses, where `halves` are asked for, what is no constant or is not halves. Floats that halves hold as they are will do where `takesFloats`.
  init(_ problem: KernelProblem, _ name: String, _ f16: Bool, takesFloats: Bool = false) throws {
    slot = try problem.slot(name)
    guard f16 else {
      (stored, isF16) = (nil, false)
      return
    }
    let weight = try problem.weight(name)
    guard takesFloats ? weight.isExactInF16 : F16Matrix.canHold(weight) else {
      throw Refusal("the weights are floats")
    }
    (stored, isF16) = (weight, true)
  }

  /// A constant that a kernel wants packed as such factors: of halves what they hold as it is, of floats any.
  init(_ problem: KernelProblem, packing name: String, as factors: CLWarpProduct.Factors) throws {
    slot = try problem.slot(name)
    let weight = try problem.weight(name)
    guard factors == .floats || weight.isExactInF16 else { throw Refusal("the weights are floats") }
    (stored, isF16) = (weight, factors == .f16)
  }

  /// The offer of a kernel that wants a constant packed: `make` is given the weight, and what prepares it.
  func packedCandidate(
    _ problem: KernelProblem, efficiency: Double, parts: Int, latency: Double, of shape: CLMatrixProduct.Shape,
    _ make: @escaping @Sendable (StoredWeight, WeightStore) throws -> PreparedKernel
  ) throws -> Candidate {
    guard let stored else { throw Refusal("the weights are no constant") }
    var candidate = Candidate(efficiency: efficiency, packed: [slot], work: try work(problem, stored)) {
      try make(stored, $0.weights)
    }
    (candidate.scratchBytes, candidate.launches, candidate.latency) = (
      CLParts.bytes(parts, shape), parts == 1 ? 1 : 2, latency
    )
    return candidate
  }

  /// The offer of a kernel that is made with the halves in the device's memory, where they are some. `parts` of `shape` need scratch memory, and
  /// a launch that adds them up.
  func candidate(
    _ problem: KernelProblem, efficiency: Double, parts: Int, latency: Double, of shape: CLMatrixProduct.Shape,
    _ make: @escaping @Sendable (OpenCLMemory?) throws -> PreparedKernel
  ) throws -> Candidate {
    var candidate = try candidate(problem, efficiency: efficiency, make)
    candidate.scratchBytes = CLParts.bytes(parts, shape)
    candidate.launches = parts == 1 ? 1 : 2
    candidate.latency = latency
    return candidate
  }

  /// The same of a kernel that is all there is to it.
  func candidate(
    _ problem: KernelProblem, efficiency: Double, _ make: @escaping @Sendable (OpenCLMemory?) throws -> PreparedKernel
  ) throws -> Candidate {
    guard let stored else { return Candidate(efficiency: efficiency) { try make(nil) } }
    let context = try problem.requireOpenCL()
    return Candidate(efficiency: efficiency, packed: [slot], work: try work(problem, stored)) { preparation in
      try make(preparation.weights.f16(of: stored, on: context))
    }
  }

  /// The operation's work with weights as they are read.
  private func work(_ problem: KernelProblem, _ stored: StoredWeight) throws -> Work {
    let definition = try Operations.definition(of: problem.invocation.operation)
    var work = definition.work(problem.invocation, outputs: problem.outputs.map { .tensor($0) })
    if isF16 { work.bytes -= Double(2 * stored.count) }
    return work
  }
}
