import CoreML

func greedy(_ model: MLModel, after prompt: [Int32], count: Int) async throws -> [Int32] {
  let state = model.makeState()
  var found: [Int32] = []
  var tokens = prompt
  while found.count < count {
    var logits: MLTensor?
    for token in tokens {
      let input = MLTensor(shape: [1, 1], scalars: [token])
      logits = try await model.prediction(from: ["inputIds": input], using: state)["logits"]
    }
    guard let logits else { break }
    let next = await logits.argmax().shapedArray(of: Int32.self).scalars[0]
    found.append(next)
    tokens = [next]
  }
  return found
}

func sample(_ logits: MLTensor, among k: Int, at temperature: Float, _ random: Float) async -> Int32 {
  let (values, indices) = logits.flattened().topK(k)
  let sums = (values / temperature).softmax().cumulativeSum()
  let limits = await sums.shapedArray(of: Float.self).scalars
  let tokens = await indices.shapedArray(of: Int32.self).scalars
  return tokens[limits.firstIndex { random < $0 } ?? k - 1]
}

func forget(_ state: MLState) {
  for name in state.stateNames {
    state.withMultiArray(for: name) { array in
      for place in 0..<array.count { array[place] = 0 }
    }
  }
}
