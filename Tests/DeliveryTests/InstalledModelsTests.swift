import CoreMLDelivery
import Foundation
import Testing

@Suite struct InstalledModelsTests {
  @Test func modelsAreListedByNameTheCompiledFormFirst() throws {
    let folder = try TemporaryFolder()
    for path in ["b.mlmodel", "a.mlpackage/Manifest.json", "b.mlmodelc/model.mil", "notes.txt", ".hidden.mlmodel"] {
      try folder.write("", to: "coreml/models/\(path)")
    }
    let models = try InstalledModels(folder.store()).all()
    #expect(models.map(\.name) == ["a", "b"])
    #expect(models.map { $0.url.lastPathComponent } == ["a.mlpackage", "b.mlmodelc"])
    #expect(try InstalledModels(folder.store()).model(named: "b") == models[1])
  }

  @Test func aFolderThatIsNotThereHoldsNone() throws {
    let folder = try TemporaryFolder()
    #expect(try InstalledModels(folder.store()).all().isEmpty)
  }

  @Test(arguments: ["", ".", "..", "../b", "a/b", ".hidden", "a\0b", String(repeating: "x", count: 300), "c"])
  func whatIsNoNameOrNotInstalledIsRefused(name: String) throws {
    let folder = try TemporaryFolder()
    try folder.write("", to: "coreml/models/a/b.mlmodel")
    try folder.write("", to: "coreml/b.mlmodel")
    let error = #expect(throws: DeliveryError.self) {
      try InstalledModels(folder.store()).model(named: name)
    }
    #expect(error?.code == .noSuchModel)
  }
}
