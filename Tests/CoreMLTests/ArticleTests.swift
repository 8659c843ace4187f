import CoreML
import Testing

/// The code in the articles. It must occur in compiled sources, and must behave as the articles say.
@Suite struct ArticleTests {
  private static let checkout = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()
  private static let digits = checkout.appending(path: "examples/digits")
  private static let catalog = checkout.appending(path: "Sources/CoreML/CoreML.docc")

  private static func files(_ folder: URL, _ kind: String) throws -> [URL] {
    let names = try #require(FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil))
    return names.compactMap { $0 as? URL }.filter { $0.pathExtension == kind }.sorted { $0.path < $1.path }
  }

  private static func lines(_ text: some StringProtocol) -> [Substring] {
    text.split(separator: "\n", omittingEmptySubsequences: false).map { Substring($0) }
  }

  /// Removes the common indentation of all lines.
  private static func flush(_ lines: ArraySlice<Substring>) -> [Substring] {
    let margin = lines.filter { !$0.isEmpty }.map { $0.prefix { $0 == " " }.count }.min() ?? 0
    return lines.map { $0.dropFirst(margin) }
  }

  @Test func codeInArticlesIsCompiled() throws {
    let sources = try [checkoutFolder("Tests/CoreMLTests/Articles"), checkoutFolder("examples")].flatMap {
      try Self.files($0, "swift")
    }.map { try Self.lines(String(contentsOf: $0, encoding: .utf8)) }
    var blocks = 0
    for article in try Self.files(Self.catalog, "md") {
      for part in try String(contentsOf: article, encoding: .utf8).components(separatedBy: "```swift\n").dropFirst() {
        let block = Self.lines(part.components(separatedBy: "\n```")[0])
        let isThere = sources.contains { source in
          source.indices.contains { start in
            start + block.count <= source.count
              && Self.flush(source[start..<(start + block.count)]) == Self.flush(block[...])
          }
        }
        #expect(isThere, "\(article.lastPathComponent): \(block.first ?? "")")
        blocks += 1
      }
    }
    #expect(blocks >= 10)
  }

  /// Each step of the tutorial only adds lines to the previous step. The last step is the program that runs below.
  @Test func stepsOfTheTutorialLeadToWhatIsCompiled() throws {
    let steps = try Self.files(Self.catalog.appending(path: "Resources"), "swift").map {
      try Self.lines(String(contentsOf: $0, encoding: .utf8))
    }
    #expect(steps.count > 3)
    for (step, next) in zip(steps, steps.dropFirst()) {
      var rest = next[...]
      for line in step {
        let place = rest.firstIndex(of: line)
        #expect(place != nil, "\(line) is not in the next step")
        rest = rest[((place ?? rest.endIndex - 1) + 1)...]
      }
      #expect(next.count > step.count)
    }
    let compiled = try String(
      contentsOf: checkoutFolder("Tests/CoreMLTests/Articles/DigitReader.swift"), encoding: .utf8)
    #expect(steps.last == Self.lines(compiled))
  }

  private func checkoutFolder(_ path: String) -> URL { Self.checkout.appending(path: path) }

  private static func compiled<Result>(_ source: URL, _ body: (URL) async throws -> Result) async throws -> Result {
    let url = try await MLModel.compileModel(at: source)
    defer { try? FileManager.default.removeItem(at: url.deletingLastPathComponent()) }
    return try await body(url)
  }

  @Test func theFirstPredictionIsRight() async throws {
    let model = Self.digits.appending(path: "Digits.mlpackage")
    #expect(try await digit(in: Self.digits.appending(path: "seven.png"), modelAt: model) == "seven")
  }

  @Test func picturesAreCutAndMade() async throws {
    try await Self.compiled(Self.digits.appending(path: "Digits.mlpackage")) { url in
      let model = try MLModel(contentsOf: url)
      let constraint = try #require(model.modelDescription.inputDescriptionsByName["image"]?.imageConstraint)
      let seven = Self.digits.appending(path: "seven.png")
      for value in [try middle(of: seven, for: constraint), try leftHalf(of: seven, for: constraint)] {
        #expect(value.imageBufferValue?.width == constraint.pixelsWide)
      }
      #expect(try middle(of: seven, for: constraint) != leftHalf(of: seven, for: constraint))
      let labels = try #require(model.modelDescription.classLabels as? [String])
      #expect(labels.contains(try label(of: chequered(width: 50, height: 30), by: model)))
      describe(model)
    }
  }

