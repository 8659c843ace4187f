import CoreMLRuntime
import CoreMLTextGeneration
import CoreMLTokenizers
import Foundation

/// The models of `tools/make-text-models.py`, and what transformers' `generate()` says.
enum TinyModel {
  struct Expected: Decodable {
    struct Case: Decodable {
      let prompt: String
      let promptTokens: [Int]
      let tokens: [Int]
      let text: String
    }

    let maxTokens: Int
    let cases: [Case]
  }

  static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "Cases/text/model")
  /// The end of a text.
  static let end = 1

  static func expected() throws -> Expected {
    try JSONDecoder().decode(Expected.self, from: Data(contentsOf: folder.appending(path: "expected.json")))
  }

  static func tokenizer() throws -> Tokenizer { try Tokenizer(contentsOf: folder) }

  /// A generator with `stateless` or `stateful` on the CPU.
  static func generator(_ name: String, stopTokens: Set<Int> = [end]) throws -> TextGenerator {
    let configuration = MLModelConfiguration()
    configuration.computeUnits = .cpuOnly
    configuration.threads = 1
    let model = try MLModel(opening: folder.appending(path: "\(name).mlpackage"), configuration: configuration)
    return try TextGenerator(model: model, tokenizer: tokenizer(), stopTokens: stopTokens)
  }
}
