import CoreML
import CoreMLDelivery
import Foundation
import Testing

@Suite struct InstallerTests {
  private let folder: TemporaryFolder
  private let store: ModelStore
  private let installer: ModelInstaller

  init() throws {
    folder = try TemporaryFolder()
    store = try folder.store()
    let cache = CompiledModelCache(directory: store.places.compiledModels, runtimeVersion: "1")
    installer = ModelInstaller(store: store, cache: cache, configuration: Self.configuration)
  }

  @Sendable private static func configuration() -> MLModelConfiguration {
    let configuration = MLModelConfiguration()
    configuration.computeUnits = .cpuOnly
    return configuration
  }

  private func probabilities(_ url: URL) throws -> [String: Double] {
    try probabilities(MLModel(contentsOf: url, configuration: Self.configuration()))
  }

  private func probabilities(_ model: MLModel) throws -> [String: Double] {
    let name = try #require(model.modelDescription.inputDescriptionsByName.first)
    let constraint = try #require(name.value.imageConstraint)
    let image = try MLFeatureValue(imageAt: Samples.image, constraint: constraint)
    let result = try model.prediction(from: MLDictionaryFeatureProvider(dictionary: [name.key: image]))
    let output = try #require(result.featureValue(for: "classLabel_probs"))
    return Dictionary(uniqueKeysWithValues: output.dictionaryValue.map { ("\($0.key)", $0.value.doubleValue) })
  }

