/// Random tensors, which are never folded, shared or reused (coremltools: `random`).
enum RandomOperations {
  static let all: [OperationDefinition] = [
    made("random_bernoulli", ["prob"]),
    made("random_normal", ["mean", "stddev"]),
    made("random_uniform", ["low", "high"]),
    OperationDefinition(
      "random_categorical", [.required("x"), .optional("mode"), .optional("size"), .optional("seed")], isPure: false
    ) { call in
      var x = try call.tensor("x")
      guard x.rank > 0 else { throw call.error(.invalidShape, "'x' is \(x), it needs an axis of categories") }
      x.shape[x.rank - 1] = Dimension(try call.int("size", default: 1))
      return [.tensor(x)]
    },
  ]

  /// A distribution with a given `shape`. The element type is that of its parameters.
  private static func made(_ name: String, _ parameters: [String]) -> OperationDefinition {
    OperationDefinition(
      name, [.required("shape")] + parameters.map { .optional($0) } + [.optional("seed")], isPure: false
    ) { call in
      let given = try parameters.first { call.has($0) }.map { try call.tensor($0).scalar } ?? .float32
      guard let sizes = try call.intsIfKnown("shape") else {
        return [.tensor(TensorType(given, try call.openShape("shape")))]
      }
      return [.tensor(TensorType(given, sizes))]
    }
  }
}
