import CoreMLBase
import Foundation
import Testing

@testable import CoreMLSpec

@Suite struct ContainerTests {
  // MARK: Files

  @Test func aModelFileOpens() throws {
    try inTemporaryFolder { folder in
      try put(identityModel(version: 4), folder + "/a.mlmodel")
      guard case .file(let file) = try ModelLocation.open(folder + "/a.mlmodel") else {
        Issue.record("no model file")
        return
      }
      #expect(file.specificationVersion == 4)
      #expect(try file.model.description?.input.first?.name == "x")
      #expect(file.folder == folder)
    }
  }

  @Test func versionsAreAcceptedByNumber() throws {
    for version in 1...10 {
      #expect(try ModelFile(Bytes(identityModel(version: Int64(version)))).specificationVersion == version)
    }
    let error = expectError(.unsupportedSpecificationVersion) { try ModelFile(Bytes(identityModel(version: 11))) }
    #expect(error?.message.contains("11") == true)
    expectError(.notAModel) { try ModelFile(Bytes(identityModel(version: 0))) }
    expectError(.notAModel) { try ModelFile(Bytes(identityModel(version: -1))) }
  }

  @Test func whatIsNoModelIsNamed() throws {
    expectError(.notAModel) { try ModelFile(Bytes(Array("hello".utf8))) }
    expectError(.notAModel) { try ModelFile(Bytes([0x08, 0x01])) }
    expectError(.standIn) { try ModelFile(Bytes()) }
    #expect(expectError(.standIn) { try ModelFile(Bytes(Array("PK\u{3}\u{4}".utf8))) }?.message.contains("zip") == true)
    try inTemporaryFolder { folder in
      expectError(.unreadable) { try ModelLocation.open(folder + "/absent.mlmodel") }
      expectError(.notAModel) { try ModelLocation.open(folder) }
      expectError(.notAFile) { try ModelFile.open(folder) }
      expectError(.notAFile) { try ModelLocation.open("/dev/null") }
    }
  }

  @Test func weightsAreFoundBelowTheModelOnly() throws {
    #expect(try ModelFile.path(ofBlobFile: "@model_path/weights/weight.bin", in: "/m") == "/m/weights/weight.bin")
    #expect(try ModelFile.path(ofBlobFile: "@model_path/weight.bin", in: "/") == "/weight.bin")
    for name in [
      "@model_path/../secret", "@model_path//etc/passwd", "/etc/passwd", "weights/weight.bin", "@model_path/",
      "@model_path/a/../../b", "@model_path/./a", "@model_path/a\0b", "",
    ] {
      expectError(.forbiddenPath) { try ModelFile.path(ofBlobFile: name, in: "/m") }
    }
    let fromMemory = try ModelFile(Bytes(identityModel()))
    expectError(.forbiddenPath) { try fromMemory.blobFile(named: "@model_path/weights/weight.bin") }
  }

  // MARK: Packages

  private let entry = #""path": "com.apple.CoreML/m.mlmodel", "name": "m", "author": "a", "description": "d""#

  private func manifest(version: String = #""1.0.0""#, items: String, root: String = "\"A\"") -> String {
    #"{"fileFormatVersion": \#(version), "itemInfoEntries": {\#(items)}, "rootModelIdentifier": \#(root)}"#
  }

  private func open(_ manifest: String, in folder: String) throws -> ModelPackage {
    let path = folder + "/\(UUID().uuidString).mlpackage"
    try put(identityModel(), path + "/Data/com.apple.CoreML/m.mlmodel")
    try put(manifest, path + "/Manifest.json")
    guard case .package(let package) = try ModelLocation.open(path + "/") else {
      throw SpecError(.notAModel, "no package")
    }
    return package
  }

  @Test func aPackageOpensByItsManifest() throws {
    try inTemporaryFolder { folder in
      let package = try open(manifest(items: "\"A\": {\(entry)}"), in: folder)
      #expect(package.root.name == "m" && package.items.count == 1)
      #expect(package.file.specificationVersion == 1)
      let weights = try #require(package.file.folder) + "/weights/weight.bin"
      try put("replaced", weights)
      let writer = try BlobWriter(path: weights)
      let offset = try writer.append(.uint8, Bytes([5]))
      try writer.finish()
      let blob = try package.file.blobFile(named: "@model_path/weights/weight.bin")
      #expect(try blob.entry(atMetadataOffset: offset).data.array == [5])
    }
  }

