import Foundation
import Synchronization
import Testing

@testable import CoreMLDelivery
@testable import CoreMLDeliveryHTTP

@Suite(.serialized) struct HTTPTransferTests {
  private static func downloader(
    _ clock: FakeClock, attempts: Int = 3, options: HTTPOptions = HTTPOptions(runtimeVersion: "1.2.3")
  ) -> Downloader {
    Downloader(
      transport: HTTPTransport(options: options), policy: RetryPolicy(attempts: attempts, random: { 0.5 }),
      clock: clock.transfer)
  }

  @Test(arguments: FaultCase.resumed + FaultCase.refused)
  func fault(_ fault: FaultCase) async throws {
    let folder = try TemporaryFolder()
    let server = try await FaultServer(answer: fault.answer)
    let url = try #require(URL(string: server.url("/model.bin")))
    let item = TransferItem(
      mirrors: [url], size: fault.size, sha256: fault.sha256, limit: fault.limit, knownETag: fault.known)
    let target = folder.url.appending(path: "model.bin")
    let downloader = Self.downloader(FakeClock(), attempts: fault.attempts)
    switch fault.outcome {
    case .file(let bytes):
      let result = try await downloader.download(item, to: target)
      #expect(try Data(contentsOf: target) == Data(bytes))
      #expect(result.sha256 == Sample.digest(bytes) && result.size == Int64(bytes.count) && result.isModified)
      #expect(try folder.list() == ["model.bin"])
    case .notModified:
      #expect(try await downloader.download(item, to: target).isModified == false)
      #expect(try folder.list() == [])
    case .failure(let code):
      let error = await #expect(throws: DeliveryError.self) { try await downloader.download(item, to: target) }
      #expect(error?.code == code, "\(error?.message ?? "")")
      #expect(!FileManager.default.fileExists(atPath: target.path))
      if fault.testDescription.contains("limit") { #expect(try folder.list() == []) }
    }
    if let parts = fault.parts { #expect(server.requests.map { $0.offset != nil } == parts) }
    for request in server.requests where request.offset != nil && fault.sha256 == nil {
      #expect(request.headers["if-range"] != nil)
    }
    let first = try #require(server.requests.first)
    #expect(first.headers["accept-encoding"] == "identity")
    #expect(first.headers["x-coreml-runtime-version"] == "1.2.3")
    #expect(first.headers["x-coreml-platform"]?.hasPrefix("linux-") == true)
  }

  @Test func aHostThatIsBusyIsLeftAloneForAsLongAsItAsks() async throws {
    let folder = try TemporaryFolder()
    let server = try await FaultServer { request in
      switch request.number {
      case 0: Reply.status(503, [("Retry-After", "7")])
      case 1: Reply.status(429, [("Retry-After", "Sun, 06 Nov 2022 09:00:40 GMT"), ("Date", Sample.date)])
      default: Reply.file(request)
      }
    }
    let clock = FakeClock()
    let url = try #require(URL(string: server.url("/m")))
    try await Self.downloader(clock).download(TransferItem(url), to: folder.url.appending(path: "m"))
    #expect(clock.sleeps == [.seconds(7), .seconds(40)])
  }

  @Test func aHostThatIsBusyForLongIsGivenUp() async throws {
    let folder = try TemporaryFolder()
    let server = try await FaultServer { _ in Reply.status(503, [("Retry-After", "86400")]) }
    let clock = FakeClock()
    let url = try #require(URL(string: server.url("/m")))
    let error = await #expect(throws: DeliveryError.self) {
      try await Self.downloader(clock).download(TransferItem(url), to: folder.url.appending(path: "m"))
    }
    #expect(error?.code == .busy)
    #expect(server.requests.count == 1 && clock.sleeps.isEmpty)
  }

  @Test func hostsThatKeepStillAreNotWaitedForForever() async throws {
    let folder = try TemporaryFolder()
    var options = HTTPOptions(runtimeVersion: "1")
    (options.responseTimeout, options.stallTimeout) = (.milliseconds(400), .milliseconds(400))
    let silent = try await FaultServer { _ in [] }
    let stalling = try await FaultServer { _ in
      [.send(Reply.head(200, [("Content-Length", "300000"), ("ETag", "\"v1\"")]) + Sample.bytes[..<1000])]
    }
    for (server, code) in [(silent, DeliveryError.Code.timedOut), (stalling, .stalled)] {
      let url = try #require(URL(string: server.url("/m")))
      let error = await #expect(throws: DeliveryError.self) {
        try await Self.downloader(FakeClock(), options: options).download(
          TransferItem(url), to: folder.url.appending(path: "m"))
      }
      #expect(error?.code == code, "\(error?.message ?? "")")
    }
  }

