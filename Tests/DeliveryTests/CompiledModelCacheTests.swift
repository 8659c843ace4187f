import CoreMLBase
import CoreMLSpec
import Foundation
import Synchronization
import Testing

@testable import CoreMLDelivery

@Suite struct CompiledModelCacheTests {
  private let folder: TemporaryFolder
  private let compilations = Counter()

  private final class Counter: Sendable {
    let count = Atomic(0)
    func add() { count.add(1, ordering: .relaxed) }
    var value: Int { count.load(ordering: .relaxed) }
  }

  init() throws { folder = try TemporaryFolder() }

  private func cache(version: String = "1") -> CompiledModelCache {
    CompiledModelCache(directory: folder.url.appending(path: "cache"), runtimeVersion: version)
  }

  /// Simulates a compilation by copying the source's text.
  private func compile(_ source: URL, version: String = "1") throws -> String {
    let compiled = try cache(version: version).compiledModel(for: source) { target in
      compilations.add()
      try FileManager.default.createDirectory(at: target, withIntermediateDirectories: false)
      try Data(contentsOf: source).write(to: target.appending(path: "model.mil"))
    }
    #expect(compiled.lastPathComponent == "\(source.deletingPathExtension().lastPathComponent).mlmodelc")
    return try String(contentsOf: compiled.appending(path: "model.mil"), encoding: .utf8)
  }

