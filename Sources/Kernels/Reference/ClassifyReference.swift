import MIL

enum ClassifyReference {
  static let all: [Reference] = [
    Reference("classify") { call in
      let probabilities = try call.doubles("probabilities")
      let scalar = try call.tensor("probabilities").scalar
      let labels: [Value]
      switch try call.value("classes") {
      case .list(let items, _): labels = items
      case .tensor(let tensor) where tensor.scalar == .string:
        labels = try tensor.strings().map { .string($0) }
      // Read labels as integers: a double cannot hold every 64-bit integer.
      case .tensor(let tensor) where tensor.scalar == .int64:
        labels = try tensor.ints().map { .tensor(Tensor(int64: [Int64($0)], shape: [])) }
      case .tensor(let tensor):
        labels = try tensor.ints().map { .tensor(try Tensor(tensor.scalar, shape: [], doubles: [Double($0)])) }
      default: throw call.invocation.error(.invalidType, "'classes' is no list")
      }
      guard labels.count == probabilities.count, let first = labels.first else {
        throw call.invocation.error(
          .invalidShape, "there are \(labels.count) classes and \(probabilities.count) probabilities")
      }
      var best = 0
      for (index, value) in probabilities.enumerated() where value > probabilities[best] { best = index }
      let pairs = try zip(labels, probabilities).map { label, value in
        (key: label, value: Value.tensor(try Tensor(scalar, shape: [], doubles: [value])))
      }
      return [
        labels[best],
        .dictionary(pairs, key: first.type, value: .tensor(TensorType(scalar, [Dimension]()))),
      ]
    }
  ]
}
