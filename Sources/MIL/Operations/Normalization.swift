/// Normalizations. The output has the type of `x` (coremltools: `normalization`).
enum NormalizationOperations {
  static let all: [OperationDefinition] = [
    OperationDefinition(
      "batch_norm",
      [
        .required("x"), .required("mean"), .required("variance"), .optional("gamma"), .optional("beta"),
        .optional("epsilon"),
      ]
    ) { call in try perChannel(call, ["mean", "variance", "gamma", "beta"]) },
    OperationDefinition(
      "instance_norm", [.required("x"), .optional("gamma"), .optional("beta"), .optional("epsilon")],
      work: { _, types in Work(flops: 6 * Double(types.first?.tensor?.elementCount ?? 0)) }
    ) { call in try perChannel(call, ["gamma", "beta"]) },
    OperationDefinition("l2_norm", [.required("x"), .optional("epsilon")]) { call in
      let x = try call.tensor("x")
      guard x.rank >= 3 else { throw call.error(.invalidShape, "'x' is \(x), it must have rank 3 or more") }
      return [.tensor(x)]
    },
    OperationDefinition(
      "layer_norm", [.required("x"), .optional("axes"), .optional("gamma"), .optional("beta"), .optional("epsilon")],
      work: { _, types in Work(flops: 6 * Double(types.first?.tensor?.elementCount ?? 0)) }
    ) { call in
      let x = try call.tensor("x")
      let axes = try call.axes("axes", default: Array(0..<x.rank), rank: x.rank)
      try call.requireDistinct(axes, "axes")
      let expected = TensorType(x.scalar, axes.sorted().map { x.shape[$0] })
      for name in ["gamma", "beta"] where call.has(name) {
        let found = try call.tensor(name)
        guard found.shape.count == expected.rank, zip(found.shape, expected.shape).allSatisfy({ $0.agrees(with: $1) })
        else {
          throw call.error(.invalidShape, "'\(name)' is \(found), expected the normalised axes' shape \(expected)")
        }
      }
      return [.tensor(x)]
    },
    OperationDefinition(
      "local_response_norm",
      [.required("x"), .required("size"), .optional("alpha"), .optional("beta"), .optional("k")],
      work: { _, types in Work(flops: 12 * Double(types.first?.tensor?.elementCount ?? 0)) }
    ) { call in
      let x = try call.tensor("x")
      guard x.rank >= 3 else { throw call.error(.invalidShape, "'x' is \(x), it must have rank 3 or more") }
      _ = try call.int("size", atLeast: 1)
      return [.tensor(x)]
    },
  ]

  private static func perChannel(_ call: Invocation, _ names: [String]) throws -> [ValueType] {
    let x = try call.tensor("x")
    guard x.rank >= 2 else { throw call.error(.invalidShape, "'x' is \(x), it needs a channel axis") }
    for name in names where call.has(name) {
      guard try call.length(name).agrees(with: x.shape[1]) else {
        throw call.error(.invalidShape, "'\(name)' is \(try call.tensor(name)), 'x' has \(x.shape[1]) channels")
      }
    }
    return [.tensor(x)]
  }
}
