import Foundation
import Testing

@testable import CoreMLDelivery

/// Records of models: a damaged one hides no other model, removes none, and is repaired.
@Suite struct RecordTests {
  private let folder: TemporaryFolder
  private let store: ModelStore
  private let cache: CompiledModelCache

  init() throws {
    folder = try TemporaryFolder()
    store = try folder.store()
    cache = CompiledModelCache(directory: store.places.compiledModels, runtimeVersion: "1")
  }

  private func add(_ text: String, origin: StoredModel.Origin = .local, personalOf: String? = nil) throws -> String {
    let staging = try store.stagingFolder()
    let file = staging.url.appending(path: "m.mlmodel")
    try Data(text.utf8).write(to: file)
    return try store.add(tree: file, expected: nil, origin: origin, personalOf: personalOf).digest
  }

  private func record(_ digest: String) -> URL { store.folder(of: digest).appending(path: ObjectRecord.fileName) }

  /// - Parameter text: the new content of the record; nil removes the record.
  private func damage(_ digest: String, _ text: String?) throws {
    try FileManager.default.removeItem(at: record(digest))
    if let text { try Data(text.utf8).write(to: record(digest)) }
  }

  private func age(_ digest: String) throws {
    let old = Date(timeIntervalSinceNow: -86_400)
    try FileManager.default.setAttributes([.modificationDate: old], ofItemAtPath: store.folder(of: digest).path)
  }

  @Test(arguments: [nil, "", "{}", "{\"form\": \"mlmodel\""] as [String?])
  func aDamagedRecordIsMadeAnewWhereTheModelIsWhole(text: String?) throws {
    let digest = try add("one")
    try store.activate(name: "m", digest: digest)
    try damage(digest, text)
    let findings = try store.verify(cache)
    #expect(findings.map(\.kind) == [.damagedRecord])
    #expect(findings.map(\.path) == [store.folder(of: digest).path])
    #expect(try store.repair(findings, cache).map(\.repaired) == [record(digest).path])
    #expect(try store.verify(cache).isEmpty && store.damagedItems().isEmpty)
    #expect(try store.open(name: "m").model.form == .mlmodel)
    // Opening the model, an update and another installation repair the record, too.
    try damage(digest, text)
    #expect(try store.open(name: "m").model.digest == digest)
    try damage(digest, text)
    #expect(try StoreHealing(store: store, cache: cache).heal(every: nil).isEmpty)
    #expect(try store.verify(cache).isEmpty)
    try damage(digest, text)
    #expect(try add("one") == digest)
    #expect(try store.verify(cache).isEmpty && store.damagedItems().isEmpty)
  }

  @Test func whatIsNotWholeEitherIsSetAside() throws {
    let (changed, lost, gone) = (try add("one"), try add("two"), try add("three"))
    try damage(changed, "")
    try HealingTests.damage(store.folder(of: changed).appending(path: TreeDigest.fileName))
    try damage(lost, "")
    try FileManager.default.removeItem(at: store.folder(of: lost).appending(path: TreeDigest.fileName))
    try FileManager.default.removeItem(at: store.folder(of: gone).appending(path: TreeDigest.fileName))
    let repaired = try store.repair(store.verify(cache), cache)
    #expect(repaired.count == 3 && Set(repaired.compactMap(\.repaired)) == Set(store.damagedItems().map(\.path)))
    #expect(try store.digests().isEmpty && store.verify(cache).isEmpty)
    // Each model can be installed again.
    #expect(try add("one") == changed)
    #expect(try add("two") == lost)
  }

