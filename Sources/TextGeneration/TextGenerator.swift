import CoreMLBase
import CoreMLRuntime
import CoreMLTokenizers
import Foundation

/// Generates text with a language model and its tokenizer.
///
///     let generator = try TextGenerator(model: model, tokenizer: Tokenizer(contentsOf: url))
///     for try await text in generator.stream("Once upon a time") { print(text, terminator: "") }
///
/// The model takes token ids (`input_ids`) and returns `logits`. It may take a mask and positions, and keep a state.
/// A text is independent of other texts of the same generator. Thread-safe.
public final class TextGenerator: Sendable {
  private let model: UncheckedSendable<MLModel>
  private let interface: LanguageModelInterface
  public let tokenizer: Tokenizer
  /// Tokens that end every text.
  public let stopTokens: Set<Int>

  /// The limit of tokens of the prompt and the response; nil if the model declares none.
  public var contextLength: Int? { interface.contextLength }

  /// - Parameters:
  ///   - stopTokens: Tokens that end every text, such as `Tokenizer.endTokens(beside:)`.
  /// - Throws: `GenerationError` if the model is not a language model that is supported.
  public init(model: MLModel, tokenizer: Tokenizer, stopTokens: Set<Int> = []) throws {
    interface = try LanguageModelInterface(model.modelDescription)
    self.model = UncheckedSendable(model)
    (self.tokenizer, self.stopTokens) = (tokenizer, stopTokens)
  }

  /// The tokenizer that belongs to a model: the file that the model's metadata names under `tokenizer`, relative to
  /// the model's folder, or `tokenizer.json` beside the model. Nil if there is none.
  public static func tokenizerURL(for model: MLModel, at url: URL) -> URL? {
    let folder = url.deletingLastPathComponent()
    let own = model.modelDescription.metadata[.creatorDefinedKey] as? [String: String]
    let name = own?["tokenizer"] ?? "tokenizer.json"
    guard let path = RelativePath(name)?.below(folder.path), PathKind(of: path) == .file else { return nil }
    return URL(filePath: path)
  }

  /// Generates text and returns it whole.
  ///
  /// - Parameters:
  ///   - onText: Gets each piece of text when it is complete. It ends the generation by throwing an error.
  /// - Throws: `TokenizerError`, `GenerationError` or `MLModelError`.
  @discardableResult public func generate(
    _ prompt: String, options: GenerationOptions = GenerationOptions(), onText: (String) throws -> Void = { _ in }
  ) throws -> Generation {
    try options.validate()
    var result = Generation()
    result.promptTokens = try tokenizer.encode(prompt)
    let context = min(interface.contextLength ?? .max, options.maximumContextTokens ?? .max)
    guard (1...context).contains(result.promptTokens.count) else {
      throw GenerationError(
        .invalidPrompt,
        "the prompt has \(result.promptTokens.count) tokens, expected 1 to "
          + (context == .max ? "any number" : "\(context), the context of the model"))
    }
    var sampler = Sampler(options)
    result.seed = sampler.seed
    let session = LanguageModelSession(model.value, interface)
    var output = TextOutput(TextStream(tokenizer), StopSearch(options.stopSequences))
    let stops = stopTokens.union(options.stopTokens)
    var next = result.promptTokens
    result.finishReason = .maximumTokens
    while result.tokens.count < options.maximumResponseTokens {
      guard result.promptTokens.count + result.tokens.count <= context else {
        result.finishReason = .contextFull
        break
      }
      try Cancellation.check()
      let token = try Self.timed(&result) { try sampler.next(session.logits(after: next)) }
      if stops.contains(token) {
        result.finishReason = .stopToken
        break
      }
      result.tokens.append(token)
      try output.append(token)
      try output.give(to: &result, onText)
      if result.finishReason == .stopSequence { return result }
      next = [token]
    }
    try output.finish()
    try output.give(to: &result, onText)
    return result
  }

  /// Runs a prediction, and adds its time to the result.
  private static func timed(_ result: inout Generation, _ body: () throws -> Int) rethrows -> Int {
    let clock = ContinuousClock()
    let start = clock.now
    let token = try body()
    let seconds = (clock.now - start) / .seconds(1)
    if result.tokens.isEmpty {
      result.promptSeconds = seconds
    } else {
      result.decodeSeconds += seconds
      result.decodeSteps += 1
    }
    return token
  }

  /// Generates text without blocking the caller. Each element is a piece of complete characters. The generation stops
  /// when the task that reads the stream is cancelled.
  public func stream(
    _ prompt: String, options: GenerationOptions = GenerationOptions()
  ) -> AsyncThrowingStream<String, any Error> {
    AsyncThrowingStream { continuation in
      let task = Task.detached {
        do {
          _ = try await offCaller {
            try self.generate(prompt, options: options) { continuation.yield($0) }
          }
          continuation.finish()
        } catch { continuation.finish(throwing: error) }
      }
      continuation.onTermination = { _ in task.cancel() }
    }
  }
}

/// The text of a generation: complete characters, up to a stop sequence.
private struct TextOutput {
  private var stream: TextStream
  private var search: StopSearch
  private var ready = ""
  private var isStopped = false

  init(_ stream: TextStream, _ search: StopSearch) { (self.stream, self.search) = (stream, search) }

  mutating func append(_ token: Int) throws { (ready, isStopped) = search.append(try stream.append(token)) }

  mutating func finish() throws {
    (ready, isStopped) = search.append(try stream.finish())
    if !isStopped { ready += search.finish() }
  }

  /// Hands over the text that is ready.
  mutating func give(to result: inout Generation, _ onText: (String) throws -> Void) throws {
    if isStopped { result.finishReason = .stopSequence }
    guard !ready.isEmpty else { return }
    result.text += ready
    try onText(ready)
    ready = ""
  }
}
