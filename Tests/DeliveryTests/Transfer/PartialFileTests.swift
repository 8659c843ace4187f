import Foundation
import Testing

@testable import CoreMLDelivery

/// What runs that ended leave behind, and what the next one makes of it.
@Suite struct PartialFileTests {
  private static let bytes = Sample.bytes
  private let folder: TemporaryFolder
  private let source: URL
  private let target: URL

  init() throws {
    folder = try TemporaryFolder()
    source = folder.url.appending(path: "in/source.bin")
    target = folder.url.appending(path: "out/model.bin")
    for place in [source, target] {
      try FileManager.default.createDirectory(at: place.deletingLastPathComponent(), withIntermediateDirectories: true)
    }
    try Data(Self.bytes).write(to: source)
  }

  /// A process that was there and is gone.
  private static func gone() throws -> PartialOwner {
    let process = Process()
    process.executableURL = URL(filePath: "/bin/true")
    try process.run()
    process.waitUntilExit()
    let current = PartialOwner.current
    return PartialOwner(host: current.host, boot: current.boot, process: process.processIdentifier, start: "1")
  }

  /// Leaves a part as a process of some kind would have.
  private func leave(
    _ count: Int, by owner: PartialOwner, durable: Int, validator: String? = "\"x\"", expected: String? = nil,
    damage: Bool = false
  ) throws {
    var part = Array(Self.bytes[..<count])
    if damage { part[0] ^= 1 }
    let path = "out/.model.bin.fetch-\(owner.token).left.partial"
    try Data(part).write(to: folder.url.appending(path: path))
    let record = PartialRecord(
      url: source, validator: validator, total: Int64(Self.bytes.count), expected: expected, durable: Int64(durable),
      durableSHA256: Sample.digest(Array(Self.bytes[..<durable])))
    try JSONEncoder().encode(record).write(to: folder.url.appending(path: path + ".json"))
  }

  /// The bytes that were used of what was left.
  private func download(sha256: String? = Sample.sha256) async throws -> Int64 {
    let log = EventLog()
    try await Downloader(transport: FileTransport()).download(
      TransferItem(source, sha256: sha256), to: target, events: { log.add($0) })
    #expect(try Data(contentsOf: target) == Data(Self.bytes))
    guard case .resumed(let count)? = log.all.first else { return 0 }
    return count
  }

  @Test func aDeadProcessesPartIsTakenOver() async throws {
    try leave(200_000, by: Self.gone(), durable: 0, expected: Sample.sha256)
    try leave(100, by: PartialOwner(host: PartialOwner.current.host, boot: "b", process: 7, start: "1"), durable: 100)
    #expect(try await download() == 200_000)
    #expect(try folder.list("out") == ["model.bin"])
  }

  @Test func afterACrashOnlyWhatWasDurableIsTrusted() async throws {
    let before = PartialOwner(host: PartialOwner.current.host, boot: "before", process: 7, start: "1")
    try leave(200_000, by: before, durable: 120_000, expected: Sample.sha256)
    #expect(try await download() == 120_000)
    #expect(try folder.list("out") == ["model.bin"])
  }

  @Test func bytesThatAreNotWhatTheyWereAreDropped() async throws {
    try leave(200_000, by: Self.gone(), durable: 120_000, expected: Sample.sha256, damage: true)
    #expect(try await download() == 0)
  }

  @Test func damageBeyondThatIsFoundAtTheEnd() async throws {
    try leave(200_000, by: Self.gone(), durable: 0, expected: Sample.sha256, damage: true)
    #expect(try await download() == 200_000)
  }

  @Test func withoutADigestTheValidatorMustStillHold() async throws {
    try leave(200_000, by: Self.gone(), durable: 0, validator: "\"of another state\"")
    #expect(try await download(sha256: nil) == 200_000)
    #expect(try folder.list("out") == ["model.bin"])
  }

  @Test func anothersPartsAreLeftAlone() async throws {
    let parent = getppid()
    let current = PartialOwner.current
    let start = try #require(PartialOwner.startTime(of: parent))
    let alive = PartialOwner(host: current.host, boot: current.boot, process: parent, start: start)
    let elsewhere = PartialOwner(host: "elsewhere", boot: "b", process: 7, start: "1")
    try leave(200_000, by: alive, durable: 0, expected: Sample.sha256)
    try leave(200_000, by: elsewhere, durable: 0, expected: Sample.sha256)
    #expect(try await download() == 0)
    #expect(try folder.list("out").count == 5)
  }

  @Test func aPartOfAnotherFileIsRemoved() async throws {
    try leave(200_000, by: Self.gone(), durable: 0, expected: Sample.digest([1]))
    #expect(try await download() == 0)
    #expect(try folder.list("out") == ["model.bin"])
  }

  @Test func recordsThatAreNoneCostOnlyTheBytes() async throws {
    let owner = try Self.gone()
    try leave(200_000, by: owner, durable: 0, expected: Sample.sha256)
    try folder.write("{\"durable\": -1", to: "out/.model.bin.fetch-\(owner.token).left.partial.json")
    #expect(try await download() == 0)
    #expect(try folder.list("out") == ["model.bin"])
  }

  @Test func whatCannotBeWrittenSaysSo() async throws {
    let item = TransferItem(source)
    let downloader = Downloader(transport: FileTransport())
    let absent = folder.url.appending(path: "absent/model.bin")
    #expect(await code { try await downloader.download(item, to: absent) } == .unwritable)
    let missing = TransferItem(folder.url.appending(path: "nothing"))
    #expect(await code { try await downloader.download(missing, to: target) } == .notFound)
    let place = TransferItem(folder.url.appending(path: "in"))
    #expect(await code { try await downloader.download(place, to: target) } == .unreadable)
    #expect(await code { try await downloader.download(TransferItem(source, sha256: "12"), to: target) } == .badDigest)
    #expect(
      await code { try await downloader.download(TransferItem(source, size: 9, limit: 8), to: target) } == .tooLarge)
    #expect(try folder.list("out") == [])
  }

  @Test func whatIsSmallIsKeptInMemory() async throws {
    let downloader = Downloader(transport: FileTransport())
    let small = try #require(try await downloader.data(TransferItem(source)))
    #expect(small.bytes == Self.bytes && small.result.sha256 == Sample.sha256)
    #expect(await code { _ = try await downloader.data(TransferItem(source, limit: 1000)) } == .tooLarge)
    let known = TransferItem(mirrors: [source], knownETag: small.result.etag)
    #expect(try await downloader.data(known) == nil)
  }

  private func code(_ body: () async throws -> Void) async -> DeliveryError.Code? {
    do {
      try await body()
      return nil
    } catch { return (error as? DeliveryError)?.code }
  }
}
