import CoreMLServing
import Foundation
import Testing

@Suite struct ModelFolderTests {
  private let folder = FileManager.default.temporaryDirectory.appending(path: "models-\(UUID().uuidString)")

  private func write(_ path: String, _ text: String = "model") throws {
    let file = folder.appending(path: path)
    try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: file)
  }

  @Test func findsBothLayouts() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    try write("one.mlmodel")
    try write("two.mlpackage/Data/model")
    try write("three/1/model.mlmodel")
    try write("three/2/any.mlmodelc/coremldata.bin")
    try write("three/3/readme.txt")
    try write(".hidden.mlmodel")
    try write("notes.txt")
    try write("both.mlmodel")
    try write("both.mlmodelc/coremldata.bin")
    let sources = ModelFolder(folder).sources(now: Date() + 60)
    #expect(sources.map { "\($0.name)/\($0.version)" }.sorted() == ["both/1", "one/1", "three/1", "three/2", "two/1"])
    #expect(sources.allSatisfy { $0.isComplete })
    #expect(sources.first { $0.name == "both" }?.url.pathExtension == "mlmodelc")
  }

  @Test func filesThatChangeAreNotComplete() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let models = ModelFolder(folder)
    let start = Date()
    try write("m.mlmodel", "half")
    #expect(models.sources(now: start).map(\.isComplete) == [false])
    try write("m.mlmodel", "half and more")
    let first = models.sources(now: start + 1)
    #expect(first.map(\.isComplete) == [false])
    let second = models.sources(now: start + 10)
    #expect(second.map(\.isComplete) == [true] && second[0].fingerprint == first[0].fingerprint)
    try write("m.mlmodel", "another")
    #expect(models.sources(now: Date()).first?.fingerprint != second[0].fingerprint)
  }

  @Test func emptyFilesAreNotComplete() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    try write("m.mlmodel", "")
    #expect(ModelFolder(folder).sources(now: Date() + 60).map(\.isComplete) == [false])
  }
}
