import CoreML
import Foundation
import Testing

/// Runs Apple's sample code for storing a compiled model verbatim, with Foundation only.
@Suite struct SeedFlowTests {
  @Test func aCompiledModelReplacesTheOneInApplicationSupport() throws {
    let compiledModelURL = try MLModel.compileModel(at: Samples.digits)
    let fileManager = FileManager.default
    let appSupportURL = try #require(
      fileManager.urls(for: .applicationSupportDirectory, in: .userDomainMask).first)
    // A separate folder replaces the user's one.
    let folder = appSupportURL.appendingPathComponent("coreml-test-\(UUID().uuidString)")
    try fileManager.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? fileManager.removeItem(at: folder) }
    let permanentURL = folder.appendingPathComponent(compiledModelURL.lastPathComponent)
    // The destination does not exist the first time, and exists the second time.
    _ = try fileManager.replaceItemAt(permanentURL, withItemAt: compiledModelURL)
    _ = try MLModel(contentsOf: permanentURL)
    #expect(!fileManager.fileExists(atPath: compiledModelURL.path))
    _ = try fileManager.replaceItemAt(permanentURL, withItemAt: MLModel.compileModel(at: Samples.digits))
    _ = try MLModel(contentsOf: permanentURL)
    #expect(try fileManager.contentsOfDirectory(atPath: folder.path) == ["Digits.mlmodelc"])
  }

  @Test func anUpdatedModelReplacesTheOneBefore() throws {
    let folder = try TemporaryFolder()
    let fileManager = FileManager.default
    let updatedModelURL = folder.url.appendingPathComponent("personalized.mlmodelc")
    let tempUpdatedModelURL = folder.url.appendingPathComponent("personalized_tmp.mlmodelc")
    for _ in 0..<2 {
      try fileManager.createDirectory(at: tempUpdatedModelURL, withIntermediateDirectories: true, attributes: nil)
      let compiled = try MLModel.compileModel(at: Samples.digits)
      for name in try fileManager.contentsOfDirectory(atPath: compiled.path) {
        try fileManager.copyItem(
          at: compiled.appendingPathComponent(name), to: tempUpdatedModelURL.appendingPathComponent(name))
      }
      _ = try fileManager.replaceItemAt(updatedModelURL, withItemAt: tempUpdatedModelURL)
      _ = try MLModel(contentsOf: updatedModelURL)
      #expect(!fileManager.fileExists(atPath: tempUpdatedModelURL.path))
    }
  }
}