  @Test func packageVersions() throws {
    try inTemporaryFolder { folder in
      for version in ["1.0.0", "1.0.7", "1.0", "1", "0.9.0"] {
        #expect(throws: Never.self) {
          try open(manifest(version: "\"\(version)\"", items: "\"A\": {\(entry)}"), in: folder)
        }
      }
      for version in ["2.0.0", "1.1.0", "99999999.0.0"] {
        expectError(.unsupportedPackageVersion) {
          try open(manifest(version: "\"\(version)\"", items: "\"A\": {\(entry)}"), in: folder)
        }
      }
      for version in [
        "\"\"", "\"x\"", "\"1.\"", "\"-1.0.0\"", "\"1.0.0.0\"", "\"1.0.-1\"", "1", "null", "\"99999999999999999999\"",
      ] {
        expectError(.malformedManifest) { try open(manifest(version: version, items: "\"A\": {\(entry)}"), in: folder) }
      }
    }
  }

  @Test func damagedManifests() throws {
    try inTemporaryFolder { folder in
      for text in [
        "{", "[]", "{}", "\"x\"", manifest(items: ""), manifest(items: "\"A\": {\(entry)}", root: "\"B\""),
        manifest(items: "\"A\": {\(entry)}", root: "7"), manifest(items: "\"A\": []"),
        manifest(items: #""A": {"path": "com.apple.CoreML/m.mlmodel", "name": "m", "author": "a"}"#),
        String(repeating: "[", count: 100_000),
      ] {
        expectError(.malformedManifest) { try open(text, in: folder) }
      }
      expectError(.standIn) { try open("../../../blobs/11fb95e5f6565287d8f2344c729345b639856264", in: folder) }
      expectError(.malformedManifest) { try open("{" + String(repeating: " ", count: JSONText.limit), in: folder) }
      expectError(.malformedManifest) { try ModelPackage.open(folder) }
    }
  }

  @Test func itemsStayInThePackage() throws {
    try inTemporaryFolder { folder in
      try put(identityModel(), folder + "/outside.mlmodel")
      for path in ["../../outside.mlmodel", "/etc/passwd", "", ".", "com.apple.CoreML/../../x", "a//b", #"a\u0000b"#] {
        let item = #""A": {"path": "\#(path)", "name": "m", "author": "a", "description": "d"}"#
        expectError(.malformedManifest) { try open(manifest(items: item), in: folder) }
      }
      let weights = #""W": {"path": "com.apple.CoreML/weights", "name": "w", "author": "a", "description": "d"}"#
      let package = try open(manifest(items: "\"A\": {\(entry)}, \(weights)"), in: folder)
      #expect(package.items.map(\.isPresent) == [true, false])
      let error = expectError(.missingItem) { try package.file.blobFile(named: "@model_path/weights/weight.bin") }
      #expect(error?.message.contains("weights/weight.bin") == true)
      let absent = #""A": {"path": "com.apple.CoreML/absent.mlmodel", "name": "w", "author": "a", "description": "d"}"#
      expectError(.missingItem) { try open(manifest(items: absent), in: folder) }
      let aFolder = #""A": {"path": "com.apple.CoreML", "name": "m", "author": "a", "description": "d"}"#
      expectError(.notAFile) { try open(manifest(items: aFolder), in: folder) }
    }
  }

  // MARK: Compiled models

  private func compiled(_ files: [String: [UInt8]], in folder: String) throws -> CompiledModel {
    let path = folder + "/\(UUID().uuidString).mlmodelc"
    for (name, bytes) in files { try put(bytes, path + "/" + name) }
    guard case .compiled(let compiled) = try ModelLocation.open(path) else {
      throw SpecError(.notAModel, "no compiled model")
    }
    return compiled
  }

  private func header(_ type: UInt8) -> [UInt8] { [type, 1, 0, 0] + [UInt8](repeating: 0, count: 60) }

  @Test func ownModelsAreToldFromApples() throws {
    try inTemporaryFolder { folder in
      let program = Array("program(1.3)\n{}".utf8)
      let marked = Array(#"[{"\#(CompiledModel.formatKey)": 1}]"#.utf8)
      let apples = Array(#"[{"metadataOutputVersion": "3.0", "author": "x"}]"#.utf8)
      let own = try compiled(["coremldata.bin": header(1), "model.mil": program, "metadata.json": marked], in: folder)
      #expect(own.kind == .own(format: 1))
      #expect(throws: Never.self) { try own.requireReadable() }
      let other = try compiled(
        ["coremldata.bin": header(246), "model.mil": program, "metadata.json": apples], in: folder)
      #expect(other.kind == .appleProgram && other.appleTypeNumber == 502)
      #expect(throws: Never.self) { try other.requireReadable() }
    }
  }

  @Test func applesKindsAreNamed() throws {
    try inTemporaryFolder { folder in
      let network = try compiled(["coremldata.bin": header(244), "model.espresso.net": Array("{}".utf8)], in: folder)
      #expect(network.kind == .appleNeuralNetwork && network.appleTypeNumber == 500)
      var pipeline = header(0)
      (pipeline[0], pipeline[1]) = (201, 0)
      #expect(try compiled(["coremldata.bin": pipeline], in: folder).kind == .applePipeline)
      #expect(try compiled(["coremldata.bin": header(44)], in: folder).kind == .appleOther)
      for files in [
        ["coremldata.bin": header(244), "model.espresso.net": [0x8f, 1, 2]],
        ["coremldata.bin": header(246), "model.mil": [0x8f, 1, 2]],
        ["coremldata.bin": header(246), "encryptionInfo/coremldata.bin": [1]],
      ] {
        let encrypted = try compiled(files, in: folder)
        #expect(encrypted.kind == .appleEncrypted)
        expectError(.encrypted) { try encrypted.requireReadable() }
      }
    }
  }

  @Test func damagedCompiledModels() throws {
    try inTemporaryFolder { folder in
      expectError(.notAModel) { try compiled(["else": [1]], in: folder) }
      expectError(.malformedCompiledModel) { try compiled(["coremldata.bin": [1, 2, 3]], in: folder) }
      expectError(.standIn) { try compiled(["coremldata.bin": []], in: folder) }
      expectError(.malformedCompiledModel) {
        try compiled(["coremldata.bin": header(1), "metadata.json": Array("{}".utf8)], in: folder)
      }
      expectError(.standIn) {
        try compiled(["coremldata.bin": Array("version https://git-lfs.github.com/spec/v1\n".utf8)], in: folder)
      }
    }
  }
}
