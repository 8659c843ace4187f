import CoreML
import Foundation
import Testing

@testable import CoreMLDelivery

/// Damaged models are not used, and are restored.
@Suite struct HealingTests {
  private let folder: TemporaryFolder
  private let store: ModelStore
  private let cache: CompiledModelCache

  init() throws {
    folder = try TemporaryFolder()
    store = try folder.store()
    cache = CompiledModelCache(directory: store.places.compiledModels, runtimeVersion: "1")
  }

  private func add(_ text: String, to store: ModelStore? = nil) throws -> String {
    let staging = try self.store.stagingFolder()
    let file = staging.url.appending(path: "m.mlmodel")
    try Data(text.utf8).write(to: file)
    return try (store ?? self.store).add(tree: file, origin: .local).digest
  }

  /// Changes a byte of a file regardless of its mode, and keeps its size and modification time.
  static func damage(_ file: URL, at offset: Int = 0) throws {
    let times = try FileManager.default.attributesOfItem(atPath: file.path)[.modificationDate]
    var status = stat()
    #expect(stat(file.path, &status) == 0 && chmod(file.path, 0o600) == 0)
    let handle = try FileHandle(forUpdating: file)
    try handle.seek(toOffset: UInt64(offset))
    let byte = try #require(try handle.read(upToCount: 1)?.first)
    try handle.seek(toOffset: UInt64(offset))
    try handle.write(contentsOf: [byte ^ 0x55])
    try handle.close()
    #expect(chmod(file.path, status.st_mode & 0o7777) == 0)
    try FileManager.default.setAttributes([.modificationDate: try #require(times)], ofItemAtPath: file.path)
  }

  /// Updates the stamp to the current metadata, as if the disk had changed bytes silently.
  private func forgetTheChange(_ digest: String) throws {
    let stamp = ModelContents.Stamp(try ModelContents(of: store.model(digest).url))
    try DurableFile.write(
      json: stamp, to: store.folder(of: digest).appending(path: ModelContents.Stamp.fileName), mode: 0o644)
  }

  @Test func aDamagedModelIsSetAsideBeforeItAnswers() throws {
    let digest = try add("one")
    try store.activate(name: "m", digest: digest)
    try Self.damage(store.model(digest).url)
    expect(.damagedModel) { try store.open(name: "m") }
    #expect(try store.digests().isEmpty)
    #expect(store.damagedItems().count == 1)
    let error = #expect(throws: DeliveryError.self) { try store.open(name: "m") }
    #expect(error?.code == .notInStore && error?.message.contains("set aside as") == true)
    // Installing the same model again repairs the name.
    #expect(try add("one") == digest)
    #expect(try store.open(name: "m").model.digest == digest)
  }

  @Test func whatTheFileSystemSaysIsNoDamageByItself() throws {
    let digest = try add("one")
    let file = try store.model(digest).url
    #expect(utimensat(AT_FDCWD, file.path, nil, 0) == 0)
    #expect(try store.lease(digest) !== store.lease(digest))
    // The model was verified once and is not read again.
    let stamp = try DurableFile.read(
      json: ModelContents.Stamp.self, at: store.folder(of: digest).appending(path: ModelContents.Stamp.fileName))
    #expect(try stamp == ModelContents.Stamp(ModelContents(of: file)))
    #expect(store.damagedItems().isEmpty)
  }

  @Test func damageThatNothingTellsOfIsFoundByReading() throws {
    let digest = try add("one")
    try store.activate(name: "m", digest: digest)
    try Self.damage(store.model(digest).url)
    try forgetTheChange(digest)
    _ = try store.lease(digest)
    // The first call only schedules a verification at a random time within the interval.
    #expect(try StoreHealing(store: store, cache: cache).heal(every: .seconds(100)).isEmpty)
    #expect(try StoreHealing(store: store, cache: cache).heal(every: nil).isEmpty)
    let later = Date(timeIntervalSinceNow: 101)
    #expect(
      try StoreHealing(store: store, cache: cache).heal(every: .seconds(100), now: later).map(\.code) == [.damagedModel]
    )
    #expect(try store.digests().isEmpty && store.damagedItems().count == 1)
    // The verification is done. A clock that is set back does not postpone the next one indefinitely.
    #expect(try !VerifySchedule(store.places, every: .seconds(100)).isDue(later))
    #expect(try VerifySchedule(store.places, every: .seconds(100)).isDue(later.addingTimeInterval(111)))
    #expect(try !VerifySchedule(store.places, every: .seconds(100)).isDue(later.addingTimeInterval(-1e6)))
    #expect(try VerifySchedule(store.places, every: .seconds(100)).isDue(later.addingTimeInterval(-1e6 + 111)))
  }

  @Test func repairTakesNamedModelsOutOfUse() throws {
    let digest = try add("one")
    try store.activate(name: "m", digest: digest)
    try Self.damage(store.model(digest).url)
    let findings = try store.verify(cache)
    #expect(findings.map(\.kind) == [.damagedModel] && findings.allSatisfy { $0.repaired == nil })
    #expect(try store.digests() == [digest], "looking changes nothing")
    let repaired = try store.repair(findings, cache)
    #expect(repaired.map(\.repaired) == store.damagedItems().map(\.path) && repaired.count == 1)
    #expect(try store.verify(cache).map(\.kind) == [.missingModel])
  }

  @Test func onlyTheNewestOfWhatIsDamagedIsKept() throws {
    for round in 0..<6 {
      let digest = try add("one")
      try Data("damaged \(round)".utf8).write(to: store.folder(of: digest).appending(path: "note"))
      try Self.damage(store.model(digest).url)
      expect(.damagedModel) { try store.lease(digest) }
    }
    #expect(store.damagedItems().count == DamagedItems.limit)
    #expect(try store.usage(cache).items.filter { $0.kind == .damaged }.count == DamagedItems.limit)
    var policy = PrunePolicy()
    policy.damagedAge = .seconds(-1)
    #expect(try store.prune(policy, cache).removed.map(\.reason) == [.damaged, .damaged, .damaged, .damaged])
  }

  @Test func whatHasTakenThePlaceOfWhatIsDamagedStays() throws {
    let damaged = DamagedItems(folder: folder.url.appending(path: "aside"))
    let item = folder.url.appending(path: "item")
    try folder.write("old", to: "item/a")
    let seen = DamagedItems.Identity(item)
    try FileManager.default.moveItem(at: item, to: folder.url.appending(path: "elsewhere"))
    try folder.write("new", to: "item/a")
    #expect(try damaged.setAside(item, seen: seen) == nil)
    #expect(try folder.read("item/a") == "new")
    #expect(try damaged.setAside(item, seen: DamagedItems.Identity(item)) != nil)
    #expect(try damaged.setAside(item, seen: nil) == nil)
  }

  // MARK: with real models

  @Sendable private static func configuration() -> MLModelConfiguration {
    let configuration = MLModelConfiguration()
    configuration.computeUnits = .cpuOnly
    return configuration
  }

  private func label(_ url: URL) throws -> String {
    let model = try MLModel(contentsOf: url, configuration: Self.configuration())
    let name = try #require(model.modelDescription.inputDescriptionsByName.first)
    let image = try MLFeatureValue(imageAt: Samples.image, constraint: #require(name.value.imageConstraint))
    let result = try model.prediction(from: MLDictionaryFeatureProvider(dictionary: [name.key: image]))
    return try #require(result.featureValue(for: "classLabel")).stringValue
  }

  private func damageAll(_ weights: URL) throws {
    let size = try #require(DiskUse.size(weights))
    for offset in stride(from: 128, to: Int(size), by: 3) where offset % 4 == 3 { try Self.damage(weights, at: offset) }
  }

  @Test func installingTheSameModelAgainMendsIt() throws {
    let installer = ModelInstaller(store: store, cache: cache, configuration: Self.configuration)
    let model = try installer.install(Samples.digits, as: "Digits")
    let compiled = try #require(try installer.compiled(model)).url
    #expect(try label(compiled) == "nine")
    let compiledWeights = compiled.appending(path: "weights/weight.bin")
    try Self.damage(compiledWeights, at: 131)
    try Self.damage(model.url.appending(path: Samples.weightsPath), at: 131)
    // The damaged compiled model is not used, and is not recreated from the damaged source.
    expect(.damagedModel) { try installer.compiled(model) }
    #expect(cache.damagedItems().count == 1)
    let again = try installer.install(Samples.digits, as: "Digits")
    #expect(again.digest == model.digest)
    #expect(try store.verify(cache).isEmpty)
    #expect(try label(#require(try installer.compiled(again)).url) == "nine")
    #expect(store.damagedItems().count == 1)
  }

  /// A failing disk, or a program with sufficient rights, can change bytes of a model that is mapped.
  @Test func bytesThatChangeUnderAModelInUseEndNothing() throws {
    let compiled = try Samples.compiled(Samples.digits)
    defer { try? FileManager.default.removeItem(at: compiled.deletingLastPathComponent()) }
    let model = try MLModel(contentsOf: compiled, configuration: Self.configuration())
    try damageAll(compiled.appending(path: "weights/weight.bin"))
    let name = try #require(model.modelDescription.inputDescriptionsByName.first)
    let image = try MLFeatureValue(imageAt: Samples.image, constraint: #require(name.value.imageConstraint))
    for _ in 0..<3 {
      let result = try model.prediction(from: MLDictionaryFeatureProvider(dictionary: [name.key: image]))
      #expect(result.featureValue(for: "classLabel") != nil)
    }
  }

  @Test func aChannelFetchesAnewWhatIsDamaged() async throws {
    let bench = try ChannelBench()
    let tree = try bench.publish(1).tree
    let channel = try bench.channel()
    try await channel.update()
    let store = channel.core.store
    try Self.damage(store.model(tree).url)
    // Until the next update the baseline is used instead of the damaged model.
    #expect(try bench.channel().model("m").one() == 1)
    #expect(store.damagedItems().count == 1)
    try await channel.update()
    #expect(try store.verify(channel.core.cache).isEmpty)
    #expect(try bench.channel().model("m").one() == 2)

    // An update detects the damage, and open models switch to the new files.
    let loaded = try channel.core.loading.loadBest("m")
    #expect(try channel.core.loading.loadBest("m", running: loaded) === loaded)
    try Self.damage(store.model(tree).url)
    let events = channel.events()
    try await channel.update()
    #expect(store.damagedItems().count == 2)
    #expect(try bench.channel().model("m").one() == 2)
    #expect(!loaded.isCurrent)
    #expect(try channel.core.loading.loadBest("m", running: loaded).isCurrent)
    var codes: [String?] = []
    for await event in events {
      codes.append(event.reason)
      if event.code == "channel.installed" { break }
    }
    #expect(codes.contains("delivery.damaged-model"))
  }

  // MARK: size

  @Test func theStoreKeepsToItsSize() throws {
    var limited = store
    let text = String(repeating: "x", count: 100_000)
    let (used, unused, leased) = (try add("1" + text), try add("2" + text), try add("3" + text))
    try store.activate(name: "m", digest: used)
    let lease = try store.lease(leased)
    for digest in [unused, leased] {
      try FileManager.default.setAttributes(
        [.modificationDate: Date(timeIntervalSinceNow: -7200)], ofItemAtPath: store.folder(of: digest).path)
    }
    let one = DiskUse.bytes(of: store.folder(of: used))
    limited.sizeLimit = 3 * one + one / 2
    let added = try add("4" + text, to: limited)
    #expect(try Set(store.digests()) == [used, leased, added], "what nothing needs went")
    // Recent and leased models are kept, so there is no room.
    let error = #expect(throws: DeliveryError.self) { try add("5" + text, to: limited) }
    #expect(error?.code == .storeFull && error?.message.contains("\(limited.sizeLimit ?? 0)") == true)
    #expect(try Set(store.digests()) == [used, leased, added])
    withExtendedLifetime(lease) {}
    // A model that is already stored needs no additional space.
    #expect(try add("1" + text, to: limited) == used)
  }
}
