import CoreMLRuntime
import CoreMLTokenizers
import Foundation
import Testing

@testable import CoreMLTextGeneration

/// Greedy text of the tiny model against transformers, token by token.
@Suite struct GreedyTests {
  @Test(arguments: ["stateless", "stateful"]) func tokensEqualThoseOfTransformers(name: String) throws {
    let generator = try TinyModel.generator(name)
    let expected = try TinyModel.expected()
    #expect(expected.cases.count >= 8)
    for (place, one) in expected.cases.enumerated() {
      // All tokens of three texts, and the start of the others, to save time.
      let limit = place < 3 ? expected.maxTokens : 6
      let options = GenerationOptions(maximumResponseTokens: limit)
      var pieces: [String] = []
      let result = try generator.generate(one.prompt, options: options) { pieces.append($0) }
      #expect(result.promptTokens == one.promptTokens)
      #expect(result.tokens == Array(one.tokens.prefix(limit)), "\(one.prompt)")
      #expect(limit < expected.maxTokens || result.text == one.text)
      #expect(pieces.joined() == result.text && result.finishReason == .maximumTokens)
      #expect(result.seed == nil && result.decodeSteps == result.tokens.count - 1 && result.promptSeconds > 0)
    }
  }

  @Test func streamsEqualTheText() async throws {
    let generator = try TinyModel.generator("stateful")
    let one = try #require(try TinyModel.expected().cases.first)
    var text = ""
    for try await piece in generator.stream(one.prompt, options: GenerationOptions(maximumResponseTokens: 8)) {
      text += piece
    }
    #expect(!text.isEmpty && one.text.hasPrefix(text))
  }

  @Test func contextsEndTheText() throws {
    for name in ["stateless", "stateful"] {
      let generator = try TinyModel.generator(name, stopTokens: [])
      #expect(generator.contextLength == 128)
      // The prompt leaves room for some tokens.
      let tokens = try TinyModel.expected().cases[0].tokens
      let prompt = try generator.tokenizer.decode(tokens + tokens + Array(tokens.prefix(25)))
      let result = try generator.generate(prompt, options: GenerationOptions(maximumResponseTokens: 1000))
      #expect(result.finishReason == .contextFull && result.tokens.count > 1)
      // The last token needs no place, since nothing comes after it.
      #expect(result.promptTokens.count + result.tokens.count == 129)
      let short = try generator.generate(
        "The planner", options: GenerationOptions(maximumResponseTokens: 1000, maximumContextTokens: 12))
      #expect(short.promptTokens.count + short.tokens.count == 13 && short.finishReason == .contextFull)
    }
  }

  @Test func longPromptsAreRefused() throws {
    let generator = try TinyModel.generator("stateful")
    let error = #expect(throws: GenerationError.self) {
      try generator.generate(String(repeating: "kernel ", count: 200))
    }
    #expect(error?.code == .invalidPrompt)
    #expect(error?.message.contains("expected 1 to 128, the context of the model") == true)
  }

  @Test func stopsEndTheText() throws {
    let generator = try TinyModel.generator("stateless")
    let one = try #require(try TinyModel.expected().cases.first)
    let options = GenerationOptions(maximumResponseTokens: 48)
    let word = String(one.text.dropFirst(9).prefix(6))
    let cut = try #require(one.text.range(of: word)).lowerBound
    var stopped = options
    stopped.stopSequences = ["never", word]
    var pieces: [String] = []
    let result = try generator.generate(one.prompt, options: stopped) { pieces.append($0) }
    #expect(result.text == String(one.text[..<cut]) && pieces.joined() == result.text)
    #expect(result.finishReason == .stopSequence && result.tokens.count < one.tokens.count)
    var token = options
    token.stopTokens = [one.tokens[5]]
    let shorter = try generator.generate(one.prompt, options: token)
    let first = try #require(one.tokens.firstIndex(of: one.tokens[5]))
    #expect(shorter.tokens == Array(one.tokens[..<first]) && shorter.finishReason == .stopToken)
  }

  @Test func errorsOfTheReceiverEndTheText() throws {
    struct Enough: Error {}
    let generator = try TinyModel.generator("stateful")
    var count = 0
    #expect(throws: Enough.self) {
      try generator.generate("The planner picks") { _ in
        count += 1
        if count == 3 { throw Enough() }
      }
    }
    #expect(count == 3)
  }

  @Test func modelsNameTheirTokenizer() throws {
    let url = TinyModel.folder.appending(path: "stateful.mlpackage")
    let model = try MLModel(opening: url, configuration: MLModelConfiguration())
    #expect(TextGenerator.tokenizerURL(for: model, at: url)?.lastPathComponent == "tokenizer.json")
    let elsewhere = URL(filePath: "/nonexistent/stateful.mlpackage")
    #expect(TextGenerator.tokenizerURL(for: model, at: elsewhere) == nil)
    #expect(try TinyModel.tokenizer().endTokens(beside: TinyModel.folder) == [TinyModel.end])
  }

  @Test func otherModelsAreRefusedByTheirInputs() throws {
    let url = TinyModel.folder.deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "interface/sums.mlmodel")
    let model = try MLModel(opening: url, configuration: MLModelConfiguration())
    let error = #expect(throws: GenerationError.self) {
      try TextGenerator(model: model, tokenizer: TinyModel.tokenizer())
    }
    #expect(error?.code == .unsupportedModel)
    #expect(
      error?.message.contains("its inputs are a (2 x 3), b (1 x 3), its outputs y, z (1)") == true,
      "\(error?.message ?? "")")
  }

  /// The decoder of `tools/make-state-models.py` takes one token at a time, and returns the logits of eight tokens.
  @Test func tokensAreFedOneByOne() throws {
    let url = TinyModel.folder.deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "models/states/decoder.mlpackage")
    let model = try MLModel(opening: url, configuration: MLModelConfiguration())
    let interface = try LanguageModelInterface(model.modelDescription)
    #expect(interface.isStateful && interface.tokens.sizes == .list([1]) && interface.contextLength == nil)
    // The next word is likeliest, unless it was used: each use lowers its logit by 2.
    let logits = try LanguageModelSession(model, interface).logits(after: [1, 2, 3])
    #expect(logits == [0, -2, -2, -2, 4, 3, 0, 0])
  }
}
