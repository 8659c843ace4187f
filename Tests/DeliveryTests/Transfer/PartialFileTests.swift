import CoreMLDeliveryHTTP
import Foundation
import TestSupport
import Testing

@testable import CoreMLDelivery

/// Leftovers of ended runs, and how the next run uses them.
@Suite(.tags(.process)) struct PartialFileTests {
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

  /// The identity of a process that has ended.
  private static func gone() throws -> PartialOwner {
    let process = Process()
    process.executableURL = URL(filePath: "/bin/true")
    try process.run()
    process.waitUntilExit()
    let current = PartialOwner.current
    return PartialOwner(host: current.host, boot: current.boot, process: process.processIdentifier, start: "1")
  }

  /// Creates the partial file that a process would have left.
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

  /// Downloads the file and returns the number of reused bytes.
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

  /// What another user can plant in a shared folder: a partial file under our name, with a record that claims it.
  @Test(arguments: ["writable", "record", "hard link", "link", "owner"])
  func whatOthersPlantedIsNeitherBelievedNorTouched(how: String) async throws {
    let owner = try Self.gone()
    try leave(200_000, by: owner, durable: 0, expected: Sample.sha256)
    let part = folder.url.appending(path: "out/.model.bin.fetch-\(owner.token).left.partial").path
    switch how {
    case "writable": #expect(chmod(part, 0o666) == 0)
    case "record": #expect(chmod(part + ".json", 0o666) == 0)
    case "hard link": #expect(Foundation.link(part, folder.url.appending(path: "second").path) == 0)
    case "link":
      let place = folder.url.appending(path: "second").path
      #expect(rename(part, place) == 0 && symlink(place, part) == 0)
    default:
      guard geteuid() == 0 else { return }
      #expect(chown(part, 4711, 4711) == 0 && chown(part + ".json", 4711, 4711) == 0)
    }
    #expect(try await download() == 0)
    var status = stat()
    #expect(stat(target.path, &status) == 0)
    #expect(status.st_uid == geteuid() && status.st_nlink == 1 && status.st_mode & 0o022 == 0)
    // An unusable partial file of this user is removed; one that may belong to another user is kept.
    #expect(FileManager.default.fileExists(atPath: part) == (how != "record"))
  }

  @Test func aPartIsItsUsersAloneAndItsRecordKeepsNoSecrets() async throws {
    let server = try await FaultServer { request in
      request.number == 0 ? Reply.file(request, cut: 150_000) : Reply.status(404)
    }
    let url = try #require(URL(string: "http://me:hunter2@127.0.0.1:\(server.port)/m.bin?token=sesame#part"))
    let log = EventLog()
    // On a busy machine, the transfer may be slower than the minimum rate.
    var policy = RetryPolicy(attempts: 1)
    policy.minimumRate = 0
    let downloader = Downloader(
      transport: HTTPTransport(options: HTTPOptions(runtimeVersion: "1")), policy: policy)
    let ended = await code { try await downloader.download(TransferItem(url), to: target, events: { log.add($0) }) }
    #expect(ended == .cutShort, "\(log.all)")
    guard case .kept(let kept)? = log.all.last else {
      Issue.record("\(log.all)")
      return
    }
    #expect(kept > 0 && kept <= 150_000)
    for event in log.all { #expect(!"\(event)".contains("hunter2"), "\(event)") }
    let names = try folder.list("out")
    #expect(names.count == 2)
    for name in names {
      var status = stat()
      #expect(stat(folder.url.appending(path: "out/\(name)").path, &status) == 0 && status.st_mode & 0o777 == 0o600)
    }
    let record = try folder.read("out/\(#require(names.first { $0.hasSuffix(".json") }))")
    for secret in ["hunter2", "sesame", "me:"] { #expect(!record.contains(secret)) }
    // The same location resumes the download, regardless of credentials.
    let good = try #require(URL(string: "http://127.0.0.1:\(server.port)/m.bin?token=sesame"))
    #expect(good.placeDigest == url.placeDigest)
    #expect(try #require(URL(string: "http://127.0.0.1:\(server.port)/m.bin")).placeDigest != url.placeDigest)
    _ = await code { try await downloader.download(TransferItem(good), to: target) }
    #expect(server.requests.last?.offset == Int(kept))

    let places = try folder.places()
    let result = TransferResult(
      url: url, isModified: true, size: 1, sha256: "", etag: "\"x\"", lastModified: nil)
    try FetchRecords(places).remember(result, from: url, for: "name m", digest: Sample.sha256)
    #expect(FetchRecords(places).known(url, for: "name m", digest: Sample.sha256)?.etag == "\"x\"")
    let fetched = try #require(try folder.list("coreml/fetched").first)
    for secret in ["hunter2", "sesame"] { #expect(try !folder.read("coreml/fetched/\(fetched)").contains(secret)) }
  }

  @Test func twoAtOnceNeverShareAPart() async throws {
    try leave(200_000, by: Self.gone(), durable: 0, expected: Sample.sha256)
    let counts = try await withThrowingTaskGroup(of: Int64.self) { group in
      for _ in 0..<4 { group.addTask { try await self.download() } }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(counts.filter { $0 > 0 }.count <= 1, "a part has one writer")
    #expect(try folder.list("out") == ["model.bin"])
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
