import CoreMLDelivery
import Foundation
import Testing

@Suite struct InstalledModelsTests {
  @Test func modelsAreListedByNameTheCompiledFormFirst() throws {
    let folder = try TemporaryFolder()
    for path in ["b.mlmodel", "a.mlpackage/Manifest.json", "b.mlmodelc/model.mil", "notes.txt", ".hidden.mlmodel"] {
      try folder.write("", to: path)
    }
    let models = try InstalledModels(directory: folder.url).all()
    #expect(models.map(\.name) == ["a", "b"])
    #expect(models.map { $0.url.lastPathComponent } == ["a.mlpackage", "b.mlmodelc"])
    #expect(try InstalledModels(directory: folder.url).model(named: "b") == models[1])
  }

  @Test func aFolderThatIsNotThereHoldsNone() throws {
    let folder = try TemporaryFolder()
    #expect(try InstalledModels(directory: folder.url.appending(path: "models")).all().isEmpty)
  }

  @Test(arguments: ["", ".", "..", "../b", "a/b", ".hidden", "a\0b", String(repeating: "x", count: 300), "c"])
  func whatIsNoNameOrNotInstalledIsRefused(name: String) throws {
    let folder = try TemporaryFolder()
    try folder.write("", to: "models/a/b.mlmodel")
    try folder.write("", to: "b.mlmodel")
    let error = #expect(throws: DeliveryError.self) {
      try InstalledModels(directory: folder.url.appending(path: "models")).model(named: name)
    }
    #expect(error?.code == .noSuchModel)
  }
}