  @Test func aBatchHasARowForEach() async throws {
    try await Self.compiled(checkoutFolder("Tests/Cases/interface/line.mlmodel")) { url in
      let model = try MLModel(contentsOf: url)
      let input = try #require(model.modelDescription.inputDescriptionsByName["x"])
      #expect(input.type == .multiArray, "\(model.modelDescription)")
      let count = try #require(input.multiArrayConstraint).shape.map(\.intValue).reduce(1, *)
      let rows = (0..<3).map { Array(repeating: Float($0), count: count) }
      let answers = try numbers(model, rows)
      #expect(answers.count == 3 && answers.allSatisfy { !$0.isEmpty })
      for (row, answer) in zip(rows, answers) { #expect(try numbers(model, [row]) == [answer]) }
    }
  }

  /// The decoder's output, computed by the rule in `tools/make-state-models.py`.
  private static func expected(after prompt: [Int32], count: Int) -> [Int32] {
    var seen = Array(repeating: 0, count: 8)
    var found: [Int32] = []
    var tokens = prompt
    while found.count < count {
      for token in tokens { seen[Int(token)] += 1 }
      guard let last = tokens.last else { return [] }
      var scores = seen.map { -2 * $0 }
      scores[(Int(last) + 1) % 8] += 4
      scores[(Int(last) + 2) % 8] += 3
      let best = scores.indices.reduce(0) { scores[$1] > scores[$0] ? $1 : $0 }
      found.append(Int32(best))
      tokens = [Int32(best)]
    }
    return found
  }

  @Test func decodingRemembersWhatWasSaid() async throws {
    try await Self.compiled(checkoutFolder("Tests/Cases/models/states/decoder.mlpackage")) { url in
      let model = try await MLModel.load(contentsOf: url)
      for prompt in [[0], [1, 2, 1], [3, 4, 5, 4, 3]] as [[Int32]] {
        let tokens = try await greedy(model, after: prompt, count: 20)
        #expect(tokens == Self.expected(after: prompt, count: 20))
      }
      let state = model.makeState()
      let input = MLTensor(shape: [1, 1], scalars: [Int32(1)])
      let first = try #require(try await model.prediction(from: ["inputIds": input], using: state)["logits"])
      let sampled = await (sample(first, among: 2, at: 1, 0), sample(first, among: 2, at: 1, 0.999))
      #expect(sampled == (2, 3), "a share of e to one")
      let again = try #require(try await model.prediction(from: ["inputIds": input], using: state)["logits"])
      let one = await first.shapedArray(of: Float.self)
      let two = await again.shapedArray(of: Float.self)
      #expect(one != two)
      forget(state)
      let anew = try #require(try await model.prediction(from: ["inputIds": input], using: state)["logits"])
      let three = await anew.shapedArray(of: Float.self)
      #expect(three == one)
    }
  }

  @Test func drawingsAreLearnt() async throws {
    let folder = checkoutFolder("examples/DrawingClassifier")
    try await Self.compiled(folder.appending(path: "DrawingClassifier.mlmodel")) { url in
      func drawing(_ name: String) throws -> MLFeatureValue {
        let constraint = try #require(
          MLModel(contentsOf: url).modelDescription.inputDescriptionsByName["drawing"]?.imageConstraint)
        return try MLFeatureValue(imageAt: folder.appending(path: "drawings/\(name).png"), constraint: constraint)
      }
      for label in ["eight", "two"] {
        try await learn(try (1...3).map { (try drawing("\(label)-\($0)"), label) }, modelAt: url)
      }
      let model = try MLModel(contentsOf: url)
      for label in ["eight", "two"] {
        let input = try MLDictionaryFeatureProvider(dictionary: ["drawing": drawing("\(label)-4")])
        let answer = try await model.prediction(from: input)
        #expect(answer.featureValue(for: "label")?.stringValue == label)
      }
    }
  }

  @Test func devicesAndCostsAreTold() async throws {
    try await Self.compiled(Self.digits.appending(path: "Digits.mlpackage")) { url in
      let model = try onTheProcessor(url, threads: 1)
      #expect(model.configuration.threads == 1 && model.configuration.computeUnits == .cpuOnly)
      #expect(gpus().count == MLModel.availableComputeDevices.count - 1)
      let told = try await dearestOperations(ofModelAt: url, count: 3)
      #expect(told.count == 3 && told[0].share >= told[1].share && told[0].share > 0)
    }
  }

  @Test func theTutorialReadsDigits() async throws {
    let reader = try await DigitReader(modelAt: Self.digits.appending(path: "Digits.mlpackage"))
    let read = try await reader.read(["three", "zero"].map { Self.digits.appending(path: "\($0).png") })
    #expect(read.map(\.label) == ["three", "zero"] && read.allSatisfy { $0.probability > 0.9 })
    #expect(read[0].file == "three.png")
  }
}
