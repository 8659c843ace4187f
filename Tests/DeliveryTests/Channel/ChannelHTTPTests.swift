import CoreMLBase
import CoreMLDeliveryHTTP
import Foundation
import Testing

@testable import CoreMLDelivery

/// A channel over HTTP, served by a static host on loopback.
@Suite(.serialized) struct ChannelHTTPTests {
  @Test func aStaticHostIsEnough() async throws {
    let bench = try ChannelBench()
    let root = bench.publisher.host
    // A static host: files, entity tags, conditional requests, ranges.
    let server = try await FaultServer { request in
      guard let data = FileManager.default.contents(atPath: root.path + request.target) else {
        return Reply.status(404)
      }
      var sha = SHA256Digest()
      data.withUnsafeBytes { sha.append($0) }
      let tag = "\"\(sha.hexadecimal().prefix(16))\""
      if request.headers["if-none-match"] == tag { return Reply.status(304, [("ETag", tag)]) }
      // The first response for every large object is cut off.
      let isCut = request.target.contains("/objects/") && request.offset == nil && data.count > 400
      return Reply.file(request, [UInt8](data), tag: tag, cut: isCut ? data.count / 2 : nil)
    }
    let host = try #require(URL(string: server.url("")))
    var policy = RetryPolicy(attempts: 3, firstPause: .milliseconds(1))
    policy.random = { 0 }
    // With many concurrent tests on few processors, the server may respond slowly.
    policy.documentTimeout = .seconds(600)
    var options = try bench.options()
    options.hosts = [host]
    options.baselines = ["m": try Samples.small(0, in: bench.folder)]
    let downloader = Downloader(
      transport: HTTPTransport(options: HTTPOptions(runtimeVersion: options.runtimeVersion)), policy: policy)
    let channel = try ModelChannel(options, downloader: downloader)
    let model = try channel.model("m")
    for version in 1...2 {
      let source = try bench.folder.write(
        SmallModel.bytes(offset: Double(version), payload: Sample.bytes), to: "big-\(version).mlmodel")
      try bench.add(version, source: source)
      try bench.sign()
      try await channel.update()
      #expect(try model.one() == Double(version) + 1)
    }
    #expect(server.requests.contains { $0.offset != nil })
    #expect(server.requests.allSatisfy { $0.headers["x-coreml-runtime-version"] == "1.4.0" })
    let count = server.requests.count
    #expect(try await !channel.update().check.isNew)
    #expect(server.requests.dropFirst(count).map(\.target) == ["/channels/stable.json"])
    try await server.stop()
    let later = try ModelChannel(
      options,
      downloader: Downloader(
        transport: HTTPTransport(options: HTTPOptions(runtimeVersion: options.runtimeVersion)), policy: policy))
    #expect(await Fixture.code { try await later.update() } == .unreachable)
    #expect(try later.model("m").one() == 3)
  }
}
