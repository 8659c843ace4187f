import CoreMLDelivery
import Foundation
import Testing

@Suite struct ModelStoreTests {
  private let folder: TemporaryFolder
  private let store: ModelStore
  private let cache: CompiledModelCache

  init() throws {
    folder = try TemporaryFolder()
    store = try folder.store()
    cache = CompiledModelCache(directory: store.places.compiledModels, runtimeVersion: "1")
  }

  /// Adds a model that consists of a single file.
  private func add(_ text: String, origin: StoredModel.Origin = .local) throws -> String {
    let staging = try store.stagingFolder()
    let file = staging.url.appending(path: "m.mlmodel")
    try Data(text.utf8).write(to: file)
    return try store.add(tree: file, origin: origin).digest
  }

  private func prune(grace: Double = 0, previous: Int = 1) throws -> PruneReport {
    var policy = PrunePolicy()
    policy.grace = .seconds(grace)
    policy.keepsPrevious = previous
    return try store.prune(policy, cache)
  }

  @Test func theSameModelIsKeptOnceAndNeverWritten() throws {
    let first = try add("one")
    #expect(try add("one") == first)
    #expect(try store.digests() == [first])
    let model = try store.model(first)
    #expect(model.form == .mlmodel)
    #expect(try String(contentsOf: model.url, encoding: .utf8) == "one")
    #expect(try FileManager.default.attributesOfItem(atPath: model.url.path)[.posixPermissions] as? Int == 0o444)
    #expect(try folder.list("coreml/store/staging").isEmpty)
  }

  @Test func anotherModelThanExpectedIsRefused() throws {
    let staging = try store.stagingFolder()
    let file = staging.url.appending(path: "m.mlmodel")
    try Data("one".utf8).write(to: file)
    expect(.wrongTree) { try store.add(tree: file, expected: String(repeating: "0", count: 64), origin: .local) }
    try FileManager.default.createSymbolicLink(
      at: staging.url.appending(path: "l.mlmodel"), withDestinationURL: file)
    expect(.notAModel) { try store.add(tree: staging.url.appending(path: "l.mlmodel"), origin: .local) }
    #expect(try store.digests().isEmpty)
  }

  @Test func namesSwitchAndGoBack() throws {
    let (one, two) = (try add("one"), try add("two"))
    try store.activate(name: "m", digest: one)
    try store.activate(name: "m", digest: two)
    #expect(try store.versions(name: "m").versions.map(\.digest) == [two, one])
    #expect(try store.rollBack(name: "m").digest == one)
    #expect(try store.versions(name: "m").versions.map(\.digest) == [one])
    expect(.noEarlierVersion) { try store.rollBack(name: "m") }
    expect(.notInStore) { try store.activate(name: "m", digest: String(repeating: "0", count: 64)) }
    #expect(try store.active(name: "m")?.digest == one)
    try store.remove(name: "m")
    expect(.noSuchModel) { try store.open(name: "m") }
    expect(.noSuchModel) { try store.activate(name: "../m", digest: one) }
  }

  @Test func pruneKeepsWhatIsNamedPreviousPinnedLeasedPersonalAndYoung() throws {
    let digests = try ["active", "previous", "older", "pinned", "leased", "unused"].map { try add($0) }
    let personal = try add("personal", origin: .personal)
    for digest in [digests[2], digests[1], digests[0]] { try store.activate(name: "m", digest: digest) }
    try store.pin(digests[3])
    var lease: ModelLease? = try store.lease(digests[4])
    #expect(try prune(grace: 3600).removed.isEmpty)
    #expect(Set(try prune().removed.map { URL(filePath: $0.path).lastPathComponent }) == [digests[2], digests[5]])
    withExtendedLifetime(lease) {}
    lease = nil
    try store.unpin(digests[3])
    #expect(try prune().removed.count == 2)
    #expect(Set(try store.digests()) == [digests[0], digests[1], personal])
    #expect(try prune(previous: 0).removed.count == 1)
    #expect(try store.active(name: "m")?.digest == digests[0])
  }

  @Test func aDryRunRemovesNothing() throws {
    let digest = try add("unused")
    var policy = PrunePolicy()
    policy.grace = .zero
    policy.isDryRun = true
    #expect(try store.prune(policy, cache).removed.map(\.reason) == [.unused])
    #expect(try store.digests() == [digest])
  }

