import Foundation
import TestSupport
import Testing

/// `runtime support`, and the document generated from it.
@Suite(.tags(.process)) struct SupportTests {
  private let folder: Scratch

  init() throws { folder = try Scratch() }

  @Test func theCommittedPageIsWhatTheTablesSay() throws {
    let run = try CommandRun(["support", "--markdown"], in: folder)
    let page = try String(contentsOf: CommandRun.checkout.appending(path: "docs/support.md"), encoding: .utf8)
    #expect(run.status == 0 && run.complaint.isEmpty, "\(run.complaint)")
    #expect(run.output == page, "docs/support.md is not what the tables say: run tools/support")
  }

  /// The names of the format, from another source than the schema and the registry that the tables are generated from.
  private struct Format: Decodable {
    let modelTypes: [String]
    let layers: [String]
    let activations: [String]
    let preprocessors: [String]
    let featureTypes: [String]
    let operations: [String: [String]]
    let dataTypes: [String]
  }

  @Test func nothingThatTheFormatHasIsLeftOut() throws {
    let file = CommandRun.checkout.appending(path: "Tests/Cases/models/format.json")
    let format = try JSONDecoder().decode(Format.self, from: Data(contentsOf: file))
    let found = try CommandRun(["support"], in: folder).json()
    func names(_ list: String) throws -> [String] {
      try #require(found[list] as? [[String: Any]]).compactMap { $0["name"] as? String }
    }
    #expect(try names("modelTypes").sorted() == format.modelTypes.sorted())
    #expect(try names("layers").sorted() == format.layers.sorted())
    #expect(try names("activations").sorted() == format.activations.sorted())
    #expect(try names("preprocessors").sorted() == format.preprocessors.sorted())
    #expect(try names("featureTypes").sorted() == format.featureTypes.sorted())
    #expect(try names("dataTypes").count == format.dataTypes.count)
    let opsets = try #require(found["operations"] as? [[String: Any]]).reduce(into: [String: [String]]()) {
      if let name = $1["name"] as? String { $0[name] = $1["opsets"] as? [String] }
    }
    #expect(opsets == format.operations)
  }

  /// Operations that only this runtime has carry a prefix, so that they are not mistaken for operations of the format.
  @Test func operationsOfThisRuntimeAreMarked() throws {
    let found = try CommandRun(["support"], in: folder).json()
    for operation in try #require(found["ownOperations"] as? [[String: Any]]) {
      let name = try #require(operation["name"] as? String)
      #expect(
        ["nn.", "ml.", "fused.", "quantized.", "train.", "constexpr_rows", "constexpr_part"].contains {
          name.hasPrefix($0)
        }, "\(name)")
      #expect(operation["runs"] as? Bool == true, "\(name)")
    }
  }

  @Test func aNameIsAnswered() throws {
    let lstm = try CommandRun(["support", "LSTM"], in: folder)
    #expect(lstm.status == 0)
    let found = try lstm.json()
    func names(_ list: String) -> [String] {
      (found[list] as? [[String: Any]] ?? []).compactMap { $0["name"] as? String }
    }
    #expect(names("layers") == ["uniDirectionalLSTM", "biDirectionalLSTM"])
    #expect(names("operations") == ["lstm"] && names("ownOperations") == ["nn.lstm"])
    #expect(names("modelTypes").isEmpty && names("dataTypes").isEmpty)
    // Status 1: the item is not supported, or does not exist.
    #expect(try CommandRun(["support", "wordTagger"], in: folder).status == 1)
    #expect(try CommandRun(["support", "no such thing"], in: folder).status == 1)
    try CommandRun(["support", "conv", "--markdown"], in: folder).failed(64, naming: "--markdown")
  }
}
