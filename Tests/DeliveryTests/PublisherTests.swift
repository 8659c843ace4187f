import Foundation
import Testing

@testable import CoreMLDelivery

/// The actions of a publisher, and the resulting tree as a device sees it.
@Suite struct PublisherTests {
  let folder: TemporaryFolder
  let keys: [SigningKey]

  init() throws {
    folder = try TemporaryFolder()
    keys = try (1...3).map { try Fixture.key($0) }
  }

  private func publisher(
    _ name: String = "shop", keys signers: Int = 1, threshold: Int = 1, at now: Timestamp = Fixture.now
  ) throws -> Publisher {
    let url = folder.url.appending(path: name, directoryHint: .isDirectory)
    if FileManager.default.fileExists(atPath: url.path) { return try Publisher(folder: url, now: now) }
    return try Publisher.create(
      at: url, settings: .init(repository: "shop"), keys: Array(keys.prefix(signers)), threshold, now)
  }

  private func source(_ seed: UInt64, head: UInt64 = 0) throws -> URL {
    let body = Fixture.weights(20_000, seed: seed) + Fixture.weights(300, seed: 1_000 + head)
    return try folder.write(SmallModel.bytes(offset: 1, payload: body), to: "m-\(seed)-\(head).mlmodel")
  }

  @discardableResult private func add(_ publisher: Publisher, _ version: String, _ source: URL) throws -> (
    release: Release, variant: Variant
  ) {
    try publisher.add(.init(model: "m", version: version, source: source), to: "stable")
  }

  private func state(_ publisher: Publisher) throws -> TrustState {
    let root = try SignedEnvelope(Data(contentsOf: publisher.host.appending(path: "root/1.json")))
    return try TrustState(directory: folder.url.appending(path: "state"), initialRoot: root)
  }

  private func published(_ publisher: Publisher) throws -> ReleaseManifest {
    let envelope = try SignedEnvelope(Data(contentsOf: publisher.host.appending(path: "channels/stable.json")))
    return try state(publisher).accept(manifest: envelope, channel: "stable", now: publisher.now).manifest
  }

  private func listing(_ url: URL) throws -> [String: Data] {
    var files: [String: Data] = [:]
    for path in try FileManager.default.subpathsOfDirectory(atPath: url.path) {
      if let data = FileManager.default.contents(atPath: url.appending(path: path).path) { files[path] = data }
    }
    return files
  }

  @Test func aModelReachesADevice() throws {
    let publisher = try publisher()
    let source = try source(1)
    let (release, variant) = try add(publisher, "1.0", source)
    #expect(release.number == 1 && release.state == .staged && variant.requirements.specificationVersion == 1)
    try publisher.stage("m", percentage: 25, in: "stable")
    #expect(try publisher.sign("stable", with: publisher.keys()).isPublished)
    #expect(try publisher.verify(unpacking: true).isEmpty)

    let manifest = try published(publisher)
    #expect(manifest.version == 1)
    let shipped = try #require(manifest.models["m"]?.releases.first?.variants.first)
    #expect(shipped == variant)
    #expect(Double(shipped.shippedSize) < 0.88 * Double(shipped.size))
    let tree = folder.url.appending(path: "tree")
    try FileManager.default.createDirectory(at: tree, withIntermediateDirectories: true)
    try VariantAssembly.assemble(shipped, in: tree) { publisher.files.objectFile($0.object) }
    #expect(try folder.bytes("tree/model.mlmodel") == [UInt8](Data(contentsOf: source)))
  }

