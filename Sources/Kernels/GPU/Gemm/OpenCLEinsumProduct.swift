import MIL

/// An einsum of two operands as a batch of matrix products. Labels of all three tensors are the batch. Labels that the
/// result lacks are summed over. Labels of one operand and the result are rows or columns. Operands in another layout
/// are first reordered into scratch memory, and the result is reordered last.
struct OpenCLEinsumProduct: Sendable {
  /// A tensor whose axes are those of the batch, then those of its matrices.
  private struct Part: Sendable {
    var sizes: [Int]
    /// Strides of the original tensor, used if it is reordered.
    var strides: [Int]
    var isMoved: Bool
    var count: Int { sizes.reduce(1, *) }
  }

  private let shape: CLMatrixProduct.Shape
  private let slots: (a: Int, b: Int)
  private let parts: (a: Part, b: Part, c: Part)
  /// Of the factors in their order, and of the result.
  private let f16: F16Operands

  init(_ problem: KernelProblem) throws {
    let equation = try EinsumEquation(problem.invocation)
    let known = try equation.sizes(problem.invocation)
    guard equation.inputs.count == 2, (equation.inputs + [equation.output]).allSatisfy({ Set($0).count == $0.count })
    else { throw Refusal("not two operands with a label an axis") }
    let sizes = known.mapValues { $0.value ?? 0 }
    guard !sizes.values.contains(0) else { throw Refusal("an empty tensor") }
    let (x, y, output) = (equation.inputs[0], equation.inputs[1], equation.output)
    for (index, labels) in equation.inputs.enumerated() {
      guard try problem.sizes("values", index) == labels.map({ sizes[$0] ?? 0 }) else {
        throw Refusal("an axis of operand \(index) is repeated")
      }
    }
    let batch = output.filter { x.contains($0) && y.contains($0) }
    let summed = x.filter { y.contains($0) && !output.contains($0) }
    let own = [x, y].map { labels in output.filter { labels.contains($0) && !batch.contains($0) } }
    guard batch.count + summed.count + own[0].count == x.count, batch.count + summed.count + own[1].count == y.count
    else { throw Refusal("a label of one operand alone is summed over") }
    // Swap the factors if that matches the layout of the result.
    let swaps = output == batch + own[1] + own[0] && !own[0].isEmpty && !own[1].isEmpty
    let (rows, columns) = swaps ? (own[1], own[0]) : (own[0], own[1])
    func part(_ labels: [Character], as order: [Character]) -> Part {
      let strides = EinsumEquation.strides(labels, labels.map { sizes[$0] ?? 0 }, order)
      let wanted = order.map { sizes[$0] ?? 0 }
      // The batch axes may have any strides.
      let inner = zip(wanted, zip(strides, rowMajorStrides(wanted))).dropFirst(batch.count)
      return Part(sizes: wanted, strides: strides, isMoved: !inner.allSatisfy { $0 == 1 || $1.0 == $1.1 })
    }
    let factors = swaps ? (y, x) : (x, y)
    let left = [rows + summed, summed + rows].map { part(factors.0, as: batch + $0) }
    let right = [summed + columns, columns + summed].map { part(factors.1, as: batch + $0) }
    let (transposeA, transposeB) = (left[0].isMoved && !left[1].isMoved, right[0].isMoved && !right[1].isMoved)
    var (a, b) = (left[transposeA ? 1 : 0], right[transposeB ? 1 : 0])
    var c = part(output, as: batch + rows + columns)
    c.isMoved = output != batch + rows + columns
    let lead = batch.map { sizes[$0] ?? 0 }
    func walk() -> CLWalk {
      CLWalk(
        lead, [a, b].map { Array(($0.isMoved ? rowMajorStrides($0.sizes) : $0.strides).prefix(batch.count)) })
    }
    if walk().sizes.count > 4 { (a.isMoved, b.isMoved) = (true, true) }
    let found = walk()
    func count(_ labels: [Character]) -> Int { labels.reduce(1) { $0 * (sizes[$1] ?? 0) } }
    shape = CLMatrixProduct.Shape(
      m: count(rows), n: count(columns), k: count(summed), transposeA: transposeA, transposeB: transposeB,
      batch: CLMatrixProduct.Batch(sizes: found.sizes, a: found.strides[0], b: found.strides[1]))
    parts = (a, b, c)
    let values = problem.slots("values")
    slots = swaps ? (values[1], values[0]) : (values[0], values[1])
    var f16 = try problem.openCLF16Operands([:])
    for (slot, tensor) in [(slots.a, F16Operands.first), (slots.b, .second)] {
      let scalar = problem.operands[slot].type.scalar
      guard scalar == .float32 || scalar == .float16 else { throw Refusal("'values' are \(scalar.rawValue)") }
      if scalar == .float16 { f16.insert(tensor) }
    }
    self.f16 = f16
  }

  private func bytes(_ part: Part, _ tensor: F16Operands) -> Int { part.count * (f16.contains(tensor) ? 2 : 4) }

  func candidate(_ problem: KernelProblem, by way: CLMatrixProduct.Way) throws -> Candidate {
    let context = try problem.requireOpenCL()
    let ordered = [(parts.a, F16Operands.first), (parts.b, .second), (parts.c, .result)]
    let moved = ordered.filter(\.0.isMoved).reduce(0) { $0 + bytes($1.0, $1.1) }
    var work = try Operations.definition(of: problem.invocation.operation)
      .work(problem.invocation, outputs: problem.outputs.map { .tensor($0) })
    work.bytes += 2 * Double(moved)
    // Each reordered tensor begins at a multiple of 256 bytes, which is aligned for every type.
    let room = ordered.map { $0.0.isMoved ? (bytes($0.0, $0.1) + 255) / 256 * 256 : 0 }
    let label = problem.invocation.operation.label
    var candidate = Candidate(
      efficiency: try shape.efficiency(of: way, on: context.device), scratchBytes: room.reduce(0, +), work: work
    ) {
      let product = try CLMatrixProduct(context, shape, by: way, f16: f16, for: label)
      let moves = try ordered.enumerated().map { index, ordered -> CLMove? in
        let (part, tensor) = ordered
        guard part.isMoved else { return nil }
        let packed = CLMove.View(count: part.count, start: 0, strides: rowMajorStrides(part.sizes))
        let own = CLMove.View(count: part.count, start: 0, strides: part.strides)
        return try CLMove(
          context, elementSize: f16.contains(tensor) ? 2 : 4, sizes: part.sizes, from: index == 2 ? packed : own,
          to: index == 2 ? own : packed)
      }
      return .openCL { frame in
        func place(_ index: Int, _ own: OpenCLMemory) throws -> OpenCLMemory {
          guard moves[index] != nil else { return own }
          guard let scratch = frame.scratch else {
            throw KernelError(.openCLLaunch, "\(label): there is no scratch memory")
          }
          return try scratch.range(
            byteOffset: room[..<index].reduce(0, +), byteCount: bytes(ordered[index].0, ordered[index].1))
        }
        let (a, b) = (try place(0, frame.inputs[slots.a]), try place(1, frame.inputs[slots.b]))
        let c = try place(2, frame.outputs[0])
        try moves[0]?.enqueue(on: frame.queue, x: frame.inputs[slots.a], y: a)
        try moves[1]?.enqueue(on: frame.queue, x: frame.inputs[slots.b], y: b)
        try product.enqueue(on: frame.queue, a: a, b: b, c: c)
        try moves[2]?.enqueue(on: frame.queue, x: c, y: frame.outputs[0])
      }
    }
    candidate.launches = 1 + ordered.count { $0.0.isMoved }
    return candidate
  }
}
