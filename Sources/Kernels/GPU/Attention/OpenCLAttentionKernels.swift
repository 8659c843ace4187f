import MIL

/// OpenCL kernels for attention.
enum OpenCLAttentionKernels {
  static let all: [KernelImplementation] = [
    // A few queries are bound by reading keys and values, so work-groups share the keys.
    KernelImplementation(
      "attention.opencl.few_queries", for: ["scaled_dot_product_attention", AttentionShape.operationName], on: .openCL,
      mixesPrecisions: true
    ) { problem in
      let attention = try OpenCLAttentionProblem(problem)
      if let reason = CLAttention.fewRefusal(of: attention.form, on: attention.context.device) { throw Refusal(reason) }
      var candidate = attention.candidate(efficiency: 0.12) { try CLAttention(few: $0, $1, f16: $2) }
      candidate.scratchBytes = CLAttention.fewBytes(attention.form)
      candidate.launches = 2
      return candidate
    },
    KernelImplementation(
      "attention.opencl.tiles", for: ["scaled_dot_product_attention", AttentionShape.operationName], on: .openCL,
      mixesPrecisions: true
    ) { problem in
      let attention = try OpenCLAttentionProblem(problem)
      let device = attention.context.device
      if let reason = CLAttention.tileRefusal(of: attention.form, on: device) { throw Refusal(reason) }
      let efficiency = CLAttention.PlainTile(attention.form, on: device)?.efficiency(attention.form) ?? 0.02
      var candidate = attention.candidate(efficiency: efficiency) { try CLAttention(tiles: $0, $1, f16: $2) }
      // A work-group processes all keys, block by block: 0.15 µs for each key on an H200.
      candidate.latency = 0.15e-6 * Double(attention.form.parts.reduce(0) { $0 + $1.rows })
      return candidate
    },
    KernelImplementation(
      "attention.opencl", for: ["scaled_dot_product_attention", AttentionShape.operationName], on: .openCL,
      mixesPrecisions: true
    ) { problem in
      let attention = try OpenCLAttentionProblem(problem)
      let device = attention.context.device
      if let reason = CLAttention.refusal(of: attention.form, on: device) { throw Refusal(reason) }
      let efficiency = CLAttention.Tile(attention.form, on: device)?.efficiency ?? 0.02
      var candidate = attention.candidate(efficiency: efficiency) { try CLAttention($0, $1, f16: $2) }
      // A work-group processes all keys, block by block: 0.2 µs for each key on a large GPU.
      candidate.latency = 0.2e-6 * Double(attention.form.parts.reduce(0) { $0 + $1.rows })
      return candidate
    },
  ]
}

/// Attention as its OpenCL kernels see it.
struct OpenCLAttentionProblem: Sendable {
  let context: OpenCLContext
  let form: AttentionShape
  let f16: F16Operands
  private let query: Int
  private let key: Int
  private let value: Int
  private let masks: [Int]

  /// Refuses types that no kernel supports.
  init(_ problem: KernelProblem) throws {
    var f16 = try problem.openCLF16Operands(["query": .first, "key": .second, "value": .third])
    context = try problem.requireOpenCL()
    let isFused = problem.operation == AttentionShape.operationName
    form = try isFused ? AttentionShape(fused: problem.invocation) : AttentionShape(dense: problem.invocation)
    let name = isFused ? "mask" : "attn_mask"
    // If there are more masks than flags, every kernel refuses the shape.
    for (index, mask) in form.masks.prefix(CLAttention.mostMasks).enumerated() {
      let scalar = try problem.scalar(name, index)
      if mask.kind == .add, scalar == .float16 { f16.insert(index == 0 ? .fourth : .fifth) }
      guard mask.kind == .add ? scalar == .float32 || scalar == .float16 : scalar == .bool else {
        throw Refusal("a mask is \(scalar.rawValue)")
      }
    }
    self.f16 = f16
    (query, key, value) = (try problem.slot("query"), try problem.slot("key"), try problem.slot("value"))
    masks = problem.slots(name)
  }

  /// The candidate of a kernel that `make` creates.
  func candidate(
    efficiency: Double, _ make: @escaping @Sendable (OpenCLContext, AttentionShape, F16Operands) throws -> CLAttention
  ) -> Candidate {
    Candidate(efficiency: efficiency) {
      let launch = try make(context, form, f16)
      return .openCL { frame in
        try launch.enqueue(
          on: frame.queue, query: frame.inputs[query], key: frame.inputs[key], value: frame.inputs[value],
          first: masks.first.map { frame.inputs[$0] }, second: masks.dropFirst().first.map { frame.inputs[$0] },
          y: frame.outputs[0], scratch: frame.scratch)
      }
    }
  }
}