  @Test func aFineTuneIsADelta() throws {
    let publisher = try publisher()
    try add(publisher, "1.0", source(1))
    let (_, variant) = try add(publisher, "1.1", source(1, head: 5))
    let delta = try #require(variant.deltas.first)
    #expect((delta.payload.smallest?.size ?? .max) < variant.shippedSize / 20)
    // All weights differ, so a delta would save nothing and is not made.
    #expect(try add(publisher, "2.0", source(2)).variant.deltas.isEmpty)
    let (base, made) = (folder.url.appending(path: "base"), folder.url.appending(path: "made"))
    for url in [base, made] { try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true) }
    try FileManager.default.copyItem(at: source(1), to: base.appending(path: "model.mlmodel"))
    try VariantAssembly.assemble(variant, applying: delta, to: base, in: made) { publisher.files.objectFile($0.object) }
    #expect(try folder.list("made") == ["model.mlmodel"])
    #expect(try folder.bytes("made/model.mlmodel") == [UInt8](Data(contentsOf: source(1, head: 5))))
  }

  @Test func theSameStepsGiveTheSameBytes() throws {
    for name in ["one", "two"] {
      let publisher = try publisher(name)
      try add(publisher, "1.0", source(1))
      try add(publisher, "1.1", source(1, head: 2))
      try publisher.stage("m", percentage: 33.3, in: "stable")
      _ = try publisher.sign("stable", with: keys.prefix(1).map { $0 })
    }
    let (one, two) = (
      try listing(folder.url.appending(path: "one/public")), try listing(folder.url.appending(path: "two/public"))
    )
    #expect(one == two && one.count >= 6)
  }

  @Test func manyHandsSign() throws {
    let publisher = try publisher(keys: 3, threshold: 2)
    try add(publisher, "1.0", source(1))
    let first = try publisher.sign("stable", with: [keys[0]])
    #expect(!first.isPublished && first.signatures == 1)
    #expect(try !publisher.sign("stable", with: [keys[0]]).isPublished)
    #expect(!FileManager.default.fileExists(atPath: publisher.files.channelFile("stable").path))
    // Signing continues later with the existing signatures.
    #expect(try publisher.sign("stable", with: [keys[1]]).isPublished)
    #expect(try published(publisher).version == 1)
    // If the draft changes in between, all signatures are needed again.
    _ = try publisher.sign("stable", with: [keys[0]])
    try publisher.promote("m", in: "stable")
    #expect(try !publisher.sign("stable", with: [keys[1]]).isPublished)
    #expect(try publisher.sign("stable", with: [keys[2]]).manifest.version == 2)
    #expect(try published(publisher).models["m"]?.releases.first?.state == .active)
    #expect(Fixture.code { _ = try publisher.sign("stable", with: [Fixture.key(9)]) } == .unknownKey)
    #expect(Fixture.code { _ = try publisher.sign("stable", with: []) } == .badKey)
  }

  @Test func aBadReleaseIsTakenBackAndHealed() throws {
    let publisher = try publisher()
    try add(publisher, "1.0", source(1))
    try publisher.promote("m", in: "stable")
    let bad = try add(publisher, "2.0", source(2)).variant
    try publisher.promote("m", in: "stable")
    func chosen(current: Int?) throws -> Int? {
      _ = try publisher.sign("stable", with: publisher.keys())
      let choice = try published(publisher).choice(of: "m", for: Fixture.device, current: current, now: Fixture.now)
      guard case .release(let release, _) = choice.outcome else { return nil }
      return release.number
    }
    #expect(try chosen(current: 1) == 2)
    try publisher.pause("m", in: "stable")
    #expect(try chosen(current: 1) == 1)
    #expect(try chosen(current: 2) == 2)
    try publisher.rollBack("m", reason: "wrong outputs", in: "stable")
    #expect(try chosen(current: 2) == 1)
    #expect(try published(publisher).blocked == [bad.tree: "wrong outputs"])
    #expect(Fixture.code { try publisher.stage("m", 2, percentage: 5, in: "stable") } == .cannotPublish)
    try add(publisher, "3.0", source(3))
    try publisher.promote("m", in: "stable")
    #expect(try chosen(current: 1) == 3)
    #expect(Fixture.code { try publisher.pause("other", in: "stable") } == .cannotPublish)
    #expect(Fixture.code { try publisher.stage("m", percentage: 101, in: "stable") } == .cannotPublish)
    #expect(Fixture.code { try add(publisher, "3.0", source(4)) } == .cannotPublish)
  }

  @Test func damageOnTheHostIsFound() throws {
    let publisher = try publisher()
    let (_, variant) = try add(publisher, "1.0", source(1))
    _ = try publisher.sign("stable", with: publisher.keys())
    let object = publisher.files.objectFile(try #require(variant.files.first?.smallest).object)
    let bytes = try Data(contentsOf: object)
    var damaged = bytes
    damaged[damaged.count / 2] ^= 1
    try damaged.write(to: object)
    #expect(try publisher.verify().map(\.code) == [.digestMismatch])
    try FileManager.default.removeItem(at: object)
    #expect(try publisher.verify().map(\.code) == [.unreadable])
    try bytes.write(to: object)
    var late = publisher
    late.now = Fixture.now.advanced(by: publisher.settings.manifestLifetime + 1)
    #expect(try late.verify().map(\.code) == [.expired])
    #expect(try publisher.verify().isEmpty)
  }

  @Test func garbageGoesAndNothingElse() throws {
    let publisher = try publisher()
    let signers = try publisher.keys()
    try add(publisher, "1.0", source(1))
    for _ in 0..<5 { _ = try publisher.sign("stable", with: signers) }
    let stray = publisher.files.objectFile(String(repeating: "c", count: 64))
    try FileManager.default.createDirectory(at: stray.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data([1, 2, 3]).write(to: stray)
    try Data([1]).write(to: publisher.host.appending(path: "objects/.left.new"))
    let before = try listing(publisher.host)
    let dry = try publisher.collectGarbage(dryRun: true)
    #expect(try listing(publisher.host) == before)
    let done = try publisher.collectGarbage()
    #expect(dry.paths == done.paths && done.bytes == dry.bytes)
    #expect(
      Set(before.keys).subtracting(try listing(publisher.host).keys) == [
        "objects/.left.new", "objects/cc/\(String(repeating: "c", count: 64))", "channels/stable/1.json",
        "channels/stable/2.json",
      ])
    #expect(try publisher.verify(unpacking: true).isEmpty)
  }

  @Test func keysRotate() throws {
    let publisher = try publisher(keys: 2)
    try add(publisher, "1.0", source(1))
    _ = try publisher.sign("stable", with: [keys[0]])
    _ = try published(publisher)
    try publisher.rotate(with: [keys[0], keys[2]]) { root in
      root = Fixture.root([keys[1], keys[2]])
    }
    // Signatures of the withdrawn key are not valid any more.
    #expect(try publisher.verify().map(\.code) == [.unknownKey])
    #expect(Fixture.code { _ = try publisher.sign("stable", with: [keys[0]]) } == .unknownKey)
    _ = try publisher.sign("stable", with: [keys[2]])
    #expect(try publisher.verify().isEmpty)
    #expect(Fixture.code { try publisher.rotate(with: [keys[2]]) { $0 = Fixture.root([keys[0]]) } } == .unknownKey)
  }

  @Test func onlyOneWorksOnAFolder() throws {
    let publisher = try publisher()
    #expect(Fixture.code { _ = try Publisher(folder: publisher.folder) } == .cannotPublish)
    #expect(Fixture.code { _ = try Publisher(folder: folder.url) } == .unreadable)
    withExtendedLifetime(publisher) {}
  }

  @Test func whatIsNoModelIsNotAdded() throws {
    let publisher = try publisher()
    let text = try folder.write("no model", to: "x.mlmodel")
    #expect(Fixture.code { try add(publisher, "1.0", text) } == .notAModel)
    #expect(Fixture.code { try add(publisher, "1.0", folder.url.appending(path: "none")) } == .unreadable)
    #expect(try publisher.channels() == ["stable"])
    #expect(try publisher.draft("stable").models.isEmpty)
    let source = try source(1)
    #expect(
      Fixture.code { _ = try publisher.add(.init(model: "../m", version: "1", source: source), to: "stable") }
        == .cannotPublish)
    #expect(
      Fixture.code { _ = try publisher.add(.init(model: "m", version: "1", source: source), to: "../x") }
        == .cannotPublish)
  }

  // MARK: trials before publication

  @Test func whatDoesNotDoWhatItShouldIsNotAdded() throws {
    let publisher = try publisher()
    var addition = Publisher.Addition(model: "m", version: "1.0", source: try Samples.small(1, in: folder))
    addition.golden = [(inputs: try Samples.inputs(in: folder), outputs: try Samples.outputs(9, in: folder))]
    #expect(Fixture.code { _ = try publisher.add(addition, to: "stable") } == .failsSmokeTest)
    let script = try TrialScript("\(TrialScript.ready); kill -ABRT $$", in: folder)
    addition.trials = script.policy()
    #expect(Fixture.code { _ = try publisher.add(addition, to: "stable") } == .trialCrashed)
    #expect(try publisher.draft("stable").models.isEmpty)
    #expect(!FileManager.default.fileExists(atPath: publisher.host.appending(path: "objects").path))
    addition.trials = TrialPolicy()
    addition.golden = [(inputs: try Samples.inputs(in: folder), outputs: try Samples.outputs(2, in: folder))]
    #expect(try publisher.add(addition, to: "stable").variant.golden.count == 1)
    // An empty weights file.
    let empty = try Samples.variant(1, in: folder)
    try Data().write(to: empty.appending(path: Samples.weightsPath))
    var package = Publisher.Addition(model: "d", version: "1.0", source: empty)
    #expect(Fixture.code { _ = try publisher.add(package, to: "stable") } == .doesNotLoad)
    // A model type that only Apple platforms run, with specification version, text input and label, but no parameters.
    func feature(_ name: String) -> [UInt8] {
      SmallModel.field(1, Array(name.utf8)) + SmallModel.field(3, SmallModel.field(3, []))
    }
    let description = SmallModel.field(1, feature("text")) + SmallModel.field(10, feature("label"))
    let classifier = folder.url.appending(path: "classifier.mlmodel")
    try Data(SmallModel.field(1, 3) + SmallModel.field(2, description) + SmallModel.field(2000, [])).write(
      to: classifier)
    let text = Publisher.Addition(model: "t", version: "1.0", source: classifier)
    #expect(Fixture.code { _ = try publisher.add(text, to: "stable") } == .doesNotLoad)
    // The trial is disabled explicitly, for a model that runs on another platform.
    package.isTried = false
    #expect(try publisher.add(package, to: "stable").release.number == 1)
  }

  @Test func onlyTheModelsOwnFilesArePublished() throws {
    let publisher = try publisher()
    let package = try Samples.variant(1, in: folder)
    for path in ["notes.txt", "Data/com.apple.CoreML/weights/passwords", "Data/.DS_Store"] {
      try folder.write("private", to: "v1.mlpackage/\(path)")
    }
    let variant = try publisher.add(.init(model: "d", version: "1.0", source: package), to: "stable").variant
    #expect(
      variant.files.map(\.path).sorted() == [
        "Data/com.apple.CoreML/model.mlmodel", "Data/com.apple.CoreML/weights/weight.bin", "Manifest.json",
      ])
    #expect(
      try Publisher.unreferencedFiles(in: package) == [
        "Data/.DS_Store", "Data/com.apple.CoreML/weights/passwords", "notes.txt",
      ])
    let compiled = try Samples.compiled(package)
    defer { try? FileManager.default.removeItem(at: compiled.deletingLastPathComponent()) }
    let own = try ModelFiles(of: compiled).referenced
    #expect(own == ["coremldata.bin", "metadata.json", "model.mil", "weights/weight.bin"])
    try Data("private".utf8).write(to: compiled.appending(path: "weights/other.bin"))
    #expect(try ModelFiles(of: compiled).referenced == own)
  }

  /// In a model that this runtime cannot read, unreferenced files are also left out and reported.
  @Test func filesBesideAModelThatCannotBeReadHereAreNotPublished() throws {
    let publisher = try publisher()
    let package = try Samples.variant(1, in: folder)
    try folder.write("private", to: "v1.mlpackage/Data/com.apple.CoreML/weights/passwords")
    let file = package.appending(path: "Data/com.apple.CoreML/model.mlmodel")
    var bytes = try Data(contentsOf: file)
    while let name = bytes.range(of: Data("conv".utf8)) { bytes.replaceSubrange(name, with: Data("cxnv".utf8)) }
    try bytes.write(to: file)
    var addition = Publisher.Addition(model: "d", version: "1.0", source: package)
    #expect(throws: DeliveryError.self) { try publisher.add(addition, to: "stable") }
    addition.isTried = false
    #expect(
      try publisher.add(addition, to: "stable").variant.files.map(\.path).sorted() == [
        "Data/com.apple.CoreML/model.mlmodel", "Data/com.apple.CoreML/weights/weight.bin", "Manifest.json",
      ])
    #expect(try Publisher.unreferencedFiles(in: package) == ["Data/com.apple.CoreML/weights/passwords"])
  }

  /// The length prefix of a name has one byte up to 127, and two bytes above.
  @Test(arguments: [127, 128, 200, 255]) func namesOfAnyLengthAreFoundInWhatCannotBeReadHere(length: Int) throws {
    let package = try Samples.variant(1, in: folder)
    let (prefix, place) = ("@model_path/weights/", "Data/com.apple.CoreML/weights/")
    let name = String(repeating: "w", count: length - prefix.utf8.count)
    for file in [name, "passwords"] { try folder.write("private", to: "v1.mlpackage/\(place)\(file)") }
    let words = SmallModel.field(3, Array("\(prefix)\(name)".utf8))
    try Data(SmallModel.field(1, 3) + SmallModel.field(2, []) + SmallModel.field(2000, words)).write(
      to: package.appending(path: "Data/com.apple.CoreML/model.mlmodel"))
    let files = try ModelFiles(of: package)
    #expect(files.unreferenced == ["\(place)passwords", "\(place)weight.bin"])
    #expect(files.referenced.contains("\(place)\(name)"))
  }

  /// Without the program, the model's files cannot be determined.
  @Test(.enabled(if: dlsym(nil, "__asan_init") == nil && dlsym(nil, "__tsan_init") == nil, "shadows take all there is"))
  func aProgramThatCannotBeReadIsAnError() async throws {
    let compiled = try Samples.compiled(Samples.digits)
    defer { try? FileManager.default.removeItem(at: compiled.deletingLastPathComponent()) }
    let program = compiled.appending(path: "model.mil").path
    #expect(truncate(program, 1 << 42) == 0)
    await #expect(processExitsWith: .success) { [path = compiled.path as String] in
      var limit = rlimit(rlim_cur: 1 << 40, rlim_max: 1 << 40)
      guard setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit) == 0 else { exit(2) }
      do { _ = try Publisher.unreferencedFiles(in: URL(filePath: path)) } catch let error as DeliveryError {
        exit(error.code == .unreadable && error.file?.hasSuffix("model.mil") == true ? 0 : 3)
      }
      exit(1)
    }
  }

  @Test func linksAreNotPublished() throws {
    let publisher = try publisher()
    let secret = try folder.write("private", to: "secret")
    let package = try Samples.variant(1, in: folder)
    let weights = package.appending(path: Samples.weightsPath)
    let kept = folder.url.appending(path: "kept.bin")
    try FileManager.default.moveItem(at: weights, to: kept)
    for target in [kept, secret] {
      try? FileManager.default.removeItem(at: weights)
      try FileManager.default.createSymbolicLink(at: weights, withDestinationURL: target)
      let addition = Publisher.Addition(model: "d", version: "1.0", source: package)
      #expect(Fixture.code { _ = try publisher.add(addition, to: "stable") } == .notAModel)
    }
    let link = folder.url.appending(path: "link.mlmodel")
    try FileManager.default.createSymbolicLink(at: link, withDestinationURL: source(1))
    #expect(Fixture.code { _ = try add(publisher, "1.0", link) } == .notAModel)
    var addition = Publisher.Addition(model: "m", version: "1.0", source: try Samples.small(1, in: folder))
    let outputs = folder.url.appending(path: "link.json")
    try FileManager.default.createSymbolicLink(at: outputs, withDestinationURL: Samples.outputs(2, in: folder))
    addition.golden = [(inputs: try Samples.inputs(in: folder), outputs: outputs)]
    for isTried in [true, false] {
      addition.isTried = isTried
      #expect(Fixture.code { _ = try publisher.add(addition, to: "stable") } == .cannotPublish)
    }
    #expect(!FileManager.default.fileExists(atPath: publisher.host.appending(path: "objects").path))
  }

  @Test func channelsAreMadeOnPurpose() throws {
    let publisher = try publisher()
    #expect(Fixture.code { _ = try publisher.sign("beta", with: publisher.keys()) } == .cannotPublish)
    #expect(
      Fixture.code { _ = try publisher.add(.init(model: "m", version: "1", source: source(1)), to: "beta") }
        == .cannotPublish)
    #expect(!FileManager.default.fileExists(atPath: publisher.files.channelFile("beta").path))
    try publisher.addChannel("beta")
    #expect(Fixture.code { try publisher.addChannel("beta") } == .cannotPublish)
    #expect(Fixture.code { try publisher.addChannel("../beta") } == .cannotPublish)
    #expect(try publisher.sign("beta", with: publisher.keys()).isPublished)
    #expect(try publisher.channels() == ["beta", "stable"])
  }
}
