import MIL

/// Einsum. With two operands it is decomposed into a matrix product, otherwise into broadcast products and a sum.
enum EinsumGradients {
  static let forms: [GradientDefinition] = [
    .single("einsum") { call in
      let equation = try EinsumEquation(call.invocation)
      for labels in equation.inputs where Set(labels).count != labels.count {
        throw call.invocation.error(.unsupported, "takes a diagonal, which has no gradient")
      }
      var sizes: [Character: Int] = [:]
      for (label, size) in try equation.sizes(call.invocation) {
        guard let value = size.value else { throw call.invocation.error(.unknownValue, "its shape is not known") }
        sizes[label] = value
      }
      let operands = try equation.inputs.indices.map { index in
        Operand(labels: equation.inputs[index], value: try call.argument("values", index))
      }
      let writer = EinsumWriter(e: call.emit, sizes: sizes, output: equation.output)
      if operands.count == 2, try operands.allSatisfy({ try writer.isWhole($0) }) {
        return try writer.product(operands[0], operands[1])
      }
      return try writer.broadcast(operands)
    }
  ]

  struct Operand {
    var labels: [Character]
    var value: Binding
  }
}

private struct EinsumWriter {
  let e: Emitter
  let sizes: [Character: Int]
  let output: [Character]

  private func size(_ labels: [Character]) -> [Int] { labels.map { sizes[$0] ?? 1 } }

  /// Whether no axis of the operand broadcasts.
  func isWhole(_ operand: EinsumGradients.Operand) throws -> Bool { try e.shape(operand.value) == size(operand.labels) }

  /// [batch, own of a, shared] times [batch, shared, own of b].
  func product(_ a: EinsumGradients.Operand, _ b: EinsumGradients.Operand) throws -> Binding {
    let a = try summed(a, unless: b.labels)
    let b = try summed(b, unless: a.labels)
    let batch = output.filter { a.labels.contains($0) && b.labels.contains($0) }
    let shared = a.labels.filter { b.labels.contains($0) && !output.contains($0) }
    let (ownA, ownB) = (
      a.labels.filter { !b.labels.contains($0) }, b.labels.filter { !a.labels.contains($0) }
    )
    func count(_ labels: [Character]) -> Int { size(labels).reduce(1, *) }
    let left = try e.reshape(ordered(a, batch + ownA + shared), [count(batch), count(ownA), count(shared)])
    let right = try e.reshape(ordered(b, batch + shared + ownB), [count(batch), count(shared), count(ownB)])
    let labels = batch + ownA + ownB
    let whole = try e.reshape(e.matmul(left, right), size(labels))
    return try ordered(EinsumGradients.Operand(labels: labels, value: whole), output)
  }

  func broadcast(_ operands: [EinsumGradients.Operand]) throws -> Binding {
    let all = output + Set(operands.flatMap(\.labels)).subtracting(output).sorted()
    var product: Binding?
    for operand in operands {
      let shape = try e.shape(operand.value)
      let present = all.filter { operand.labels.contains($0) }
      let moved = try ordered(operand, present)
      let own = Dictionary(zip(operand.labels, shape), uniquingKeysWith: { first, _ in first })
      let lifted = try e.reshape(moved, all.map { own[$0] ?? 1 })
      product = try product.map { try e.mul($0, lifted) } ?? lifted
    }
    guard let product else { throw MILError(.invalidArgument, "einsum has no operand") }
    let summed = try e.sum(product, Array(output.count..<all.count), keep: false)
    // A label that only one operand has may still have size 1, if that operand broadcasts.
    return try e.expanded(summed, to: size(output))
  }

  /// Sums over the labels that neither the result nor the other operand has.
  private func summed(_ operand: EinsumGradients.Operand, unless other: [Character]) throws -> EinsumGradients.Operand {
    let gone = operand.labels.indices.filter {
      !output.contains(operand.labels[$0]) && !other.contains(operand.labels[$0])
    }
    guard !gone.isEmpty else { return operand }
    return EinsumGradients.Operand(
      labels: operand.labels.indices.filter { !gone.contains($0) }.map { operand.labels[$0] },
      value: try e.sum(operand.value, gone, keep: false))
  }

  private func ordered(_ operand: EinsumGradients.Operand, _ labels: [Character]) throws -> Binding {
    try e.transpose(operand.value, labels.compactMap { operand.labels.firstIndex(of: $0) })
  }
}
