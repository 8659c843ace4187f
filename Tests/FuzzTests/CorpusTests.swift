import Foundation
import Testing

/// The fuzzers' corpora file by file: inputs that once reached new code, and inputs that once were findings.
@Suite struct CorpusTests {
  struct Input: Sendable, CustomTestStringConvertible {
    let target: FuzzTarget
    let file: URL
    var testDescription: String { "\(target.name)/\(file.lastPathComponent)" }
  }

  static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "Cases/fuzz")

  static let inputs: [Input] = FuzzTarget.all.flatMap { target in
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.appending(path: target.name).path)) ?? []
    return names.sorted().map { Input(target: target, file: folder.appending(path: "\(target.name)/\($0)")) }
  }

  @Test(arguments: inputs) func isReadOrRefused(_ input: Input) throws {
    let bytes = try Data(contentsOf: input.file)
    let finding = bytes.withUnsafeBytes { input.target.finding($0) }
    #expect(finding == nil)
  }

  @Test func everyTargetHasACorpus() {
    #expect(Set(Self.inputs.map(\.target.name)) == Set(FuzzTarget.all.map(\.name)))
  }

  @Test func everyFolderIsOfATarget() throws {
    let folders = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path)
    #expect(Set(folders).isSubset(of: Set(FuzzTarget.all.map(\.name))))
  }
}
