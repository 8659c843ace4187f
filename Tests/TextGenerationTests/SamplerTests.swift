import Testing

@testable import CoreMLTextGeneration

@Suite struct SamplerTests {
  private func counts(_ logits: [Float], _ options: GenerationOptions, draws: Int = 4000) throws -> [Int] {
    var sampler = Sampler(options)
    var counts = [Int](repeating: 0, count: logits.count)
    for _ in 0..<draws { counts[try sampler.next(logits)] += 1 }
    return counts
  }

  /// The first numbers of the reference implementation (Vigna) with the seed 1234567.
  @Test func numbersAreThoseOfSplitMix64() {
    var random = SplitMix64(seed: 1_234_567)
    #expect([random.next(), random.next()] == [6_457_827_717_110_365_317, 3_203_168_211_198_807_973])
    var units = SplitMix64(seed: 1)
    #expect((0..<1000).allSatisfy { _ in (0..<1).contains(units.unit()) })
  }

  @Test func greedyIsTheFirstOfTheGreatest() throws {
    var sampler = Sampler(GenerationOptions())
    #expect(try sampler.next([1, 3, .nan, 3, 2]) == 1)
    #expect(try sampler.next([-.infinity, -7]) == 1)
    #expect(throws: GenerationError.self) { try sampler.next([.nan, -.infinity]) }
    #expect(throws: GenerationError.self) { try sampler.next([]) }
    #expect(sampler.seed == nil)
  }

  @Test func frequenciesFollowTheProbabilities() throws {
    // Probabilities 0.5, 0.25, 0.25 and 0.
    let logits: [Float] = [0.6931472, 0, 0, -.infinity]
    let found = try counts(logits, GenerationOptions(sampling: .random(seed: 5)))
    #expect((1850...2150).contains(found[0]) && (880...1120).contains(found[1]) && found[3] == 0, "\(found)")
    let warm = try counts(logits, GenerationOptions(sampling: .random(seed: 5), temperature: 100))
    #expect((1180...1490).contains(warm[0]), "\(warm)")
    let cold = try counts(logits, GenerationOptions(sampling: .random(seed: 5), temperature: 0.01))
    #expect(cold == [4000, 0, 0, 0])
  }

  @Test func topKeepsTheLikeliest() throws {
    let logits: [Float] = [1, 4, 2, 4, 3]
    let two = try counts(logits, GenerationOptions(sampling: .random(top: 2, seed: 1), temperature: 10))
    #expect(two[1] > 1800 && two[3] > 1800 && two[1] + two[3] == 4000)
    let one = try counts(logits, GenerationOptions(sampling: .random(top: 1, seed: 1), temperature: 10))
    #expect(one[1] == 4000)
    let all = try counts(logits, GenerationOptions(sampling: .random(top: 50, seed: 1), temperature: 10))
    #expect(all.allSatisfy { $0 > 0 })
  }

  @Test func thresholdsKeepTheFewestTokens() throws {
    // Probabilities 0.5, 0.25, 0.125, 0.125.
    let logits: [Float] = [2, 1, 0, 0].map { $0 * 0.6931472 }
    func kept(_ sum: Double, top: Int? = nil) throws -> [Bool] {
      try counts(logits, GenerationOptions(sampling: .random(top: top, probabilityThreshold: sum, seed: 3))).map {
        $0 > 0
      }
    }
    #expect(try kept(0.4) == [true, false, false, false])
    #expect(try kept(0.6) == [true, true, false, false])
    #expect(try kept(0.8) == [true, true, true, false])
    #expect(try kept(1) == [true, true, true, true])
    // After top-k the first two have 2/3 and 1/3.
    #expect(try kept(0.6, top: 2) == [true, false, false, false])
  }

  /// `python/tests/test_text.py` has the same numbers.
  @Test func choicesEqualThoseOfPython() throws {
    let logits: [Float] = [1, 4, 2, 3.5, 3]
    var few = Sampler(
      GenerationOptions(sampling: .random(top: 3, probabilityThreshold: 0.9, seed: 11), temperature: 0.7))
    #expect(try (0..<12).map { _ in try few.next(logits) } == [1, 1, 3, 1, 1, 1, 1, 3, 1, 4, 1, 1])
    var all = Sampler(GenerationOptions(sampling: .random(seed: 11), temperature: 1.5))
    #expect(try (0..<12).map { _ in try all.next(logits) } == [1, 1, 3, 3, 1, 3, 1, 4, 1, 0, 1, 1])
  }

  @Test func seedsReproduceTexts() throws {
    let options = GenerationOptions(
      sampling: .random(top: 40, probabilityThreshold: 0.95, seed: 42), temperature: 0.9, maximumResponseTokens: 12)
    let generator = try TinyModel.generator("stateless")
    let first = try generator.generate("The planner", options: options)
    #expect(first.seed == 42 && first.tokens.count > 5)
    #expect(try generator.generate("The planner", options: options).tokens == first.tokens)
    var other = options
    other.sampling = .random(top: 40, probabilityThreshold: 0.95, seed: 43)
    #expect(try generator.generate("The planner", options: other).tokens != first.tokens)
    // A text with a random seed can be repeated by the seed that it reports.
    other.sampling = .random()
    let random = try generator.generate("The planner", options: other)
    let seed = try #require(random.seed)
    other.sampling = .random(seed: seed)
    #expect(try generator.generate("The planner", options: other).tokens == random.tokens)
  }

  @Test(arguments: [
    GenerationOptions(sampling: .random(top: 0)), GenerationOptions(sampling: .random(probabilityThreshold: 0)),
    GenerationOptions(sampling: .random(probabilityThreshold: 1.5)), GenerationOptions(temperature: 0),
    GenerationOptions(temperature: .infinity), GenerationOptions(maximumResponseTokens: -1),
    GenerationOptions(maximumContextTokens: 0), GenerationOptions(stopSequences: [""]),
  ])
  func optionsOutOfRangeAreRefused(options: GenerationOptions) throws {
    let error = #expect(throws: GenerationError.self) { try options.validate() }
    #expect(error?.code == .invalidOption)
  }
}
