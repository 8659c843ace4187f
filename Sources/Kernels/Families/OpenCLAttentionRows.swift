import MIL

extension KernelTable {
  /// OpenCL rows of attention.
  static let openCLAttentionRows: [Row] = [
    // Reading keys and values is what a few queries wait for: groups share them.
    Row(
      "attention.opencl.few", for: ["scaled_dot_product_attention", AttentionForm.operationName], on: .openCL,
      mixesHalves: true
    ) { site in
      let attention = try OpenCLAttentionSite(site)
      if let reason = CLAttention.fewRefusal(of: attention.form, on: attention.context.device) { throw Refusal(reason) }
      var offer = attention.offer(efficiency: 0.12) { try CLAttention(few: $0, $1, halves: $2) }
      offer.scratchBytes = CLAttention.fewBytes(attention.form)
      offer.launches = 2
      return offer
    },
    Row(
      "attention.opencl.tiles", for: ["scaled_dot_product_attention", AttentionForm.operationName], on: .openCL,
      mixesHalves: true
    ) { site in
      let attention = try OpenCLAttentionSite(site)
      let device = attention.context.device
      if let reason = CLAttention.tileRefusal(of: attention.form, on: device) { throw Refusal(reason) }
      let efficiency = CLAttention.PlainTile(attention.form, on: device)?.efficiency(attention.form) ?? 0.02
      var offer = attention.offer(efficiency: efficiency) { try CLAttention(tiles: $0, $1, halves: $2) }
      // A group goes through all keys, a block after the other: a fifth of a microsecond for each on an H200 with little else to do.
      offer.latency = 0.15e-6 * Double(attention.form.parts.reduce(0) { $0 + $1.rows })
      return offer
    },
    Row(
      "attention.opencl", for: ["scaled_dot_product_attention", AttentionForm.operationName], on: .openCL,
      mixesHalves: true
    ) { site in
      let attention = try OpenCLAttentionSite(site)
      let device = attention.context.device
      if let reason = CLAttention.refusal(of: attention.form, on: device) { throw Refusal(reason) }
      let efficiency = CLAttention.Tile(attention.form, on: device)?.efficiency ?? 0.02
      var offer = attention.offer(efficiency: efficiency) { try CLAttention($0, $1, halves: $2) }
      // A group goes through all keys, a block after the other, a fifth of a microsecond for each on a large GPU.
      offer.latency = 0.2e-6 * Double(attention.form.parts.reduce(0) { $0 + $1.rows })
      return offer
    },
  ]

  /// Whether a device has a row for an attention, so that making one of its parts takes nothing from it.
  package static func openCLTakes(_ form: AttentionForm, on context: OpenCLContext) -> Bool {
    CLAttention.refusal(of: form, on: context.device) == nil
  }
}

/// Attention as its OpenCL rows see it.
struct OpenCLAttentionSite: Sendable {
  let context: OpenCLContext
  let form: AttentionForm
  let halves: CLHalves
  private let query: Int
  private let key: Int
  private let value: Int
  private let masks: [Int]

  /// Refuses types that no kernel takes.
  init(_ site: Site) throws {
    var halves = try site.openCLHalves(["query": .first, "key": .second, "value": .third])
    context = try site.requireOpenCL()
    let isFused = site.operation == AttentionForm.operationName
    form = try isFused ? AttentionForm(fused: site.invocation) : AttentionForm(dense: site.invocation)
    let name = isFused ? "mask" : "attn_mask"
    // Of more masks than there are flags for, every kernel refuses the form.
    for (index, mask) in form.masks.prefix(CLAttention.mostMasks).enumerated() {
      let scalar = try site.scalar(name, index)
      if mask.kind == .add, scalar == .float16 { halves.insert(index == 0 ? .fourth : .fifth) }
      guard mask.kind == .add ? scalar == .float32 || scalar == .float16 : scalar == .bool else {
        throw Refusal("a mask is \(scalar.rawValue)")
      }
    }
    self.halves = halves
    (query, key, value) = (try site.slot("query"), try site.slot("key"), try site.slot("value"))
    masks = site.slots(name)
  }

  /// The offer of a kernel that `make` makes.
  func offer(
    efficiency: Double, _ make: @escaping @Sendable (OpenCLContext, AttentionForm, CLHalves) throws -> CLAttention
  ) -> Offer {
    Offer(efficiency: efficiency) {
      let launch = try make(context, form, halves)
      return .openCL { frame in
        try launch.enqueue(
          on: frame.queue, query: frame.inputs[query], key: frame.inputs[key], value: frame.inputs[value],
          first: masks.first.map { frame.inputs[$0] }, second: masks.dropFirst().first.map { frame.inputs[$0] },
          y: frame.outputs[0], scratch: frame.scratch)
      }
    }
  }
}
