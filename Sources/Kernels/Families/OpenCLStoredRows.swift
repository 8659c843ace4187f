import MIL

extension KernelTable {
  /// Products of a few rows with constant weights that a device keeps and reads as they are stored: halves, and integers and palettes of eight
  /// and four bits. Reading them is what such a product waits for, as every step of a decoder does.
  static let openCLStoredRows: [Row] = [
    storedLinear("linear.opencl.stored"), storedLinear("linear.mma.stored", byWarps: true),
    storedMatmul("matmul.opencl.stored"), storedMatmul("matmul.mma.stored", byWarps: true),
  ]

  private static func storedLinear(_ name: String, byWarps: Bool = false) -> Row {
    Row(name, for: ["linear", "fused.linear"], on: .openCL, mixesHalves: true) { site in
      try site.requireScalar(.float32, of: ["weight", "bias"])
      let halves = try site.openCLHalves(["x": .first, "add": .add])
      guard try site.invocation.bool("transpose_weight", default: true) else {
        throw Refusal("weights stand by columns")
      }
      let sizes = try site.sizes("x")
      guard let depth = sizes.last else { throw Refusal("there is nothing to sum") }
      let (m, n) = (sizes.dropLast().reduce(1, *), try site.sizes("weight")[0])
      return try openCLStored(site, "weight", m: m, n: n, k: depth, halves, byWarps)
    }
  }

  private static func storedMatmul(_ name: String, byWarps: Bool = false) -> Row {
    Row(name, for: "matmul", on: .openCL, mixesHalves: true) { site in
      let halves = try site.openCLHalves(["x": .first])
      try site.requireScalar(.float32, of: ["y"])
      let shape = try openCLMatmulShape(site)
      guard shape.transposeB, try site.sizes("y").count == 2 else {
        throw Refusal("weights stand by columns, or in a batch")
      }
      // Rows of all matrices, one after the other.
      guard !shape.transposeA || shape.m == 1 else { throw Refusal("the first factor is transposed") }
      return try openCLStored(site, "y", m: shape.batches * shape.m, n: shape.n, k: shape.k, halves, byWarps)
    }
  }

  /// Products of as many rows are bound by reading weights, and nothing is gained by units for matrices.
  static let fewRows = 4

  private static func openCLStored(
    _ site: Site, _ name: String, m: Int, n: Int, k: Int, _ halves: CLHalves, _ byWarps: Bool
  ) throws -> Offer {
    let context = try site.requireOpenCL()
    let warps = byWarps ? try site.requireWarps(.storedProducts) : nil
    if byWarps {
      guard m > fewRows else { throw Refusal("\(m) rows: reading the weights is all there is to do") }
      guard halves.contains(.first) else { throw Refusal("the values are not halves") }
    }
    if let reason = CLStoredProduct.refusal(m: m, n: n, k: k, on: context.device) { throw Refusal(reason) }
    let end = try OpenCLEpilogue(site)
    let weight = try site.weight(name)
    let coded = CodedRows(weight, columns: k)
    guard coded != nil || HalfRows.canHold(weight) else {
      throw Refusal("no kernel widens how the weights are stored, and they are no halves")
    }
    let (slot, x) = (try site.slot(name), try site.slot("x"))
    if byWarps, let coded, !coded.withParts({ $0.isExactInHalves }) {
      throw Refusal("the weights are no halves when they are widened")
    }
    let definition = try Operations.definition(of: site.invocation.operation)
    var work = definition.work(site.invocation, outputs: site.outputs.map { .tensor($0) })
    work.bytes -= Double(4 * weight.count - (coded == nil ? 2 * weight.count : weight.byteCount))
    let efficiency = byWarps ? 1.5 : 0.1 * Double(min(m, 4))
    var offer = Offer(efficiency: efficiency, packed: [slot], work: work) { preparation in
      let matrix =
        try coded.map { coded in
          try coded.withParts { parts in
            let memory = try preparation.weights.coded(weight, parts, on: context)
            return CLStoredProduct.Matrix(parts, codes: memory.codes, numbers: memory.numbers, columns: k)
          }
        } ?? CLStoredProduct.Matrix(halves: preparation.weights.halves(of: weight, on: context))
      let launch = try CLStoredProduct(
        context, matrix, m: m, n: n, k: k, halves: halves, hasBias: end.bias != nil, hasAdd: end.add != nil,
        then: end.then, by: warps, for: end.operation)
      return .openCL { frame in
        try launch.enqueue(
          on: frame.queue, a: frame.inputs[x], bias: end.bias.map { frame.inputs[$0] },
          add: end.add.map { frame.inputs[$0] }, c: frame.outputs[0])
      }
    }
    if byWarps { offer.latency = CLStoredProduct.warpLatency(k: k) }
    return offer
  }
}
