import ArgumentParser
import CoreML
import CoreMLBase
import CoreMLRuntime
import CoreMLTextGeneration
import CoreMLTokenizers
import Foundation

struct GenerateText: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "generate-text",
    abstract: "Continues a text with a language model.",
    discussion: """
      The model takes token ids (input_ids), may take attention_mask or causal_mask and position_ids, and returns logits. It may keep a state. \
      Without --tokenizer, the tokenizer is the file that the model's metadata names under "tokenizer", or tokenizer.json beside the model. \
      A text ends with the end token of generation_config.json, config.json or tokenizer_config.json beside the tokenizer. \
      The text is the output, on a pipe too, as it is generated; with --json it is one object at the end. The speed goes to standard error.
      """)

  @OptionGroup var model: ModelOptions
  @Option(
    help: ArgumentHelp("A tokenizer.json, or its folder.", valueName: "file"), completion: .file())
  var tokenizer: String?
  @Option(parsing: .unconditional, help: "The text to continue.")
  var prompt: String?
  @Option(
    help: ArgumentHelp("A file with the text to continue; - for standard input.", valueName: "file"),
    completion: .file())
  var promptFile: String?
  @Option(
    parsing: .unconditional, help: ArgumentHelp("The most tokens to generate.", valueName: "n"))
  var maxTokens = 256
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("The most tokens of the prompt and the text; that of the model by default.", valueName: "n"))
  var context: Int?
  @OptionGroup var sampling: SamplingOptions
  @Option(
    parsing: .unconditionalSingleValue,
    help: ArgumentHelp("A text that ends the generation; may be given several times.", valueName: "text"))
  var stop: [String] = []
  @Option(
    parsing: .unconditionalSingleValue,
    help: ArgumentHelp("A token, or its id, that ends the generation; may be given several times.", valueName: "token"))
  var stopToken: [String] = []
  @Flag(help: "Do not stop at the tokenizer's end token.")
  var ignoreEnd = false
  @OptionGroup var device: DeviceOptions
  @OptionGroup var key: KeyOptions
  @Flag(help: "Print JSON.")
  var json = false
  @Flag(help: "Do not keep the compiled model.")
  var noCache = false

  func validate() throws {
    guard (prompt == nil) != (promptFile == nil) else {
      throw ValidationError("expected either --prompt or --prompt-file")
    }
    if !(1...1_000_000).contains(maxTokens) {
      throw ValidationError("--max-tokens is \(maxTokens), expected 1 to 1000000")
    }
    if let context, context < 1 { throw ValidationError("--context is \(context), expected 1 or more") }
    if stop.contains("") { throw ValidationError("--stop is empty") }
  }

  func run() throws {
    let text = try promptText()
    let url = try model.find(encrypted: true)
    let loading = UncheckedSendable((key: key, url: url, configuration: device.configuration, noCache: noCache))
    let limit = TimeLimit(seconds: try RuntimeLimits.inForce().loadTime)
    let loaded = try limit.run("loading the model") {
      let given = loading.value
      return UncheckedSendable(
        try given.key.load(given.url, configuration: given.configuration, noCache: given.noCache))
    }
    let generator = try generator(loaded, at: url)
    let options = GenerationOptions(
      sampling: sampling.mode, temperature: sampling.randomTemperature, maximumResponseTokens: maxTokens,
      maximumContextTokens: context, stopSequences: stop, stopTokens: try stopTokens(generator.tokenizer))
    let isStreaming = !json
    let result = try Interruption.shared.during {
      try generator.generate(text, options: options) { piece in
        if isStreaming { Console.say([UInt8](piece.utf8)) }
      }
    }
    if json { try Console.say(json: TextReport(result)) } else { Console.say("") }
    Console.remark(TextReport.summary(result))
  }

  private func promptText() throws -> String {
    if let prompt { return prompt }
    guard let promptFile else { return "" }
    let most = 64 << 20
    let name = promptFile == "-" ? "standard input" : promptFile
    let bytes =
      promptFile == "-" ? Self.standardInput(limit: most + 1) : OpenFile.contents(atPath: promptFile, limit: most + 1)
    guard let bytes else { throw Failure(.io, "\(name) cannot be read: \(String(cString: strerror(errno)))") }
    guard bytes.count <= most else { throw Failure(.data, "\(name) has more than \(most >> 20) MB") }
    guard let text = String(validating: bytes, as: UTF8.self) else { throw Failure(.data, "\(name) is not UTF-8 text") }
    return text
  }

  /// The bytes of standard input, which may be a pipe; nil (errno) if it cannot be read.
  private static func standardInput(limit: Int) -> [UInt8]? {
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 1 << 16)
    while bytes.count < limit {
      let count = read(STDIN_FILENO, &piece, piece.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { return nil }
      if count == 0 { break }
      bytes += piece[..<count]
    }
    return bytes
  }

  private func generator(_ model: MLModel, at url: URL) throws -> TextGenerator {
    guard let file = tokenizer.map({ URL(filePath: $0) }) ?? TextGenerator.tokenizerURL(for: model, at: url) else {
      throw Failure(
        .usage,
        "\(url.path): expected --tokenizer: the model names no tokenizer, and there is no tokenizer.json beside it")
    }
    let tokenizer = try Tokenizer(contentsOf: file)
    do {
      return try TextGenerator(
        model: model, tokenizer: tokenizer, stopTokens: ignoreEnd ? [] : tokenizer.endTokens(beside: file))
    } catch let error as GenerationError where error.code == .unsupportedModel {
      throw Failure(.data, "\(url.path): \(error.message)")
    }
  }

  private func stopTokens(_ tokenizer: Tokenizer) throws -> Set<Int> {
    Set(
      try stopToken.map { word in
        guard let id = tokenizer.id(for: word) ?? Int(word).flatMap({ tokenizer.token(for: $0) == nil ? nil : $0 })
        else {
          throw Failure(.usage, "--stop-token '\(word)' is neither a token of the tokenizer nor the id of one")
        }
        return id
      })
  }
}

/// How the next token is chosen.
struct SamplingOptions: ParsableArguments {
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Choose randomly at this temperature; 0 is the likeliest token, the default.", valueName: "t"))
  var temperature: Double?
  @Option(
    parsing: .unconditional, help: ArgumentHelp("Choose randomly from the K likeliest tokens.", valueName: "k"))
  var topK: Int?
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Choose randomly from the likeliest tokens that together have this probability.", valueName: "p")
  )
  var topP: Double?
  @Option(
    parsing: .unconditional, help: ArgumentHelp("The seed of random choices; a random one by default.", valueName: "n"))
  var seed: UInt64?

  private var isRandom: Bool { temperature.map { $0 > 0 } ?? (topK != nil || topP != nil || seed != nil) }

  var mode: GenerationOptions.SamplingMode {
    isRandom ? .random(top: topK, probabilityThreshold: topP, seed: seed) : .greedy
  }

  /// The temperature of random choices.
  var randomTemperature: Double? { isRandom ? temperature : nil }

  func validate() throws {
    if let temperature, !(temperature >= 0 && temperature.isFinite) {
      throw ValidationError("--temperature is \(temperature), expected 0 or more")
    }
    if let topK, topK < 1 { throw ValidationError("--top-k is \(topK), expected 1 or more") }
    if let topP, !(topP > 0 && topP <= 1) {
      throw ValidationError("--top-p is \(topP), expected more than 0 and at most 1")
    }
    if temperature == 0, topK != nil || topP != nil || seed != nil {
      throw ValidationError(
        "--temperature 0 chooses the likeliest token, and --top-k, --top-p and --seed choose randomly")
    }
  }
}