  @Test func aNameWhoseRecordIsDamagedKeepsEveryModelUntilItStandsForOneAgain() throws {
    let digest = try add("one")
    try folder.write("{", to: "coreml/models/m.installed")
    try folder.write("half", to: "coreml/store/staging/.staged-none-999999999-1.abc.partial")
    let findings = try store.verify(cache)
    #expect(findings.map(\.kind) == [.damagedRecord])
    #expect(try prune().removed.allSatisfy { $0.reason != .unused })
    #expect(try store.digests() == [digest])
    let aside = try #require(try store.repair(findings, cache).first?.repaired)
    #expect(try String(contentsOfFile: aside, encoding: .utf8) == "{")
    #expect(try store.verify(cache).isEmpty)
    expect(.noSuchModel) { try store.open(name: "m") }
    #expect(try prune().removed.allSatisfy { $0.reason != .unused })
    #expect(try store.digests() == [digest])
    let second = try add("two")
    try store.activate(name: "m", digest: second)
    #expect(try prune().removed.map(\.reason) == [.unused])
    #expect(try store.digests() == [second])
  }

  @Test func damageIsFoundAndAddingMendsIt() throws {
    let digest = try add("one")
    try store.activate(name: "m", digest: digest)
    #expect(try store.verify(cache).isEmpty)
    let file = try store.model(digest).url
    try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file.path)
    try Data("two".utf8).write(to: file)
    #expect(try store.verify(cache).map(\.kind) == [.damagedModel])
    try Data("shorter".utf8).write(to: file)
    #expect(try add("one") == digest)
    #expect(try store.verify(cache).isEmpty)
    try FileManager.default.removeItem(at: file.deletingLastPathComponent())
    #expect(try store.verify(cache).map(\.kind) == [.missingModel])
  }

  @Test func whatADeadProcessLeftIsRemovedAndWhatALivingOneMakesIsNot() throws {
    let mine = try store.stagingFolder()
    let name = mine.url.lastPathComponent
    let token = try #require(name.firstMatch(of: /\.staged-(\w+-\w+)-(\d+)-(\d+)\./))
    // A process of this machine with a PID that is never valid.
    let dead = ".staged-\(token.1)-999999999-1.abc.partial"
    try folder.write("half", to: "coreml/store/staging/\(dead)/model.mlmodel")
    let lease = "\(String(repeating: "a", count: 64))~\(token.1)-999999999-1~abc.lease"
    try folder.write("", to: "coreml/store/leases/\(lease)")
    #expect(try prune().removed.map(\.reason) == [.orphaned, .orphaned])
    #expect(try folder.list("coreml/store/staging") == [name])
    #expect(try folder.list("coreml/store/leases").isEmpty)
    withExtendedLifetime(mine) {}
  }

  @Test func whatCanBeFetchedAgainIsNotInBackupsAndPersonalModelsAre() throws {
    let (fetched, personal) = (try add("a", origin: .fetched), try add("b", origin: .personal))
    #expect(try BackupExclusion.isExcluded(store.model(fetched).url.deletingLastPathComponent()))
    #expect(try !BackupExclusion.isExcluded(store.model(personal).url.deletingLastPathComponent()))
  }

  @Test func leasesAndRemovalsNeverMeet() async throws {
    // Some tasks add and lease the model while another one prunes. A lease is valid until its end.
    let store = store
    let cache = cache
    let digest = try add("contended")
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        var policy = PrunePolicy()
        policy.grace = .seconds(-1)
        for _ in 0..<100 { _ = try store.prune(policy, cache) }
      }
      for _ in 0..<3 {
        group.addTask {
          for _ in 0..<50 {
            guard let lease = try? store.lease(digest) else {
              let staging = try store.stagingFolder()
              let file = staging.url.appending(path: "m.mlmodel")
              try Data("contended".utf8).write(to: file)
              _ = try? store.add(tree: file, origin: .local)
              continue
            }
            for _ in 0..<5 { #expect(try String(contentsOf: store.model(digest).url, encoding: .utf8) == "contended") }
            withExtendedLifetime(lease) {}
          }
        }
      }
      try await group.waitForAll()
    }
  }
}
