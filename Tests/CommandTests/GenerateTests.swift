import Foundation
import Testing

@Suite struct GenerateTests {
  /// Code that is committed, compiled and run by other tests: how it is made, and where it stands.
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
}
