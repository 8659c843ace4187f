import CoreML
import FeatureFiles
import Foundation
import Testing

/// A reader opens a file that its input names only if the caller passes a source for files.
@Suite struct ImageSourceTests {
  private let folder: Scratch
  private static let model = CommandRun.digits.appending(path: "Digits.mlpackage")

  /// A picture, a link to it, and a folder for rows that name both.
  init() throws {
    folder = try Scratch()
    try folder.write("", to: "rows/empty")
    try FileManager.default.copyItem(
      at: CommandRun.digits.appending(path: "seven.png"), to: folder.url.appending(path: "rows/seven.png"))
    try #require(symlink("seven.png", folder.url.appending(path: "rows/link.png").path) == 0)
  }

  private func description(of model: URL) async throws -> MLModelDescription {
    let compiled = try await MLModel.compileModel(at: model)
    defer { try? FileManager.default.removeItem(at: compiled.deletingLastPathComponent()) }
    return try MLModel(contentsOf: compiled).modelDescription
  }

  private func refused(_ name: String, sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> Void) {
    let error = #expect(throws: FeatureFileError.self, sourceLocation: sourceLocation, performing: body)
    #expect(error?.code.rawValue == "features.no-image-source", sourceLocation: sourceLocation)
    let words = "the feature 'image' names the file '\(name)'"
    #expect(error?.message.contains(words) == true, "\(error?.message ?? "")", sourceLocation: sourceLocation)
  }

  /// The paths that a row in the folder `rows` may use for the picture.
  private static let names = ["seven.png", "../rows/seven.png", "link.png", "/rows/seven.png"]

  /// Only absolute paths change with the folder of the test.
  private func path(_ name: String) -> String { name.hasPrefix("/") ? folder.url.path + name : name }

  @Test(arguments: names) func aReaderWithoutASourceRefusesByName(name: String) async throws {
    let description = try await description(of: Self.model)
    let feature = try #require(description.inputDescriptionsByName["image"])
    let path = path(name)
    for json in [JSONValue.string(path), .object(["image": .string(path)])] {
      refused(String(path.prefix(60))) { _ = try FeatureJSON.feature(json, feature, images: .none) }
    }
    let file = try folder.write("{\"image\": \"\(path)\"}", to: "rows/row.json")
    refused(String(path.prefix(60))) { _ = try FeatureFile.features(file.path, for: description, images: .none) }
    if name == "seven.png" {
      refused(name) { _ = try ConformanceJSON.feature(["type": "image", "file": name], feature, images: .none) }
    }
  }

  @Test(arguments: names) func aSourceOfFilesOpensThem(name: String) async throws {
    let description = try await description(of: Self.model)
    let source = ImageSource.files(relativeTo: folder.url.appending(path: "rows").path)
    let file = try folder.write("{\"image\": \"\(path(name))\"}", to: "other/row.json")
    let read = try FeatureFile.features(file.path, for: description, images: source)
    #expect(read["image"]?.imageBufferValue != nil)
    let elsewhere = ImageSource.files(relativeTo: folder.url.appending(path: "other").path)
    let isFound = (try? FeatureFile.features(file.path, for: description, images: elsewhere)) != nil
    #expect(isFound == (name.hasPrefix("/") || name.hasPrefix("..")))
  }

  /// A conformance case has its images in its folder.
  @Test(arguments: ["/rows/seven.png", "../rows/seven.png"]) func aCaseNamesNoFileElsewhere(name: String) async throws {
    let feature = try #require(try await description(of: Self.model).inputDescriptionsByName["image"])
    let source = ImageSource.files(relativeTo: folder.url.appending(path: "rows").path)
    let error = #expect(throws: FeatureFileError.self) {
      try ConformanceJSON.feature(["type": "image", "file": path(name)], feature, images: source)
    }
    #expect(error?.code == .invalid)
    let inside = try ConformanceJSON.feature(["type": "image", "file": "seven.png"], feature, images: source)
    #expect(inside.imageBufferValue != nil)
  }

  /// Values that name no file need no source. A text may look like a path.
  @Test func otherValuesNeedNoSource() async throws {
    try SmallModels.write(SmallModels.passenger, to: "Passenger.mlmodel", in: folder)
    let description = try await description(of: folder.url.appending(path: "Passenger.mlmodel"))
    let file = try folder.write(#"{"Sex": "/etc/passwd", "Age": 3}"#, to: "row.json")
    let read = try FeatureFile.features(file.path, for: description, images: .none)
    #expect(read["Sex"]?.stringValue == "/etc/passwd" && read["Age"]?.doubleValue == 3)
  }

  /// The command reads its user's files. Paths start at the folder of the file that names them.
  @Test(arguments: names) func theCommandOpensWhatItsUserNames(name: String) throws {
    try folder.write("{\"image\": {\"image\": \"\(path(name))\"}}\n", to: "rows/row.json")
    try folder.write("{\"image\": \"\(path(name))\"}\n", to: "rows/rows.jsonl")
    try folder.write("image\n\(path(name))\n", to: "rows/rows.csv")
    let set = name.hasPrefix("/") ? path(name) : "rows/\(name)"
    for words in [
      ["--input", "rows/row.json"], ["--batch", "rows/rows.jsonl"], ["--batch", "rows/rows.csv"],
      ["--set", "image=\(set)"],
    ] {
      let run = try CommandRun(["predict", Self.model.path, "--json"] + words, in: folder)
      #expect(run.status == 0 && run.output.contains("\"seven\""), "\(words): \(run.complaint)")
    }
  }
}
