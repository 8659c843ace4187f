import MIL

/// Products of a few rows with constant weights that a device reads as they are stored: fp16, or integers and
/// palettes of 8 and 4 bits. Such products are bound by reading the weights, as in every step of a decoder.
enum OpenCLStoredKernels {
  static let all: [KernelImplementation] = [
    storedLinear("linear.opencl.stored"), storedLinear("linear.mma.stored", byWarps: true),
    storedMatmul("matmul.opencl.stored"), storedMatmul("matmul.mma.stored", byWarps: true),
  ]

  private static func storedLinear(_ name: String, byWarps: Bool = false) -> KernelImplementation {
    KernelImplementation(name, for: ["linear", "fused.linear"], on: .openCL, mixesPrecisions: true) { problem in
      try problem.requireScalar(.float32, of: ["weight", "bias"])
      let f16 = try problem.openCLF16Operands(["x": .first, "add": .add])
      guard try problem.invocation.bool("transpose_weight", default: true) else {
        throw Refusal("the weights are stored by columns")
      }
      let sizes = try problem.sizes("x")
      guard let depth = sizes.last else { throw Refusal("there is nothing to sum") }
      let (m, n) = (sizes.dropLast().reduce(1, *), try problem.sizes("weight")[0])
      return try openCLStored(problem, "weight", m: m, n: n, k: depth, f16, byWarps)
    }
  }

  private static func storedMatmul(_ name: String, byWarps: Bool = false) -> KernelImplementation {
    KernelImplementation(name, for: "matmul", on: .openCL, mixesPrecisions: true) { problem in
      let f16 = try problem.openCLF16Operands(["x": .first])
      try problem.requireScalar(.float32, of: ["y"])
      let shape = try OpenCLArithmeticKernels.matmulShape(problem)
      guard shape.transposeB, try problem.sizes("y").count == 2 else {
        throw Refusal("the weights are stored by columns, or in a batch")
      }
      // The rows of all matrices in sequence.
      guard !shape.transposeA || shape.m == 1 else { throw Refusal("the first factor is transposed") }
      return try openCLStored(problem, "y", m: shape.batches * shape.m, n: shape.n, k: shape.k, f16, byWarps)
    }
  }

  /// Products of at most this many rows are bound by reading the weights, so matrix units do not help.
  static let fewRows = 4

  private static func openCLStored(
    _ problem: KernelProblem, _ name: String, m: Int, n: Int, k: Int, _ f16: F16Operands, _ byWarps: Bool
  ) throws -> Candidate {
    let context = try problem.requireOpenCL()
    let warps = byWarps ? try problem.requireWarps(.storedProducts) : nil
    if byWarps {
      guard m > fewRows else { throw Refusal("\(m) rows: reading the weights is all there is to do") }
      guard f16.contains(.first) else { throw Refusal("the values are not fp16") }
    }
    if let reason = CLStoredProduct.refusal(m: m, n: n, k: k, on: context.device) { throw Refusal(reason) }
    let end = try OpenCLEpilogue(problem)
    let weight = try problem.weight(name)
    let coded = QuantizedMatrix(weight, columns: k)
    guard coded != nil || F16Matrix.canHold(weight) else {
      throw Refusal("no kernel widens this encoding of the weights, and they are not fp16")
    }
    let (slot, x) = (try problem.slot(name), try problem.slot("x"))
    if byWarps, let coded, !coded.withParts({ $0.isExactInF16 }) {
      throw Refusal("fp16 does not hold the decoded weights")
    }
    let definition = try Operations.definition(of: problem.invocation.operation)
    var work = definition.work(problem.invocation, outputs: problem.outputs.map { .tensor($0) })
    work.bytes -= Double(4 * weight.count - (coded == nil ? 2 * weight.count : weight.byteCount))
    let efficiency = byWarps ? 1.5 : 0.1 * Double(min(m, 4))
    var candidate = Candidate(efficiency: efficiency, packed: [slot], work: work) { preparation in
      let matrix =
        try coded.map { coded in
          try coded.withParts { parts in
            let memory = try preparation.weights.coded(weight, parts, on: context)
            return CLStoredProduct.Matrix(parts, codes: memory.codes, numbers: memory.numbers, columns: k)
          }
        } ?? CLStoredProduct.Matrix(f16: preparation.weights.f16(of: weight, on: context))
      let launch = try CLStoredProduct(
        context, matrix, m: m, n: n, k: k, f16: f16, hasBias: end.bias != nil, hasAdd: end.add != nil,
        then: end.then, by: warps, for: end.operation)
      return .openCL { frame in
        try launch.enqueue(
          on: frame.queue, a: frame.inputs[x], bias: end.bias.map { frame.inputs[$0] },
          add: end.add.map { frame.inputs[$0] }, c: frame.outputs[0])
      }
    }
    if byWarps { candidate.latency = CLStoredProduct.warpLatency(k: k) }
    return candidate
  }
}
