import CoreMLSpec
import MIL

struct BayesianProbitImport {
  let program: FeatureProgram

  static func named(_ message: Specification.BayesianProbitRegressor) throws -> [String] {
    [try message.regressionInputFeatureName, try message.optimismInputFeatureName]
  }

  /// P = Phi(mean / sqrt(1 + variance)). This is the probit link with steepness 1, averaged over the distribution of
  /// the weights. `optimism` shifts the mean by that many standard deviations. Source: Graepel et al., "Web-scale
  /// Bayesian click-through rate prediction".
  func add(_ message: Specification.BayesianProbitRegressor) throws {
    guard try message.sampledProbabilityOutputFeatureName.isEmpty else {
      throw program.error(
        .unsupported,
        "it gives a sampled probability, '\(try message.sampledProbabilityOutputFeatureName)', whose distribution is not specified; remove that output"
      )
    }
    let x = try program.input(message.regressionInputFeatureName)
    let outputs = try program.emit(
      all: "ml.gaussian_weights",
      weights(message).merging(["x": .name(program.double(x))]) { first, _ in first }.mapValues { [$0] })
    let (mean, variance) = (outputs[0], outputs[1])
    for feature in try program.description.output {
      let name = try feature.name
      switch name {
      case try message.meanOutputFeatureName: try program.set(name, mean)
      case try message.varianceOutputFeatureName: try program.set(name, variance)
      case try message.pessimisticProbabilityOutputFeatureName:
        var moved = mean
        let optimism = try message.optimismInputFeatureName
        if program.optionalInput(optimism) != nil {
          let amount = try program.number(optimism, default: 0)
          let deviation = try program.emit("sqrt", ["x": .name(variance)])
          moved = try program.emit(
            "add", ["x": .name(mean), "y": .name(program.emit("mul", ["x": amount, "y": .name(deviation)]))])
        }
        try program.set(name, probability(moved, variance))
      default: try program.set(name, probability(mean, variance))
      }
    }
  }

  private func probability(_ mean: String, _ variance: String) throws -> String {
    let spread = try program.emit("sqrt", ["x": .name(program.emit("add", ["x": .name(variance), "y": .double(1)]))])
    return try GeneralizedLinearImport(program: program).probit(
      program.emit("real_div", ["x": .name(mean), "y": .name(spread)]))
  }

  private func weights(_ message: Specification.BayesianProbitRegressor) throws -> [String: Binding] {
    guard let bias = try message.bias, try bias.precision > 0 else {
      throw program.error("its bias has no positive precision")
    }
    let limit = try message.numberOfFeatures
    var (features, values, means, precisions): ([Double], [Double], [Double], [Double]) = ([], [], [], [])
    for feature in try message.features {
      guard try feature.featureId < limit else {
        throw program.error("it weighs the feature \(try feature.featureId) of \(limit)")
      }
      for weight in try feature.weights {
        guard let gaussian = try weight.featureWeight, try gaussian.precision > 0 else {
          throw program.error("a weight of the feature \(try feature.featureId) has no positive precision")
        }
        features.append(Double(try feature.featureId))
        values.append(Double(try weight.featureValue))
        means.append(try gaussian.mean)
        precisions.append(try gaussian.precision)
      }
    }
    return [
      "feature": .doubles(features), "value": .doubles(values), "mean": .doubles(means),
      "precision": .doubles(precisions), "bias_mean": .double(try bias.mean),
      "bias_precision": .double(try bias.precision),
    ]
  }
}