  @Test(arguments: [false, true]) func aHostThatDripsGivesWayToTheNext(digest: Bool) async throws {
    let folder = try TemporaryFolder()
    let good = try await FaultServer { Reply.file($0) }
    let slow = try #require(URL(string: "drip://slow/m"))
    let fast = try #require(URL(string: good.url("/m")))
    var policy = RetryPolicy(attempts: 3, firstPause: .milliseconds(1))
    (policy.minimumRate, policy.rateWindow) = (10_000, .milliseconds(300))
    let downloader = Downloader(
      transport: SchemeTransport([
        "drip": DrippingTransport(), "http": HTTPTransport(options: HTTPOptions(runtimeVersion: "1")),
      ]), policy: policy)
    let log = EventLog()
    let target = folder.url.appending(path: "m")
    let item = TransferItem(mirrors: [slow, fast], sha256: digest ? Sample.sha256 : nil)
    let result = try await downloader.download(item, to: target, events: { log.add($0) })
    #expect(result.url == fast)
    #expect(try Data(contentsOf: target) == Data(Sample.bytes))
    #expect(
      log.all.contains { if case .retrying(slow, .tooSlow, _) = $0 { true } else { false } }, "\(log.codes)")
    // With a digest the received bytes are reused. Without one, the next host starts from the beginning.
    #expect((good.requests.first?.offset != nil) == digest)
    #expect(try folder.list() == ["m"])

