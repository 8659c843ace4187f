/// Einstein summation (coremltools: `einsum`).
enum EinsumOperations {
  static let all: [OperationDefinition] = [
    OperationDefinition(
      "einsum", [.variadic("values"), .required("equation")],
      work: { call, _ in
        guard let sizes = try? EinsumEquation(call).sizes(call) else { return Work(flops: 0) }
        return Work(flops: 2 * sizes.values.reduce(1) { $0 * Double($1.value ?? 1) })
      }
    ) { call in
      let equation = try EinsumEquation(call)
      let sizes = try equation.sizes(call)
      return [.tensor(TensorType(try call.tensor("values").scalar, equation.output.map { sizes[$0] ?? .unknown }))]
    }
  ]
}

/// An equation such as `nchw,nwhu->nchu`, with one label per axis. Labels that are not in the result are summed over. A
/// size of 1 broadcasts.
package struct EinsumEquation: Sendable {
  package let inputs: [[Character]]
  package let output: [Character]

  package init(_ call: Invocation) throws {
    let text = try call.string("equation").filter { !$0.isWhitespace }
    let invalid = call.error(.invalidArgument, "'\(text)' is not an equation such as nchw,nwhu->nchu")
    let parts = text.split(separator: "->", omittingEmptySubsequences: false)
    guard parts.count == 1 || (parts.count == 2 && text.contains("->")) else { throw invalid }
    guard !text.contains(".") else {
      throw call.error(.unsupported, "an ellipsis in the equation '\(text)' is not supported")
    }
    inputs = parts[0].split(separator: ",", omittingEmptySubsequences: false).map(Array.init)
    let used = inputs.flatMap { $0 }
    if parts.count == 2 {
      output = Array(parts[1])
    } else {
      // Without a right side: the labels that occur once, in alphabetical order.
      output = Set(used).filter { label in used.filter { $0 == label }.count == 1 }.sorted()
    }
    guard (used + output).allSatisfy({ $0.isLetter && $0.isASCII }), Set(output).count == output.count,
      Set(output).isSubset(of: used)
    else { throw invalid }
    guard inputs.count == call.count("values"), !inputs.isEmpty else {
      throw call.error(
        .invalidArgument, "the equation '\(text)' has \(inputs.count) operands, \(call.count("values")) are given")
    }
  }

  /// The size of each label.
  package func sizes(_ call: Invocation) throws -> [Character: Dimension] {
    var sizes: [Character: Dimension] = [:]
    let scalar = try call.tensor("values").scalar
    for (index, labels) in inputs.enumerated() {
      let type = try call.tensor("values", index)
      guard type.rank == labels.count, type.scalar == scalar else {
        throw call.error(.invalidShape, "operand \(index) is \(type), the equation gives it \(labels.count) axes")
      }
      for (label, size) in zip(labels, type.shape) {
        sizes[label] = try sizes[label].map { try call.broadcast([$0], [size])[0] } ?? size
      }
    }
    return sizes
  }
}
