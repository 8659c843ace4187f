import CoreMLSpec
import MIL

/// Random layers. Their shape is that of an input (`Like`), is in the file (`Static`), or is the value of an input
/// (`Dynamic`).
struct RandomLayers {
  let graph: NetworkGraph

  func randomNormal(_ shape: String, mean: Float, stdDev: Float, seed: Int64) throws {
    try random("random_normal", shape, ["mean": .float(mean), "stddev": .float(stdDev)], seed)
  }

  func randomUniform(_ shape: String, low: Float, high: Float, seed: Int64) throws {
    try random("random_uniform", shape, ["low": .float(low), "high": .float(high)], seed)
  }

  func randomBernoulli(_ shape: String, probability: Float, seed: Int64) throws {
    try random("random_bernoulli", shape, ["prob": .float(probability)], seed)
  }

  private func random(
    _ operation: String, _ shape: String, _ parameters: [String: Binding], _ seed: Int64
  ) throws {
    var arguments = parameters
    arguments["shape"] = .name(shape)
    arguments["seed"] = .int(Int(Int32(truncatingIfNeeded: seed)))
    try graph.set(0, graph.emit(operation, arguments))
  }

  /// Samples from softmax(logits / temperature). For probabilities p, the logits are log(p + eps).
  func categoricalDistribution(_ params: Specification.CategoricalDistributionLayerParams) throws {
    var logits = try graph.input(0)
    let eps = try params.eps == 0 ? 1e-10 : params.eps
    let temperature = try params.temperature == 0 ? 1 : params.temperature
    if try !params.isLogits { logits = try graph.emit("log", ["x": .name(logits), "epsilon": .float(eps)]) }
    if temperature != 1 { logits = try graph.emit("real_div", ["x": .name(logits), "y": .float(temperature)]) }
    let samples = try graph.emit(
      "random_categorical",
      [
        "x": .name(logits), "mode": .string("logits"), "size": .int(graph.int(params.numSamples, "numSamples")),
        "seed": .int(Int(Int32(truncatingIfNeeded: params.seed))),
      ])
    try graph.set(0, graph.asFloat(samples))
  }
}