  private func golden(_ text: String) throws -> GoldenFiles {
    GoldenFiles(
      inputs: try folder.write(#"{"image": {"image": "\#(Samples.image.path)"}}"#, to: "in.json"),
      outputs: try folder.write(text, to: "out.json"), images: folder.url)
  }

  @Test func aPackageIsCompiledTriedKeptAndSwitchedTo() throws {
    let model = try installer.install(Samples.digits, as: "Digits")
    #expect(try store.active(name: "Digits") == model)
    let compiled = try #require(try installer.compiled(model))
    #expect(try probabilities(compiled.url)["nine"] ?? 0 > 0.9)
    // The delivered package is unchanged, and installing it again changes nothing.
    #expect(try installer.install(Samples.digits, as: "Digits") == model)
    #expect(try store.versions(name: "Digits").versions.count == 1)
  }

  @Test(arguments: ArchivePacker.Kind.allCases) func archivesAreInstalled(kind: ArchivePacker.Kind) throws {
    let file = folder.url.appending(path: "d.\(kind.rawValue)")
    try ArchivePacker.pack(Samples.digits, to: file, kind: kind)
    #expect(try installer.install(file, as: "Digits").digest == TreeDigest.digest(of: Samples.digits))
  }

  @Test func aModelThatFailsItsTestLeavesTheOldOne() throws {
    let old = try installer.install(Samples.digits, as: "Digits")
    var request = ModelInstaller.Request()
    request.golden = [try golden(#"{"classLabel": "two"}"#)]
    let new = try Samples.variant(1, in: folder)
    expect(.failsSmokeTest) { try installer.install(new, as: "Digits", request) }
    request.golden = [try golden(#"{"nothing": 1}"#)]
    expect(.failsSmokeTest) { try installer.install(new, as: "Digits", request) }
    request.golden = []
    request.expected = String(repeating: "0", count: 64)
    expect(.wrongTree) { try installer.install(new, as: "Digits", request) }
    expect(.doesNotLoad) { try installer.install(folder.write("no model", to: "x.mlmodel"), as: "Digits") }
    #expect(try store.digests() == [old.digest])
    #expect(try store.active(name: "Digits") == old)
    request = ModelInstaller.Request()
    request.golden = [try golden(#"{"classLabel": "nine"}"#)]
    try installer.install(Samples.digits, as: "Digits", request)
    try installer.install(new, as: "Digits")
    #expect(try store.rollBack(name: "Digits") == old)
  }

  /// A release ships no pictures, and must not read files of the device.
  @Test func goldenInputsNameFilesOnlyOnRequest() throws {
    let golden = try golden(#"{"classLabel": "nine"}"#)
    var request = ModelInstaller.Request()
    request.golden = [GoldenFiles(inputs: golden.inputs, outputs: golden.outputs)]
    let error = #expect(throws: DeliveryError.self) { try installer.install(Samples.digits, as: "Digits", request) }
    #expect(
      error?.code == .doesNotPredict && error?.message.contains("names the file") == true, "\(error?.message ?? "")")
    #expect(try store.digests().isEmpty)
    request.golden = [golden]
    try installer.install(Samples.digits, as: "Digits", request)
  }

  @Test(arguments: [false, true]) func newWeightsMakeANewVersion(compiled: Bool) throws {
    var base = folder.url.appending(path: "base.mlpackage", directoryHint: .isDirectory)
    try FileManager.default.copyItem(at: Samples.digits, to: base)
    var weights = try Samples.variant(3, in: folder)
    let expected = try probabilities(MLModel.compileModel(at: weights))
    var weightsPath = Samples.weightsPath
    if compiled {
      base = try MLModel.compileModel(at: base)
      weights = try MLModel.compileModel(at: weights)
      weightsPath = "weights/weight.bin"
    }
    let file = weights.appending(path: weightsPath)
    // The base is shipped with truncated weights.
    try Data().write(to: base.appending(path: weightsPath))
    let before = try TreeDigest.digest(of: base)
    let staging = try store.stagingFolder()
    let made = try WeightsUpdate.apply(weights: file, to: base, in: staging.url)
    #expect(try TreeDigest.digest(of: base) == before)
    #expect(try probabilities(compiled ? made : MLModel.compileModel(at: made)) == expected)

    // Weights that do not fit are rejected.
    var bytes = try Data(contentsOf: file)
    bytes[68] = 1
    let wrongType = folder.url.appending(path: "type.bin")
    try bytes.write(to: wrongType)
    expect(.wrongWeights) { try WeightsUpdate.apply(weights: wrongType, to: base, in: store.stagingFolder().url) }
    let short = folder.url.appending(path: "short.bin")
    try Data(contentsOf: file).prefix(5000).write(to: short)
    expect(.wrongWeights) { try WeightsUpdate.apply(weights: short, to: base, in: store.stagingFolder().url) }
  }

  @Test func anInstalledModelTakesNewWeights() throws {
    let old = try installer.install(Samples.digits, as: "Digits")
    let weights = try Samples.variant(2, in: folder).appending(path: Samples.weightsPath)
    let new = try installer.install(weights: weights, into: "Digits")
    #expect(try store.versions(name: "Digits").versions.map(\.digest) == [new.digest, old.digest])
    #expect(try TreeDigest.digest(of: folder.url.appending(path: "v2.mlpackage")) == new.digest)
  }

  // MARK: encryption

  @Test func anEncryptedModelLoadsWithItsKeyAndNoOther() throws {
    let key = ModelKey()
    let compiled = try MLModel.compileModel(at: Samples.digits)
    let file = folder.url.appending(path: "d.mlmodelc.encrypted")
    try EncryptedModel.encrypt(compiledModel: compiled, to: file, key: key)
    #expect(EncryptedModel.isEncrypted(file))
    let sealed = try Data(contentsOf: file)
    for word in ["program(", "classLabel", "func"] { #expect(sealed.range(of: Data(word.utf8)) == nil) }
    let model = try EncryptedModel.load(file, key: key, configuration: Self.configuration())
    #expect(try probabilities(model) == probabilities(compiled))
    expect(.wrongModelKey) { try EncryptedModel.load(file, key: ModelKey()) }
    // A second encryption of the same model shares no bytes: the salt differs, and so do the key and nonces.
    let second = folder.url.appending(path: "e.encrypted")
    try EncryptedModel.encrypt(compiledModel: compiled, to: second, key: key)
    #expect(try Data(contentsOf: second).suffix(64) != sealed.suffix(64))
  }

  @Test func whatWasChangedOrCutShortIsRefused() throws {
    let key = ModelKey()
    let file = folder.url.appending(path: "d.encrypted")
    try EncryptedModel.encrypt(compiledModel: MLModel.compileModel(at: Samples.digits), to: file, key: key)
    let sealed = try Data(contentsOf: file)
    func load(_ data: Data) throws {
      try data.write(to: file)
      _ = try EncryptedModel.load(file, key: key, configuration: Self.configuration())
    }
    for position in [16, 72, 5000, sealed.count - 1] {
      var changed = sealed
      changed[position] ^= 1
      let error = #expect(throws: DeliveryError.self) { try load(changed) }
      #expect([.tamperedModel, .truncatedModel].contains { $0 == error?.code }, "\(position)")
    }
    for position in [30, 60] {
      var changed = sealed
      changed[position] ^= 1
      expect(.wrongModelKey) { try load(changed) }
    }
    for count in [4, 40, 100, sealed.count - 1] { expect(.truncatedModel) { try load(sealed.prefix(count)) } }
    expect(.tamperedModel) { try load(sealed + Data([0])) }
    expect(.notEncrypted) { try load(Data(repeating: 7, count: 1000)) }
    try load(sealed)
  }

  @Test func keysComeFromFilesTheEnvironmentAndCommands() throws {
    let file = folder.url.appending(path: "key")
    try ModelKey().write(to: file)
    let text = try folder.read("key").trimmingCharacters(in: .newlines)
    _ = try ModelKeySource.file(file).key()
    _ = try ModelKeySource.command("printf %s '\(text)'").key()
    _ = try ModelKey(Data(String(repeating: "0f", count: 32).utf8), from: "hexadecimal")
    expect(.badModelKey) { try ModelKey(Data("short".utf8), from: "short") }
    expect(.badModelKey) { try ModelKeySource.command("exit 3").key() }
    expect(.badModelKey) { try ModelKeySource.environment("NO_SUCH_VARIABLE_HERE").key() }
    try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file.path)
    expect(.badModelKey) { try ModelKeySource.file(file).key() }
  }
}
