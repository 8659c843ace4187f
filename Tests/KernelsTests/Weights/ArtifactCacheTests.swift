import Foundation
import MIL
import Testing

@testable import CoreMLKernels

@Suite struct ArtifactCacheTests {
  private func inFolder(_ body: (String) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "packed-\(UUID().uuidString)").path
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try body("\(folder)/packed")
  }

  private func memory(_ count: Int, _ fill: UInt8) throws -> PackedMemory {
    try PackedMemory.filled(byteCount: count) { bytes in
      for index in 0..<count { bytes[index] = fill &+ UInt8(truncatingIfNeeded: index &* 31) }
    }
  }

  private func contents(_ memory: PackedMemory) -> [UInt8] { withExtendedLifetime(memory) { Array(memory.bytes) } }

  private let name = ArtifactCache.name(["a"])
  private func path(_ folder: String) -> String { "\(folder)/\(name).packed" }

  @Test func whatIsSavedIsMappedByAnother() throws {
    try inFolder { folder in
      for count in [1, 63, 64, 4096, 100_001] {
        let memory = try memory(count, 3)
        let saved = try #require(ArtifactCache(folder: folder, limit: 1 << 30).save(memory, name))
        #expect(contents(saved) == contents(memory))
        let loaded = try #require(ArtifactCache(folder: folder, limit: 1 << 30).load(name, byteCount: count))
        #expect(contents(loaded) == contents(memory) && Int(bitPattern: loaded.pointer) % 64 == 0)
        #expect(ArtifactCache(folder: folder, limit: 1 << 30).load(name, byteCount: count + 1) == nil)
      }
      let files = try FileManager.default.contentsOfDirectory(atPath: folder)
      #expect(files == ["\(name).packed"], "nothing else is left")
    }
  }

  @Test func damageIsPassedOverAndWrittenAgain() throws {
    try inFolder { folder in
      let cache = ArtifactCache(folder: folder, limit: 1 << 30)
      let memory = try memory(9000, 5)
      #expect(cache.save(memory, name) != nil)
      let whole = try Data(contentsOf: URL(filePath: path(folder)))
      for place in [0, 9, 72, 80, 4095, 4096, 9000, whole.count - 1] {
        var damaged = whole
        damaged[place] ^= 1
        try damaged.write(to: URL(filePath: path(folder)))
        #expect(cache.load(name, byteCount: 9000) == nil, "byte \(place)")
      }
      try whole.dropLast().write(to: URL(filePath: path(folder)))
      #expect(cache.load(name, byteCount: 9000) == nil)
      try Data().write(to: URL(filePath: path(folder)))
      #expect(cache.load(name, byteCount: 9000) == nil)
      #expect(cache.save(memory, name) != nil)
      #expect(cache.load(name, byteCount: 9000).map(contents) == contents(memory))
      // A file copied to another name is not accepted under that name.
      let other = ArtifactCache.name(["b"])
      try FileManager.default.copyItem(atPath: path(folder), toPath: "\(folder)/\(other).packed")
      #expect(cache.load(other, byteCount: 9000) == nil)
    }
  }

  @Test func whatOthersCanWriteIsNotTrusted() throws {
    try inFolder { folder in
      let cache = ArtifactCache(folder: folder, limit: 1 << 30)
      #expect(cache.save(try memory(100, 1), name) != nil)
      chmod(path(folder), 0o666)
      #expect(cache.load(name, byteCount: 100) == nil)
      chmod(path(folder), 0o600)
      #expect(cache.load(name, byteCount: 100) != nil)
      #expect(link(path(folder), "\(folder)/second") == 0)
      #expect(cache.load(name, byteCount: 100) == nil, "a hard link")
      #expect(unlink("\(folder)/second") == 0 && cache.load(name, byteCount: 100) != nil)
      try FileManager.default.moveItem(atPath: path(folder), toPath: "\(folder)/elsewhere")
      symlink("\(folder)/elsewhere", path(folder))
      #expect(cache.load(name, byteCount: 100) == nil, "a link")
      chmod(folder, 0o777)
      let fresh = ArtifactCache(folder: folder, limit: 1 << 30)
      #expect(fresh.save(try memory(100, 1), name) == nil && fresh.load(name, byteCount: 100) == nil)
    }
  }

  @Test func aFolderThatCannotBeHadOnlyCostsTime() throws {
    let cache = ArtifactCache(folder: "/proc/self/packed", limit: 1 << 30)
    #expect(cache.save(try memory(100, 1), name) == nil && cache.load(name, byteCount: 100) == nil)
    #expect(cache.entries().isEmpty && cache.prune(to: 0).isEmpty)
    let relative = ArtifactCache(folder: "packed", limit: 1 << 30)
    #expect(relative.save(try memory(100, 1), name) == nil)
  }

  @Test func theOldestGoFirst() throws {
    try inFolder { folder in
      let cache = ArtifactCache(folder: folder, limit: 1 << 30)
      let names = (0..<4).map { ArtifactCache.name(["\($0)"]) }
      for (age, name) in names.enumerated() {
        #expect(cache.save(try memory(1000, 1), name) != nil)
        let date = Date(timeIntervalSinceNow: -1000 * Double(4 - age))
        try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: "\(folder)/\(name).packed")
      }
      // Loading a file makes it the most recently used.
      #expect(cache.load(names[0], byteCount: 1000) != nil)
      #expect(cache.entries().map(\.name) == [1, 2, 3, 0].map { "\(names[$0]).packed" })
      #expect(cache.prune(to: 2 * 5096).map(\.name) == [1, 2].map { "\(names[$0]).packed" })
      #expect(cache.entries().reduce(0) { $0 + $1.bytes } == 2 * 5096)
      let small = ArtifactCache(folder: folder, limit: 3 * 5096)
      for name in names { #expect(small.save(try memory(1000, 2), name) != nil) }
      #expect(small.entries().reduce(0) { $0 + $1.bytes } <= 3 * 5096)
      #expect(small.save(try memory(100_000, 2), names[0]) == nil, "more than half of all")
    }
  }

  /// Two stores, as in two processes. The second store packs nothing.
  @Test func storesShareWhatIsOnDisk() throws {
    try inFolder { folder in
      let tensor = try Tensor.zeros(.float32, shape: [100])
      let weight = try #require(StoredWeight(tensor))
      let recipe = PackingRecipe("test", [1], byteCount: 1 << 20)
      var packed: [Int] = []
      for (run, file) in ["one", "one", "another"].enumerated() {
        let store = WeightStore(file: (file, ArtifactCache(folder: folder, limit: 1 << 30)))
        let memory = try store.packed(weight, recipe) { bytes in
          packed.append(run)
          bytes.storeBytes(of: 9, as: UInt8.self)
        }
        #expect(contents(memory)[0] == 9)
      }
      #expect(packed == [0, 2])
      #expect(ArtifactCache(folder: folder, limit: 1 << 30).entries().count == 2)
    }
  }
}