    // A single slow host is given up, regardless of the total that it sends.
    let error = await #expect(throws: DeliveryError.self) {
      try await downloader.download(TransferItem(slow), to: folder.url.appending(path: "n"))
    }
    #expect(error?.code == .tooSlow && error?.message.contains("10000 bytes a second") == true)
  }

  /// Each part arrives complete, but only after a long wait, so the host is as slow as a dripping one.
  @Test func aHostThatGivesSmallPartsIsTooSlow() async throws {
    let folder = try TemporaryFolder()
    let slow = try #require(URL(string: "parts://slow/m"))
    var policy = RetryPolicy(attempts: 3, firstPause: .milliseconds(1))
    (policy.minimumRate, policy.rateWindow) = (10_000, .milliseconds(300))
    let downloader = Downloader(transport: SchemeTransport(["parts": PartsTransport()]), policy: policy)
    let error = await #expect(throws: DeliveryError.self) {
      try await downloader.download(
        TransferItem(slow, sha256: Sample.sha256), to: folder.url.appending(path: "m"))
    }
    #expect(error?.code == .tooSlow, "\(error?.message ?? "")")
  }

  @Test func aTransferEndsInTheTimeAllowed() async throws {
    let folder = try TemporaryFolder()
    var policy = RetryPolicy(attempts: 100)
    (policy.timeout, policy.minimumRate) = (.milliseconds(500), 0)
    let downloader = Downloader(transport: SchemeTransport(["drip": DrippingTransport()]), policy: policy)
    let log = EventLog()
    let url = try #require(URL(string: "drip://slow/m"))
    let target = folder.url.appending(path: "m")
    let error = await #expect(throws: DeliveryError.self) {
      try await downloader.download(TransferItem(url, sha256: Sample.sha256), to: target, events: { log.add($0) })
    }
    #expect(error?.code == .timedOut)
    #expect(log.codes.last == "transfer.kept")
    #expect(try folder.list().count == 2, "what came is kept")
    (policy.timeout, policy.documentTimeout) = (nil, .milliseconds(200))
    let other = Downloader(transport: SchemeTransport(["drip": DrippingTransport()]), policy: policy)
    let second = await #expect(throws: DeliveryError.self) { _ = try await other.data(TransferItem(url)) }
    #expect(second?.code == .timedOut)
  }

  @Test func onlyTheTimeCountsInWhichBytesAreWaitedFor() {
    var meter = RateMeter(minimum: 100, window: .seconds(10))
    for _ in 0..<9 { #expect(meter.add(50, after: .seconds(1)) == nil) }
    #expect(meter.add(50, after: .seconds(1)) == 50)
    // The window starts again.
    #expect(meter.add(1, after: .seconds(9)) == nil)
    #expect(meter.add(2000, after: .seconds(1)) == nil)
    for _ in 0..<100 { #expect(meter.add(1, after: .zero) == nil) }
    var off = RateMeter(minimum: 0, window: .seconds(1))
    #expect(off.add(0, after: .seconds(100)) == nil)
  }

  @Test func passwordsOfHostsAreRead() throws {
    let netrc = Netrc(
      text: """
        # machine no.example login x password y
        machine a.example login ann password one account z
        macdef init
        machine b.example login no password no

        machine b.example
          password two login bob
        default login any password three
        """)
    #expect(netrc.login(for: "A.example") == .init(name: "ann", password: "one"))
    #expect(netrc.login(for: "b.example") == .init(name: "bob", password: "two"))
    #expect(netrc.login(for: "no.example") == .init(name: "any", password: "three"))
    #expect(Netrc(text: "machine a login").login(for: "b") == nil)
    let folder = try TemporaryFolder()
    let file = try folder.write("machine a login x password y", to: "netrc")
    #expect(chmod(file.path, 0o644) == 0)
    let error = #expect(throws: DeliveryError.self) { try Netrc(file: file) }
    #expect(error?.code == .untrusted)
    #expect(throws: DeliveryError.self) { try HTTPOptions(runtimeVersion: "1", environment: ["NETRC": file.path]) }
    let home = ["HOME": folder.url.path]
    #expect(rename(file.path, folder.url.appending(path: ".netrc").path) == 0)
    let lax = try HTTPOptions(runtimeVersion: "1", environment: home)
    #expect(lax.logins == Netrc() && lax.loginsProblem?.code == .untrusted)
    #expect(chmod(folder.url.appending(path: ".netrc").path, 0o600) == 0)
    #expect(try HTTPOptions(runtimeVersion: "1", environment: home).logins.login(for: "a")?.name == "x")
    #expect(rename(folder.url.appending(path: ".netrc").path, file.path) == 0)
    #expect(try Netrc(file: file).login(for: "a")?.name == "x")
    #expect(try Netrc(file: folder.url.appending(path: "absent")).login(for: "a") == nil)
  }

  @Test func passwordsOfHostsAreSent() async throws {
    let server = try await FaultServer { Reply.file($0) }
    var options = HTTPOptions(runtimeVersion: "1")
    options.logins = Netrc(text: "machine 127.0.0.1 login ann password one")
    let folder = try TemporaryFolder()
    let asking = try await FaultServer { _ in Reply.status(401) }
    var lax = HTTPOptions(runtimeVersion: "1")
    lax.loginsProblem = DeliveryError(.untrusted, "others can read it", file: "/home/me/.netrc")
    let locked = TransferItem(try #require(URL(string: asking.url("/m"))))
    let error = await #expect(throws: DeliveryError.self) {
      try await Self.downloader(FakeClock(), options: lax).download(locked, to: folder.url.appending(path: "m"))
    }
    #expect(error?.code == .forbidden && error?.message.contains("others can read it") == true)
    for (index, place) in ["", "bob:two@"].enumerated() {
      let url = try #require(URL(string: "http://\(place)127.0.0.1:\(server.port)/m"))
      try await Self.downloader(FakeClock(), options: options).download(
        TransferItem(url), to: folder.url.appending(path: "\(index)"))
    }
    let sent = server.requests.map { $0.headers["authorization"] }
    #expect(
      sent == [
        "Basic \(Data("ann:one".utf8).base64EncodedString())", "Basic \(Data("bob:two".utf8).base64EncodedString())",
      ])
  }

  @Test func withADigestAnotherMirrorGoesOn() async throws {
    let folder = try TemporaryFolder()
    let failing = try await FaultServer { request in
      request.number == 0 ? Reply.file(request, tag: "\"a\"", cut: 150_000) : Reply.status(404)
    }
    let wrong = try await FaultServer { Reply.file($0, Sample.other) }
    let good = try await FaultServer { Reply.file($0, tag: "\"b\"") }
    let urls = try [failing, wrong, good].map { try #require(URL(string: $0.url("/m"))) }
    let log = EventLog()
    let target = folder.url.appending(path: "m")
    let result = try await Self.downloader(FakeClock()).download(
      TransferItem(mirrors: [urls[0], urls[2]], sha256: Sample.sha256), to: target, events: { log.add($0) })
    #expect(try Data(contentsOf: target) == Data(Sample.bytes))
    #expect(result.url == urls[2])
    #expect(good.requests.map { $0.offset != nil } == [true])
    #expect(good.requests.first?.headers["if-range"] == nil, "a validator of another host")
    #expect(
      log.codes == ["transfer.asked", "transfer.retrying", "transfer.asked", "transfer.finished"])

    try FileManager.default.removeItem(at: target)
    let again = try await Self.downloader(FakeClock()).download(
      TransferItem(mirrors: [urls[1], urls[2]], sha256: Sample.sha256), to: target)
    #expect(again.url == urls[2] && wrong.requests.count == 1)
  }

  @Test func withoutADigestTheMirrorThatBeganIsAskedAgain() async throws {
    let folder = try TemporaryFolder()
    let first = try await FaultServer { Reply.file($0, cut: $0.number == 0 ? 150_000 : nil) }
    let second = try await FaultServer { Reply.file($0, Sample.other) }
    let urls = try [first, second].map { try #require(URL(string: $0.url("/m"))) }
    let target = folder.url.appending(path: "m")
    try await Self.downloader(FakeClock()).download(TransferItem(mirrors: urls), to: target)
    #expect(try Data(contentsOf: target) == Data(Sample.bytes))
    #expect(second.requests.isEmpty)
  }

  @Test func pausesGrowAndAreSpread() async throws {
    let folder = try TemporaryFolder()
    let server = try await FaultServer { _ in Reply.status(500) }
    let clock = FakeClock()
    let url = try #require(URL(string: server.url("/m")))
    let policy = RetryPolicy(
      attempts: 6, firstPause: .seconds(1), longestPause: .seconds(6), random: { 0.5 })
    let downloader = Downloader(
      transport: HTTPTransport(options: HTTPOptions(runtimeVersion: "1")), policy: policy, clock: clock.transfer)
    _ = try? await downloader.download(TransferItem(url), to: folder.url.appending(path: "m"))
    #expect(clock.sleeps.map { $0 / .seconds(1) } == [0.75, 1.5, 3, 4.5, 4.5])
  }

  @Test func aCancelledTransferGoesOnLater() async throws {
    let folder = try TemporaryFolder()
    let server = try await FaultServer { request in
      request.number == 0
        ? [.send(Reply.head(200, [("Content-Length", "300000"), ("ETag", "\"v1\"")]) + Sample.bytes[..<150_000])]
        : Reply.file(request)
    }
    let target = folder.url.appending(path: "m")
    let url = try #require(URL(string: server.url("/m")))
    let downloader = Self.downloader(FakeClock())
    let (steps, continuation) = AsyncStream.makeStream(of: Int64.self)
    let task = Task {
      try await downloader.download(TransferItem(url), to: target, progress: { continuation.yield($0.received) })
    }
    for await received in steps where received == 150_000 { break }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(try folder.list().contains { $0.hasPrefix(".m.fetch-") && $0.hasSuffix(".partial") })
    let log = EventLog()
    try await downloader.download(TransferItem(url), to: target, events: { log.add($0) })
    #expect(try Data(contentsOf: target) == Data(Sample.bytes))
    #expect(log.all.first == .resumed(bytes: 150_000))
    #expect(server.requests.last?.offset == 150_000)
    #expect(try folder.list() == ["m"])
  }

  @Test func manyAtOnceToOnePlace() async throws {
    let folder = try TemporaryFolder()
    let server = try await FaultServer { Reply.file($0, cut: $0.number % 3 == 0 ? 150_000 : nil) }
    let url = try #require(URL(string: server.url("/m")))
    let target = folder.url.appending(path: "m")
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<16 {
        group.addTask { _ = try await Self.downloader(FakeClock()).download(TransferItem(url), to: target) }
      }
      try await group.waitForAll()
    }
    #expect(try Data(contentsOf: target) == Data(Sample.bytes))
    #expect(try folder.list() == ["m"])
  }
}

