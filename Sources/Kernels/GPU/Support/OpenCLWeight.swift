import MIL

/// A product's weights as its OpenCL kernels take them: fp32 in device memory like any other value, or fp16, uploaded
/// when the plan is made.
struct OpenCLWeight: Sendable {
  let slot: Int
  private let stored: StoredWeight?
  /// Whether the constant is uploaded as fp16.
  private let isF16: Bool

  /// With `f16`, refuses values that are not constant or not stored as fp16. With `takesFloats` it accepts any constant
  /// that fp16 holds exactly.
  init(_ problem: KernelProblem, _ name: String, _ f16: Bool, takesFloats: Bool = false) throws {
    slot = try problem.slot(name)
    guard f16 else {
      (stored, isF16) = (nil, false)
      return
    }
    let weight = try problem.weight(name)
    guard takesFloats ? weight.isExactInF16 : F16Matrix.canHold(weight) else {
      throw Refusal("the weights are not fp16")
    }
    (stored, isF16) = (weight, true)
  }

  /// A constant that a kernel packs as factors of this type. For fp16 factors, fp16 must hold it exactly.
  init(_ problem: KernelProblem, packing name: String, as factors: CLWarpProduct.Factors) throws {
    slot = try problem.slot(name)
    let weight = try problem.weight(name)
    guard factors == .floats || weight.isExactInF16 else { throw Refusal("the weights are not fp16") }
    (stored, isF16) = (weight, factors == .f16)
  }

  /// The candidate of a kernel that packs a constant. `make` gets the weight and the store that packs it.
  func packedCandidate(
    _ problem: KernelProblem, efficiency: Double, parts: Int, latency: Double, of shape: CLMatrixProduct.Shape,
    _ make: @escaping @Sendable (StoredWeight, WeightStore) throws -> PreparedKernel
  ) throws -> Candidate {
    guard let stored else { throw Refusal("the weights are not constant") }
    var candidate = Candidate(efficiency: efficiency, packed: [slot], work: try work(problem, stored)) {
      try make(stored, $0.weights)
    }
    (candidate.scratchBytes, candidate.launches, candidate.latency) = (
      CLParts.bytes(parts, shape), parts == 1 ? 1 : 2, latency
    )
    return candidate
  }

  /// The candidate of a kernel that gets the fp16 weights in device memory, if there are some. With `parts` greater
  /// than 1 it needs scratch memory and a second launch for the K-split.
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

  /// The same for a kernel without a K-split.
  func candidate(
    _ problem: KernelProblem, efficiency: Double, _ make: @escaping @Sendable (OpenCLMemory?) throws -> PreparedKernel
  ) throws -> Candidate {
    guard let stored else { return Candidate(efficiency: efficiency) { try make(nil) } }
    let context = try problem.requireOpenCL()
    return Candidate(efficiency: efficiency, packed: [slot], work: try work(problem, stored)) { preparation in
      try make(preparation.weights.f16(of: stored, on: context))
    }
  }

  /// The operation's work with the bytes of the weights as they are read.
  private func work(_ problem: KernelProblem, _ stored: StoredWeight) throws -> Work {
    let definition = try Operations.definition(of: problem.invocation.operation)
    var work = definition.work(problem.invocation, outputs: problem.outputs.map { .tensor($0) })
    if isF16 { work.bytes -= Double(2 * stored.count) }
    return work
  }
}
