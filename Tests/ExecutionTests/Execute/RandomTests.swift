import MIL
import Testing

/// Random operations: samples follow the requested distribution, and the same seed gives the same samples.
@Suite struct RandomTests {
  static let count = 20_000

  static func sample(_ operation: String) throws -> [Double] {
    let text = """
      () {
        tensor<fp32, [\(count)]> y = \(operation);
      } -> (y)
      """
    return try #require(try EngineTests.run(EngineTests.engine(text), [:])["y"])
  }

  static func made(_ name: String, _ parameters: String, seed: Int) -> String {
    "\(name)(shape = tensor<int32, [1]>([\(count)]), \(parameters), seed = int32(\(seed)))"
  }

  static let distributions: [(name: String, parameters: String, mean: Double, deviation: Double)] = [
    ("random_normal", "mean = fp32(3), stddev = fp32(2)", 3, 2),
    ("random_uniform", "low = fp32(-1), high = fp32(5)", 2, 6 / 12.0.squareRoot()),
    ("random_bernoulli", "prob = fp32(0.3)", 0.3, 0.21.squareRoot()),
  ]

  @Test(arguments: [1, 2, 77, 2_147_483_647]) func momentsAndSeeds(_ seed: Int) throws {
    for (name, parameters, mean, deviation) in Self.distributions {
      let values = try Self.sample(Self.made(name, parameters, seed: seed))
      let average = values.reduce(0, +) / Double(values.count)
      let variance = values.reduce(0) { $0 + ($1 - average) * ($1 - average) } / Double(values.count)
      // Six standard errors of the mean. The tolerance for the deviation is the same, which is more than six standard
      // errors for all three.
      let width = 6 * deviation / Double(values.count).squareRoot()
      #expect(abs(average - mean) < width, "\(name)")
      #expect(abs(variance.squareRoot() - deviation) < width, "\(name)")
      #expect(try Self.sample(Self.made(name, parameters, seed: seed)) == values, "\(name) has another seed")
      #expect(try Self.sample(Self.made(name, parameters, seed: seed - 1)) != values, "\(name) has no seed")
    }
  }

  @Test func withoutASeedEachRunDiffers() throws {
    for (name, parameters, _, _) in Self.distributions {
      let operation = Self.made(name, parameters, seed: -1)
      #expect(try Self.sample(operation) != Self.sample(operation), "\(name)")
    }
  }

  @Test func uniformNumbersAndDrawsKeepTheirRange() throws {
    let uniform = try Self.sample(Self.made("random_uniform", "low = fp32(-1), high = fp32(5)", seed: 9))
    #expect(uniform.allSatisfy { (-1...5).contains($0) })
    // Samples fall into each sixtieth of the range.
    #expect(Set(uniform.map { Int(($0 + 1) * 10) }).count >= 60)
    let drawn = try Self.sample(Self.made("random_bernoulli", "prob = fp32(0.3)", seed: 9))
    #expect(Set(drawn) == [0, 1])
  }

  /// Logits ln 1, ln 2, ln 5, and the equivalent probabilities: categories in the proportion 1 : 2 : 5.
  @Test(arguments: ["logits", "probs"]) func categoriesComeInProportion(_ mode: String) throws {
    let weights = mode == "logits" ? "[0, 0.693147181, 1.609437912]" : "[0.125, 0.25, 0.625]"
    let operation = """
      random_categorical(x = tensor<fp32, [3]>(\(weights)), mode = string("\(mode)"), size = int32(\(Self.count)), seed = int32(4))
      """
    let values = try Self.sample(operation)
    for (category, share) in [0.125, 0.25, 0.625].enumerated() {
      let found = Double(values.count { $0 == Double(category) }) / Double(Self.count)
      #expect(abs(found - share) < 6 * (share * (1 - share) / Double(Self.count)).squareRoot())
    }
    #expect(try Self.sample(operation) == values)
  }
}