/// A host that sends 20,000 bytes and then disconnects. It answers each later request with 10 bytes, after 20 ms.
private struct PartsTransport: Transport {
  func response(to request: TransferRequest) async throws -> TransferResponse {
    try await Task.sleep(for: .milliseconds(20))
    let start = Int(request.offset)
    let part = Array(Sample.bytes[start..<min(start + (start == 0 ? 20_000 : 10), Sample.bytes.count)])
    let promised = start == 0 ? Sample.bytes.count : part.count
    var response = TransferResponse(
      status: start == 0 ? 200 : 206, url: request.url, etag: "\"parts\"", contentLength: Int64(promised))
    if start > 0 {
      response.contentRange = ContentRange(
        bounds: Int64(start)...Int64(start + part.count - 1), total: Int64(Sample.bytes.count))
    }
    let isSent = Mutex(false)
    response.body = TransferBody {
      isSent.withLock { isSent in
        defer { isSent = true }
        return isSent ? nil : part
      }
    }
    return response
  }
}

/// A host that sends a fifth of the sample at once, and then 10 bytes every 20 ms.
private struct DrippingTransport: Transport {
  func response(to request: TransferRequest) async throws -> TransferResponse {
    let start = Int(request.offset)
    let box = Box(sent: start)
    var response = TransferResponse(
      status: start > 0 ? 206 : 200, url: request.url, etag: "\"drip\"",
      contentLength: Int64(Sample.bytes.count - start))
    if start > 0 {
      response.contentRange = ContentRange(
        bounds: Int64(start)...Int64(Sample.bytes.count - 1), total: Int64(Sample.bytes.count))
    }
    response.body = TransferBody {
      if box.sent.withLock({ $0 }) > start { try await Task.sleep(for: .milliseconds(20)) }
      return box.sent.withLock { sent in
        let piece = sent == 0 ? 60_000 : 10
        defer { sent += piece }
        return Array(Sample.bytes[sent..<min(sent + piece, Sample.bytes.count)])
      }
    }
    return response
  }

  private final class Box: Sendable {
    let sent: Mutex<Int>
    init(sent: Int) { self.sent = Mutex(sent) }
  }
}
