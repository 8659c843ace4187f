import Foundation
import TestSupport
import Testing

@Suite(.tags(.process)) struct GenerateTests {
  /// Generated code that is committed, compiled and run by other tests: its model, arguments and files.
  struct Row: Decodable, CustomTestStringConvertible, Sendable {
    let model: String
    let arguments: [String]
    let folder: String
    let files: [String]

    var testDescription: String { ([model] + arguments).joined(separator: " ") }

    static let all: [Row] = {
      let url = CommandRun.checkout.appending(path: "Tests/Cases/generate/files.json")
      return (try? JSONDecoder().decode([Row].self, from: Data(contentsOf: url))) ?? []
    }()
  }

  private let folder: Scratch
  private static let digits = CommandRun.digits.appending(path: "Digits.mlpackage").path

  init() throws { folder = try Scratch() }

  @Test func thereIsCodeToCompare() { #expect(Row.all.count >= 20) }

  @Test(arguments: Row.all) func codeIsTheSameToTheByte(_ row: Row) throws {
    let model = CommandRun.checkout.appending(path: row.model).path
    let run = try CommandRun(["generate", model, "-o", "out"] + row.arguments, in: folder)
    #expect(run.status == 0, "\(run.complaint)")
    #expect(try folder.list("out") == row.files)
    for file in row.files {
      let expected = try String(
        contentsOf: CommandRun.checkout.appending(path: "\(row.folder)/\(file)"), encoding: .utf8)
      #expect(try folder.read("out/\(file)") == expected, "tools/make-generated makes \(row.folder)/\(file) anew")
    }
  }

  @Test func aCompiledModelHasTheClassesOfItsSource() throws {
    #expect(try CommandRun(["compile", Self.digits, "-o", "."], in: folder).status == 0)
    for (model, place) in [(Self.digits, "source"), ("Digits.mlmodelc", "compiled")] {
      let run = try CommandRun(["generate", model, "-o", place, "--class-labels"], in: folder)
      #expect(run.status == 0, "\(run.complaint)")
    }
    #expect(try folder.read("source/Digits.swift") == folder.read("compiled/Digits.swift"))
  }

  @Test func pathsArePrinted() throws {
    let found = try CommandRun(["generate", Self.digits, "-o", "o", "--language", "objc", "--json"], in: folder).json()
    let paths = try #require(found["paths"] as? [String])
    #expect(paths.map { URL(filePath: $0).lastPathComponent } == ["Digits.h", "Digits.m"])
    #expect(paths.allSatisfy { FileManager.default.fileExists(atPath: $0) })
  }

  @Test func aFileOfTheSameTextIsLeftAsItIs() throws {
    func made() throws -> Date? {
      #expect(try CommandRun(["generate", Self.digits], in: folder).status == 0)
      let path = folder.url.appending(path: "Digits.swift").path
      return try FileManager.default.attributesOfItem(atPath: path)[.modificationDate] as? Date
    }
    let first = try made()
    #expect(try made() == first && first != nil)
  }

  @Test func resourcesOfPackagesAreLookedForInTheirModule() throws {
    #expect(try CommandRun(["generate", Self.digits, "--bundle", "module"], in: folder).status == 0)
    let text = try folder.read("Digits.swift")
    #expect(text.contains("Bundle.module.url(forResource: \"Digits\"") && !text.contains("Bundle(for:"))
  }

  @Test func whatCannotBeGeneratedIsRefused() throws {
    try CommandRun(["generate", Self.digits, "--class-name", "a-b"], in: folder).failed(65, naming: "a-b")
    try CommandRun(["generate", Self.digits, "--swift-version", "3"], in: folder).failed(64, naming: "swift-version")
    try CommandRun(["generate", Self.digits, "--language", "cobol"], in: folder).failed(64, naming: "cobol")
    try CommandRun(["generate", Self.digits, "--language", "python", "--class-labels"], in: folder)
      .failed(64, naming: "class-labels")
    try CommandRun(["generate", "absent.mlmodel"], in: folder).failed(74, naming: "absent.mlmodel")
    try folder.write("not a model", to: "bad.mlmodel")
    try CommandRun(["generate", "bad.mlmodel"], in: folder).failed(65, naming: "bad.mlmodel")
    try folder.write("in the way", to: "file")
    try CommandRun(["generate", Self.digits, "-o", "file"], in: folder).failed(73, naming: "file")
    #expect(try folder.list() == ["bad.mlmodel", "file"])
  }

  /// The store keeps the model under another file name.
  @Test func anInstalledModelIsCalledByItsName() throws {
    let words = ["models", "install", Self.digits, "--name", "Shown", "--compute-units", "cpuOnly"]
    let installed = try CommandRun(words, in: folder)
    #expect(installed.status == 0, "\(installed.complaint)")
    let run = try CommandRun(["generate", "Shown", "-o", "out"], in: folder)
    #expect(run.status == 0, "\(run.complaint)")
    #expect(try folder.list("out") == ["Shown.swift"])
    let text = try folder.read("out/Shown.swift")
    #expect(text.contains("class ShownInput") && text.contains("url(forResource: \"Shown\""))
    let metadata = try CommandRun(["metadata", "Shown"], in: folder)
    #expect(metadata.output.contains("\"generatedClassName\" : \"Shown\""), "\(metadata.complaint)")
    let compiled = try CommandRun(["compile", "Shown", "-o", "out"], in: folder)
    #expect(compiled.output.hasSuffix("/out/Shown.mlmodelc\n"), "\(compiled.complaint)")
  }

  @Test(arguments: [
    ["generate"], ["metadata"], ["coremlc", "compile"], ["coremlc", "generate"], ["coremlc", "metadata"],
  ])
  func limitsHold(words: [String]) throws {
    var text = "(tensor<fp32, [1]> v0) {"
    for index in 1...20_000 { text += "tensor<fp32, [1]> v\(index) = square(x = v\(index - 1));\n" }
    let long = try WrittenModel.write(
      text + "} -> (v20000)", inputs: ["v0": [1]], outputs: ["v20000": [1]], in: folder, named: "Long")
    let rest = words[0] == "coremlc" && words[1] != "metadata" ? ["out"] : []
    try CommandRun(words + [Self.digits] + rest + ["--model-size-limit", "1K"], in: folder).failed(
      65, naming: "--model-size-limit")
    try CommandRun(words + [Self.digits] + rest, in: folder, environment: ["COREML_MODEL_SIZE_LIMIT": "1K"]).failed(
      65, naming: "COREML_MODEL_SIZE_LIMIT")
    guard words.last != "compile" else { return }
    try CommandRun(words + [long] + rest + ["--operation-limit", "1000"], in: folder).failed(
      65, naming: "--operation-limit")
    try CommandRun(words + [long] + rest + ["--timeout", "0.001"], in: folder).failed(75, naming: "took longer than")
    #expect(try folder.list() == ["Long.mlmodelc"])
  }

  @Test(arguments: [["generate", "-o", "out", "--language", "objc"], ["coremlc", "generate", "out"]])
  func whatSomebodyWroteIsNotReplaced(words: [String]) throws {
    let names = words[0] == "coremlc" ? [words[0], words[1], Self.digits] + words.dropFirst(2) : words + [Self.digits]
    let own = "int main(void) { return 0; }\n"
    try folder.write(own, to: "out/Digits.m")
    try CommandRun(names, in: folder).failed(73, naming: "out/Digits.m")
    #expect(try folder.list("out") == ["Digits.m"] && folder.read("out/Digits.m") == own)
    #expect(try CommandRun(names + ["--force"], in: folder).status == 0)
    #expect(try folder.read("out/Digits.m").contains("@implementation Digits"))
    // Generated files are replaced, even if they were generated from another model.
    try folder.write(folder.read("out/Digits.m") + "// more\n", to: "out/Digits.m")
    #expect(try CommandRun(names, in: folder).status == 0)
    #expect(try !folder.read("out/Digits.m").contains("// more"))
    try FileManager.default.removeItem(at: folder.url.appending(path: "out/Digits.h"))
    try folder.write("x", to: "out/Digits.h/file")
    try CommandRun(names, in: folder).failed(73, naming: "out/Digits.h")
  }

  @Test(arguments: Generate.allCases) func everyLanguageSaysAtItsHeadThatItWasGenerated(language: Generate) throws {
    let words = ["generate", Self.digits, "-o", "out", "--language", language.rawValue]
    #expect(try CommandRun(words, in: folder).status == 0)
    for name in try folder.list("out") {
      try folder.write(folder.read("out/\(name)") + "\n", to: "out/\(name)")
    }
    let again = try CommandRun(words, in: folder)
    #expect(again.status == 0, "\(again.complaint)")
  }

  enum Generate: String, CaseIterable, Sendable { case swift, objc, python, jsonSchema = "json-schema" }

  /// A relative path is relative to the caller's working directory, not to the checkout.
  @Test(arguments: ["make-generated", "test-plugin"]) func scriptsTakeRelativePaths(name: String) throws {
    let script = Process()
    script.executableURL = CommandRun.checkout.appending(path: "tools/\(name)")
    script.arguments = ["sub/absent"]
    script.currentDirectoryURL = folder.url
    script.standardError = try folder.handle("log")
    try script.run()
    script.waitUntilExit()
    let said = try folder.read("log")
    let place = folder.url.resolvingSymlinksInPath().appending(path: "sub/absent").path
    #expect(script.terminationStatus == 1 && said.contains("\(place) is missing"), "\(said)")
  }
}
