import MIL

extension KernelTable {
  /// OpenCL rows of attention.
  static let openCLAttentionRows: [Row] = [
    Row(
      "attention.opencl", for: ["scaled_dot_product_attention", AttentionForm.operationName], on: .openCL,
      mixesHalves: true
    ) { site in
      var halves = try site.openCLHalves(["query": .first, "key": .second, "value": .third])
      let context = try site.requireOpenCL()
      let isFused = site.operation == AttentionForm.operationName
      let form = try isFused ? AttentionForm(fused: site.invocation) : AttentionForm(dense: site.invocation)
      if let reason = CLAttention.refusal(of: form, on: context.device) { throw Refusal(reason) }
      for (index, mask) in form.masks.enumerated() {
        let scalar = try site.scalar(isFused ? "mask" : "attn_mask", index)
        if mask.kind == .add, scalar == .float16 { halves.insert(index == 0 ? .fourth : .fifth) }
        guard mask.kind == .add ? scalar == .float32 || scalar == .float16 : scalar == .bool else {
          throw Refusal("a mask is \(scalar.rawValue)")
        }
      }
      let (query, key, value) = (try site.slot("query"), try site.slot("key"), try site.slot("value"))
      let masks = site.slots(isFused ? "mask" : "attn_mask")
      let taken = halves
      let efficiency = CLAttention.Tile(form, on: context.device)?.efficiency ?? 0.02
      return Offer(efficiency: efficiency) {
        let launch = try CLAttention(context, form, halves: taken)
        return .openCL { frame in
          try launch.enqueue(
            on: frame.queue, query: frame.inputs[query], key: frame.inputs[key], value: frame.inputs[value],
            first: masks.first.map { frame.inputs[$0] }, second: masks.dropFirst().first.map { frame.inputs[$0] },
            y: frame.outputs[0])
        }
      }
    }
  ]

  /// Whether a device has a row for an attention, so that making one of its parts takes nothing from it.
  package static func openCLTakes(_ form: AttentionForm, on context: OpenCLContext) -> Bool {
    CLAttention.refusal(of: form, on: context.device) == nil
  }
}
