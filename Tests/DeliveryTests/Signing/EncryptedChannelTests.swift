import CoreMLBase
import CoreMLRuntime
import CoreMLSpec
import Foundation
import Synchronization
import Testing

@testable import CoreMLDelivery

/// Delivery of encrypted models, and protection of their memory.
@Suite(.serialized) struct EncryptedChannelTests {
  let bench: ChannelBench
  let key: ModelKeySource

  init() throws {
    bench = try ChannelBench()
    let file = bench.folder.url.appending(path: "model.key32")
    try ModelKey().write(to: file)
    key = .file(file)
  }

  private func encrypted(_ version: Int) throws -> URL {
    let file = bench.folder.url.appending(path: "m-\(version).encrypted")
    let compiled = try Samples.compiled(Samples.small(version, in: bench.folder))
    try EncryptedModel.encrypt(compiledModel: compiled, to: file, key: key.key())
    return file
  }

  private func addition(_ version: Int, expecting value: Double) throws -> Publisher.Addition {
    var addition = Publisher.Addition(model: "m", version: "\(version).0", source: try encrypted(version))
    addition.golden = [
      (inputs: try Samples.inputs(in: bench.folder), outputs: try Samples.outputs(value, in: bench.folder))
    ]
    addition.key = key
    return addition
  }

  @Test func anEncryptedModelReachesADeviceThatHasTheKey() async throws {
    // The publisher tries the model, and rejects it without its key or with wrong outputs.
    var bad = try addition(1, expecting: 2)
    bad.key = nil
    #expect(Fixture.code { _ = try bench.shop.add(bad, to: "stable") } == .noModelKey)
    let wrong = try addition(1, expecting: 7)
    #expect(Fixture.code { _ = try bench.shop.add(wrong, to: "stable") } == .failsSmokeTest)
    let other = bench.folder.url.appending(path: "other.key32")
    try ModelKey().write(to: other)
    bad.key = .file(other)
    #expect(Fixture.code { _ = try bench.shop.add(bad, to: "stable") } == .wrongModelKey)
    #expect(try bench.shop.draft("stable").models.isEmpty)

    let variant = try bench.shop.add(addition(1, expecting: 2), to: "stable").variant
    #expect(variant.form == .encrypted && variant.deltas.isEmpty)
    try bench.shop.promote("m", in: "stable")
    try bench.sign()
    #expect(try bench.shop.verify(unpacking: true).isEmpty)

    let source = key
    let channel = try bench.channel { $0.keys = ["m": source] }
    let update = try await channel.update()
    #expect(update.failures.isEmpty, "\(update.failures)")
    let model = try channel.model("m")
    #expect(try model.version.release?.release == 1 && model.one() == 2)
    let stored = try channel.core.store.model(variant.tree)
    #expect(stored.form == .encrypted && EncryptedModel.isEncrypted(stored.url))
    // The next release is also encrypted.
    _ = try bench.shop.add(addition(2, expecting: 3), to: "stable")
    try bench.shop.promote("m", in: "stable")
    try bench.sign()
    try await channel.update()
    #expect(try model.one() == 3)
    // A process without the key uses the baseline, and no failure is counted for the model.
    let poor = try bench.channel()
    #expect(try poor.model("m").version == .baseline)
    #expect(try poor.status().models.first?.loadFailures == 0)
    #expect(try bench.channel { $0.key = source }.model("m").one() == 3)
    // The device stores no plaintext, in particular no compiled model.
    let cache = channel.core.options.places.compiledModels
    let names = (try? FileManager.default.subpathsOfDirectory(atPath: cache.path)) ?? []
    #expect(!names.contains { $0.contains(variant.tree) })
  }

  @Test func aDeviceWithoutTheKeyStaysWhereItIs() async throws {
    _ = try bench.shop.add(addition(1, expecting: 2), to: "stable")
    try bench.shop.promote("m", in: "stable")
    try bench.sign()
    let channel = try bench.channel()
    #expect(try await channel.update().failures["m"]?.code == .noModelKey)
    #expect(try channel.model("m").one() == 1)
    #expect(try channel.status().models.first?.blocked.isEmpty == true)
  }

  // MARK: memory

  /// Returns the kernel's flags of the pages at an address (proc(5), `VmFlags`).
  private func flags(at address: UInt) throws -> Set<Substring> {
    var isThere = false
    // The reported size of the file is 0, so it is read to its end.
    let maps = try #require(try FileHandle(forReadingAtPath: "/proc/self/smaps")?.readToEnd())
    for line in String(decoding: maps, as: UTF8.self).split(separator: "\n") {
      let words = line.split(separator: " ")
      guard let first = words.first else { continue }
      if first == "VmFlags:" {
        if isThere { return Set(words.dropFirst()) }
      } else if !first.hasSuffix(":") {
        let ends = first.split(separator: "-").compactMap { UInt($0, radix: 16) }
        if ends.count == 2 { isThere = ends[0] <= address && address < ends[1] }
      }
    }
    return []
  }

  /// Sanitizers intercept mlock and report success without locking.
  private static let locks =
    (try? SecretMemory(count: 1 << 16))?.lockRefusal == nil && dlsym(nil, "__asan_init") == nil
    && dlsym(nil, "__tsan_init") == nil

  @Test func decryptedModelsStayOutOfCoreDumpsAndAreZeroed() throws {
    let file = try encrypted(4)
    let expected = try Samples.compiled(Samples.small(4, in: bench.folder))
    var files: [String: Bytes]? = try EncryptedModel.decrypt(file, key: key.key())
    let (address, count) = try {
      let (name, bytes) = try #require(files?.max { $0.value.count < $1.value.count })
      #expect(bytes.array == [UInt8](try Data(contentsOf: expected.appending(path: name))) && bytes.count > 64)
      return (UInt(bitPattern: bytes.pointer), bytes.count)
    }()
    let found = try flags(at: address)
    #expect(found.contains("dd"), "\(found)")
    // Forked worker processes of a server share the model.
    #expect(!found.contains("wf"), "\(found)")
    #expect(!Self.locks || found.contains("lo"), "\(found)")
    #expect(try zeroed(at: address, count) { files = nil } == true)
    _ = files
  }

  @Test func keysAndPassphrasesAreZeroedAndLeftToNoChild() throws {
    let text = Array("a passphrase".utf8)
    var phrase: Passphrase? = try text.withUnsafeBytes { try Passphrase($0) }
    let address = UInt(bitPattern: try #require(phrase?.bytes.baseAddress))
    let found = try flags(at: address)
    #expect(found.isSuperset(of: ["dd", "wf"]), "\(found)")
    #expect(!Self.locks || found.contains("lo"), "\(found)")
    #expect(try zeroed(at: address, text.count) { phrase = nil } == true)
    _ = phrase
  }

  /// Returns whether the memory was zero when it was released; nil if it was not released.
  private func zeroed(at address: UInt, _ count: Int, _ release: () throws -> Void) throws -> Bool? {
    let cell = Seen()
    SecretMemory.releases.withLock {
      $0 = { range in
        guard let base = range.baseAddress.map(UInt.init(bitPattern:)), base <= address,
          address + UInt(count) <= base + UInt(range.count)
        else { return }
        let isZero = range.allSatisfy { $0 == 0 }
        cell.value.withLock { $0 = isZero }
      }
    }
    defer { SecretMemory.releases.withLock { $0 = nil } }
    try release()
    return cell.value.withLock { $0 }
  }

  private final class Seen: Sendable { let value = Mutex<Bool?>(nil) }
}