  /// Sets a file's times back, so that it does not count as recently changed.
  private func age(_ url: URL) throws {
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSinceNow: -3600)], ofItemAtPath: url.path)
  }

  /// Nanoseconds since 1970 overflow `Int64` on 2262-04-11. Only differences matter, and those are computed with
  /// wrap-around.
  @Test(arguments: [0, 1_800_000_000, 9_223_372_036, 9_223_372_037, 20_000_000_000, -5])
  func filesAreAtRestWhateverTheClockSays(seconds: Int) throws {
    func moment(_ seconds: Int) -> Int64 { WallClock.nanoseconds(timespec(tv_sec: seconds, tv_nsec: 999_999_999)) }
    let file = try folder.write("a", to: "m.mlmodel")
    let (model, changed) = (
      try ModelContents(of: file), try #require(try ModelContents(of: file).entries.first?.changed)
    )
    #expect(WallClock.elapsed(from: moment(seconds), to: moment(seconds + 3)) == 3_000_000_000)
    #expect(WallClock.elapsed(from: moment(seconds + 3), to: moment(seconds)) == -3_000_000_000)
    #expect(model.isAtRest(for: 2_000_000_000, at: changed &+ 3_000_000_000))
    #expect(!model.isAtRest(for: 2_000_000_000, at: changed &+ 1_000_000_000))
    // A difference that overflows counts as recently changed, which only costs the computation of a digest.
    #expect(!model.isAtRest(for: 2_000_000_000, at: changed &+ .max &+ 1))
  }

  @Test func aModelIsCompiledOnce() throws {
    let source = try folder.write("one", to: "m.mlmodel")
    #expect(try compile(source) == "one")
    #expect(try compile(source) == "one")
    #expect(compilations.value == 1)
    #expect(try compile(source, version: "2") == "one")
    #expect(compilations.value == 2)
  }

  /// The least recently used entries are removed; leased entries and the newest one remain.
  @Test func entriesKeepToTheLimit() throws {
    var cache = cache()
    var leases: [ModelLease] = []
    func add(_ name: String) throws -> URL {
      let source = try folder.write(name, to: "\(name).mlmodel")
      let (url, lease) = try cache.leasedModel(for: source) { target in
        try FileManager.default.createDirectory(at: target, withIntermediateDirectories: false)
        try Data(repeating: 1, count: 100_000).write(to: target.appending(path: "model.mil"))
      }
      leases.append(lease)
      return url
    }
    cache.sizeLimit = 250_000
    let first = try add("first")
    leases = []
    let second = try add("second")
    for (url, age) in [(first, -50.0), (second, -100)] {
      try FileManager.default.setAttributes(
        [.modificationDate: Date(timeIntervalSinceNow: age)], ofItemAtPath: url.deletingLastPathComponent().path)
    }
    // The second entry was used less recently, but is leased.
    let third = try add("third")
    func stands(_ url: URL) -> Bool { FileManager.default.fileExists(atPath: url.path) }
    #expect(!stands(first) && stands(second) && stands(third))
    leases = []
    cache.sizeLimit = 10
    let fourth = try add("fourth")
    #expect(!stands(second) && !stands(third) && stands(fourth))
  }

  @Test func anotherBuildOfOneVersionCompilesAnew() throws {
    let source = try folder.write("one", to: "m.mlmodel")
    func compile(_ build: String) throws {
      let cache = CompiledModelCache(directory: folder.url.appending(path: "cache"), runtimeVersion: "1", build: build)
      _ = try cache.compiledModel(for: source) { target in
        compilations.add()
        try FileManager.default.createDirectory(at: target, withIntermediateDirectories: false)
      }
    }
    for build in ["a", "a", "b", "b"] { try compile(build) }
    #expect(compilations.value == 2)
    #expect(RuntimeBuild.image.hasPrefix("/") && RuntimeBuild.identity != "unknown" && !RuntimeBuild.identity.isEmpty)
  }

  @Test func aChangeThatKeepsSizeAndModificationTimeIsSeen() throws {
    let source = try folder.write("one", to: "m.mlmodel")
    try age(source)
    #expect(try compile(source) == "one")
    let times = try FileManager.default.attributesOfItem(atPath: source.path)[.modificationDate]
    let handle = try FileHandle(forWritingTo: source)
    try handle.write(contentsOf: Data("two".utf8))
    try handle.close()
    try FileManager.default.setAttributes([.modificationDate: try #require(times)], ofItemAtPath: source.path)
    #expect(try compile(source) == "two")
  }

  @Test func theSameContentsElsewhereAreNotCompiledAgain() throws {
    #expect(try compile(folder.write("one", to: "a/m.mlmodel")) == "one")
    #expect(try compile(folder.write("one", to: "b/m.mlmodel")) == "one")
    #expect(compilations.value == 1)
  }

  @Test func everyFileOfAPackageCounts() throws {
    try folder.write("manifest", to: "m.mlpackage/Manifest.json")
    let weights = try folder.write("weights", to: "m.mlpackage/Data/weights/weight.bin")
    let package = folder.url.appending(path: "m.mlpackage")
    func compiled() throws -> URL {
      try cache().compiledModel(for: package) { try FileManager.default.copyItem(at: package, to: $0) }
    }
    let first = try compiled()
    #expect(try compiled() == first)
    try Data("WEIGHTS".utf8).write(to: weights)
    let second = try compiled()
    #expect(second != first)
    try FileManager.default.moveItem(at: weights, to: weights.deletingLastPathComponent().appending(path: "other.bin"))
    #expect(try ![first, second].contains(compiled()))
  }

  @Test func aFailedCompilationLeavesNothing() throws {
    struct Failure: Error {}
    let source = try folder.write("one", to: "m.mlmodel")
    #expect(throws: Failure.self) {
      try cache().compiledModel(for: source) { target in
        try FileManager.default.createDirectory(at: target, withIntermediateDirectories: false)
        throw Failure()
      }
    }
    #expect(try folder.list("cache").filter { !["digests", "leases"].contains($0) }.isEmpty)
    #expect(try compile(source) == "one")
  }

  @Test func aModelThatChangesMeanwhileIsNotKept() throws {
    let source = try folder.write("one", to: "m.mlmodel")
    let error = #expect(throws: DeliveryError.self) {
      try cache().compiledModel(for: source) { target in
        try FileManager.default.createDirectory(at: target, withIntermediateDirectories: false)
        try Data("changed".utf8).write(to: source)
      }
    }
    #expect(error?.code == .unreadable)
    #expect(try folder.list("cache").filter { !["digests", "leases"].contains($0) }.isEmpty)
  }

  @Test func manyAtOnceAllGetAWholeModel() async throws {
    let source = try folder.write(String(repeating: "x", count: 100_000), to: "m.mlmodel")
    try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<8 { group.addTask { try self.compile(source).utf8.count } }
      for try await count in group { #expect(count == 100_000) }
    }
    #expect(try folder.list("cache").filter { !["digests", "leases"].contains($0) }.count == 1)
  }

  @Test func whatNobodyUsedForLongIsRemoved() throws {
    let old = try folder.write("old", to: "old.mlmodel")
    #expect(try compile(old) == "old")
    let entry = folder.url.appending(
      path: "cache/\(try #require(folder.list("cache").first { !["digests", "leases"].contains($0) }))")
    let partial = folder.url.appending(path: "cache/.abc.partial")
    try FileManager.default.createDirectory(at: partial, withIntermediateDirectories: false)
    for url in [entry, partial] {
      try FileManager.default.setAttributes(
        [.modificationDate: Date(timeIntervalSinceNow: -100 * 86_400)], ofItemAtPath: url.path)
    }
    #expect(try compile(folder.write("new", to: "new.mlmodel")) == "new")
    #expect(!FileManager.default.fileExists(atPath: entry.path))
    #expect(!FileManager.default.fileExists(atPath: partial.path))
    #expect(try compile(old) == "old")
    #expect(compilations.value == 3)
  }

  @Test func useKeepsAnEntryYoung() throws {
    let source = try folder.write("one", to: "m.mlmodel")
    #expect(try compile(source) == "one")
    let entry = folder.url.appending(
      path: "cache/\(try #require(folder.list("cache").first { !["digests", "leases"].contains($0) }))")
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSinceNow: -100 * 86_400)], ofItemAtPath: entry.path)
    #expect(try compile(source) == "one")
    #expect(try compile(folder.write("new", to: "new.mlmodel")) == "new")
    #expect(FileManager.default.fileExists(atPath: entry.path))
  }

  private func entry() throws -> String {
    try #require(folder.list("cache").first { !["digests", "leases", "damaged"].contains($0) })
  }

  @Test func aDamagedEntryIsSetAsideAndMadeAnew() throws {
    let source = try folder.write("one", to: "m.mlmodel")
    #expect(try compile(source) == "one")
    let file = folder.url.appending(path: "cache/\(try entry())/m.mlmodelc/model.mil")
    #expect(utimensat(AT_FDCWD, file.path, nil, 0) == 0)
    #expect(try compile(source) == "one")
    #expect(compilations.value == 1, "other times alone are no damage")
    try Data("two".utf8).write(to: file)
    #expect(try compile(source) == "one")
    #expect(compilations.value == 2)
    let kept = try folder.list("cache/damaged").filter { !$0.hasSuffix(".lock") }
    #expect(kept.count == 1)
    #expect(try folder.read("cache/damaged/\(kept[0])/m.mlmodelc/model.mil") == "two")
  }

  @Test func whatIsDamagedIsNotCompiledUnderTheDigestThatItHad() throws {
    let source = try folder.write("one", to: "m.mlmodel")
    let digest = try TreeDigest.digest(of: source)
    try Data("two".utf8).write(to: source)
    let error = #expect(throws: DeliveryError.self) {
      try cache().compiledModel(for: source, digest: digest) { _ in Issue.record("it was compiled") }
    }
    #expect(error?.code == .damagedModel)
  }

  @Test(arguments: ["folder", "entry", "file", "link", "hard link"])
  func whatOthersCouldHaveWrittenIsNotUsed(what: String) throws {
    let source = try folder.write("one", to: "m.mlmodel")
    #expect(try compile(source) == "one")
    let entry = folder.url.appending(path: "cache/\(try entry())")
    let file = entry.appending(path: "m.mlmodelc/model.mil")
    let forged = try folder.write("forged", to: "forged.mil")
    switch what {
    case "folder": #expect(chmod(folder.url.appending(path: "cache").path, 0o777) == 0)
    case "entry": #expect(chmod(entry.path, 0o777) == 0)
    case "file": #expect(chmod(file.path, 0o666) == 0)
    case "link": #expect(unlink(file.path) == 0 && symlink(forged.path, file.path) == 0)
    default: #expect(link(file.path, folder.url.appending(path: "second").path) == 0)
    }
    let told = Counter()
    var cache = cache()
    cache.tell = { _ in told.add() }
    let (compiled, lease) = try cache.leasedModel(for: source) { target in
      compilations.add()
      try FileManager.default.createDirectory(at: target, withIntermediateDirectories: false)
      try Data(contentsOf: source).write(to: target.appending(path: "model.mil"))
    }
    #expect(try String(contentsOf: compiled.appending(path: "model.mil"), encoding: .utf8) == "one")
    #expect(compilations.value == 2 && told.value == 1)
    #expect(compiled.path.hasPrefix(folder.url.path) == (what != "folder"))
    withExtendedLifetime(lease) {}
  }

  @Test func whatIsMadeForItsHolderAloneGoesWithTheLease() throws {
    let source = try folder.write("one", to: "m.mlmodel")
    var cache = cache()
    cache.tell = { _ in }
    func make() throws -> String {
      var attempts = 0
      let (compiled, lease) = try cache.leasedModel(for: source) { target in
        attempts += 1
        // The file system of the cache is full.
        if target.path.hasPrefix(folder.url.path) { throw DeliveryError(.noSpace, "no space left on device") }
        try FileManager.default.createDirectory(at: target, withIntermediateDirectories: false)
      }
      #expect(attempts == 2 && FileManager.default.fileExists(atPath: compiled.path))
      withExtendedLifetime(lease) {}
      return compiled.path
    }
    #expect(try !FileManager.default.fileExists(atPath: make()))
    // Errors of the model are passed on.
    struct Failure: Error {}
    #expect(throws: Failure.self) { try cache.leasedModel(for: source) { _ in throw Failure() } }
  }

  @Test func noMaskOpensAnEntryToOthers() throws {
    let source = try folder.write("one", to: "m.mlmodel")
    _ = try cache().compiledModel(for: source) { target in
      #expect(mkdir(target.path, 0o700) == 0 && chmod(target.path, 0o777) == 0)
      let file = target.appending(path: "model.mil")
      try Data("one".utf8).write(to: file)
      #expect(chmod(file.path, 0o666) == 0)
    }
    for path in try FileManager.default.subpathsOfDirectory(atPath: folder.url.appending(path: "cache").path) {
      var status = stat()
      #expect(lstat(folder.url.appending(path: "cache/\(path)").path, &status) == 0)
      #expect(status.st_mode & 0o022 == 0, "\(path)")
    }
  }

  @Test func removedIsCompiledAgain() throws {
    let source = try folder.write("one", to: "m.mlmodel")
    #expect(try compile(source) == "one")
    try cache().removeCompiledModel(for: source)
    #expect(try compile(source) == "one")
    #expect(compilations.value == 2)
  }

  @Test func whatIsNoModelsFilesIsRefused() throws {
    #expect(mkfifo(folder.url.appending(path: "pipe.mlmodel").path, 0o600) == 0)
    for name in ["absent.mlmodel", "pipe.mlmodel"] {
      #expect(throws: DeliveryError.self) { try compile(folder.url.appending(path: name)) }
    }
    let loop = folder.url.appending(path: "loop.mlpackage")
    try FileManager.default.createDirectory(at: loop, withIntermediateDirectories: false)
    try FileManager.default.createSymbolicLink(at: loop.appending(path: "again"), withDestinationURL: loop)
    let error = #expect(throws: DeliveryError.self) { try compile(loop) }
    #expect(error?.code == .notAModel)
  }
}