  @Test func oneDamagedRecordHidesNoOtherModel() throws {
    for (name, text) in [("a", "one"), ("b", "two"), ("c", "three")] {
      try store.activate(name: name, digest: add(text))
    }
    try damage(#require(try store.active(name: "b")).digest, "")
    var told: [String: DeliveryError.Code] = [:]
    #expect(try InstalledModels(store).all { told[$0] = $1.code }.map(\.name) == ["a", "c"])
    #expect(told == ["b": .damagedRecord])
    try Data("torn".utf8).write(to: store.names.file(of: "c"))
    #expect(try InstalledModels(store).all().map(\.name) == ["a"])
    #expect(try store.usage(cache).items.count { $0.kind == .active } == 2)
  }

  @Test func damageMakesNothingPrunable() throws {
    let (kept, unknown) = (try add("one", origin: .personal), try add("two"))
    let fetched = try add("three", origin: .fetched)
    var policy = PrunePolicy()
    policy.grace = .seconds(60)
    for digest in [kept, unknown, fetched] {
      try damage(digest, "")
      try age(digest)
    }
    #expect(try store.prune(policy, cache).removed.isEmpty)
    var limited = store
    limited.sizeLimit = 1
    #expect(throws: DeliveryError.self) { try limited.retention.requireRoom(for: 10) }
    #expect(try Set(store.digests()) == [kept, unknown, fetched])
    // The backup exclusion mark next to the record shows that a model was fetched. The origin of the others is unknown,
    // so they count as personal.
    try store.repair(store.verify(cache), cache)
    #expect(try store.model(kept).origin == .personal && store.model(kept).personalOf == nil)
    #expect(try store.model(unknown).origin == .personal && store.model(fetched).origin == .fetched)
    for digest in [kept, unknown, fetched] { try age(digest) }
    #expect(try store.prune(policy, cache).removed.map(\.path) == [store.folder(of: fetched).path])
  }

  /// A name's record in a newer format is not treated as damaged and not overwritten. While it exists, no models are
  /// pruned.
  @Test(arguments: [#"{"format":2,"history":{"now":[]}}"#, #"{"format":99,"versions":[]}"#])
  func aNameOfALaterReleaseIsLeftAlone(text: String) throws {
    let (mine, free) = (try add("one", origin: .fetched), try add("two", origin: .fetched))
    try store.activate(name: "m", digest: mine)
    try Data(text.utf8).write(to: store.names.file(of: "m"))
    let error = #expect(throws: DeliveryError.self) { try store.versions(name: "m") }
    #expect(error?.code == .unreadable && error?.message.contains("later release") == true, "\(error as Any)")
    expect(.unreadable) { try store.activate(name: "m", digest: free) }
    expect(.unreadable) { try store.open(name: "m") }
    let findings = try store.verify(cache)
    #expect(findings.map(\.kind) == [.unreadable])
    #expect(try store.repair(findings, cache).allSatisfy { $0.repaired == nil })
    #expect(try String(contentsOf: store.names.file(of: "m"), encoding: .utf8) == text && store.damagedItems().isEmpty)
    for digest in [mine, free] { try age(digest) }
    var policy = PrunePolicy()
    policy.grace = .seconds(60)
    #expect(try store.prune(policy, cache).removed.isEmpty)
    #expect(try Set(store.digests()) == [mine, free])
  }

  /// The same for personalised models, which cannot be obtained again.
  @Test func aPersonalRecordOfALaterReleaseIsLeftAlone() throws {
    let kept = try add("one", origin: .personal, personalOf: "m")
    let record = store.personalRecords.file(of: "m")
    try DeliveryDirectories.makeFolder(record.deletingLastPathComponent())
    try Data(#"{"format":2,"kept":{}}"#.utf8).write(to: record)
    expect(.unreadable) { try store.personalRecords.record(of: "m") }
    try age(kept)
    expect(.unreadable) { try store.prune(PrunePolicy(), cache) }
    #expect(try store.digests() == [kept])
  }

  /// Usage is not reported while a record is untrusted. Damaged records are reported by `verify` instead.
  @Test func whatIsUsedIsNotGuessed() throws {
    try store.activate(name: "m", digest: add("one"))
    let record = store.names.file(of: "m")
    #expect(chmod(record.path, 0o666) == 0)
    expect(.untrusted) { try store.usage(cache) }
    #expect(chmod(record.path, 0o644) == 0)
    #expect(try store.usage(cache).items.map(\.kind) == [.active])
    try Data("torn".utf8).write(to: record)
    #expect(try store.usage(cache).items.map(\.kind) == [.unused])
  }

  /// A read error of a disk keeps its errno, which determines how it is handled.
  @Test func aDiskThatFailsIsAnError() throws {
    // Reading /proc/self/mem at an unmapped address fails with EIO, like a failing disk.
    let error = #expect(throws: DeliveryError.self) {
      try DurableFile.read(json: ObjectRecord.self, at: URL(filePath: "/proc/self/mem"))
    }
    #expect(error?.isOfMedium == true, "\(error as Any)")
  }

  /// A record in a newer format is not a defect of the model, just like a lack of descriptors or memory.
  @Test func whatCannotBeReadNowIsNotSetAside() throws {
    let digest = try add("one")
    try store.activate(name: "m", digest: digest)
    let text = try String(contentsOf: record(digest), encoding: .utf8)
    try damage(digest, text.replacing("\"format\":1", with: "\"format\":99"))
    expect(.unreadable) { try store.integrity.present(digest) }
    expect(.unreadable) { try store.lease(digest) }
    #expect(try StoreHealing(store: store, cache: cache).heal(every: nil).isEmpty)
    let findings = try store.verify(cache)
    #expect(findings.map(\.kind) == [.unreadable])
    #expect(try store.repair(findings, cache).allSatisfy { $0.repaired == nil })
    #expect(try store.digests() == [digest] && store.damagedItems().isEmpty)
    // Of a record in a newer format, only the format field must be readable.
    for later in [
      "{\"format\":99,\"shape\":[1]}",
      text.replacing("\"local\"", with: "\"elsewhere\"").replacing("\"format\":1", with: "\"format\":2"),
    ] {
      try damage(digest, later)
      let error = #expect(throws: DeliveryError.self) { try store.lease(digest) }
      #expect(error?.code == .unreadable && error?.message.contains("later release") == true, "\(error as Any)")
      #expect(try store.repair(store.verify(cache), cache).map(\.kind) == [.unreadable])
      #expect(try String(contentsOf: record(digest), encoding: .utf8) == later)
    }
    #expect(try store.digests() == [digest] && store.damagedItems().isEmpty)
    // A disk error is different from a temporary failure.
    func error(_ number: Int32) -> DeliveryError {
      DeliveryError(.unreadable, "it cannot be read", at: record(digest), errno: number)
    }
    #expect(error(EIO).isOfMedium && !error(EMFILE).isOfMedium && !error(EACCES).isOfMedium)
  }
}
