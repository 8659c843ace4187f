import Foundation
import Testing

@testable import CoreMLDelivery

@Suite struct TransferRulesTests {
  @Test(
    arguments: [
      ("bytes 2-4/10", 2...4, 10), ("Bytes 0-0/*", 0...0, nil), ("bytes */10", nil, 10),
    ] as [(String, ClosedRange<Int64>?, Int64?)])
  func ranges(text: String, bounds: ClosedRange<Int64>?, total: Int64?) {
    #expect(ContentRange(text) == ContentRange(bounds: bounds, total: total))
  }

  @Test(arguments: [
    "", "bytes", "bytes 4-2/10", "bytes 2-10/10", "bytes */*", "bytes 2-/10", "bytes -2/10", "items 0-1/2", "bytes 0-1",
    "bytes 0-99999999999999999999/*", "bytes 0-1/2, 3-4/5", "bytes +0-1/2", "bytes 0-1/9223372036854775807",
  ])
  func noRanges(text: String) { #expect(ContentRange(text) == nil) }

  @Test func validators() {
    func strong(_ tag: String?, _ changed: String? = nil) -> String? {
      Validator.strong(etag: tag, lastModified: changed, date: Sample.date)
    }
    #expect(strong("\"a\"") == "\"a\"")
    for tag in ["W/\"a\"", "a", "\"", "\"a\"b\"", "\"a\r\n\""] { #expect(strong(tag) == nil) }
    // With a weak tag, the date is not used either.
    #expect(strong("W/\"a\"", Sample.longBefore) == nil)
    #expect(strong(nil, Sample.longBefore) == Sample.longBefore)
    #expect(strong(nil, Sample.justBefore) == nil)
    #expect(Validator.strong(etag: nil, lastModified: Sample.longBefore, date: nil) == nil)
    // A file fetched in the second of its change may have changed again in that second.
    #expect(Validator.settled(lastModified: Sample.date, date: Sample.date) == nil)
    #expect(Validator.settled(lastModified: Sample.longBefore, date: Sample.date) == Sample.longBefore)
    #expect(Validator.settled(lastModified: Sample.longBefore, date: nil) == nil)
    #expect(Validator.httpDate("Sun, 06 Nov 1994 08:49:37 GMT")?.timeIntervalSince1970 == 784_111_777)
    for text in [
      "", "now", "Sun, 06 Nov 1994 08:49:37 UTC", "Sun, 06 Foo 1994 08:49:37 GMT", "Sun, 6 Nov 1994 25:00:00 GMT",
    ] {
      #expect(Validator.httpDate(text) == nil)
    }
    #expect(Validator.retryAfter("120", date: nil) == .seconds(120))
    #expect(Validator.retryAfter("-1", date: nil) == nil)
    #expect(Validator.retryAfter(Sample.date, date: Sample.longBefore) == .seconds(623))
  }

  @Test func theRateIsKept() async throws {
    let clock = FakeClock()
    let limiter = RateLimiter(bytesPerSecond: 1000, clock: clock.transfer)
    for _ in 0..<100 { try await limiter.take(100) }
    // The burst permits a quarter of a second's worth at once.
    #expect(abs(clock.now / .seconds(1) - 9.75) < 1e-6)
  }

  @Test func theCapHoldsForTransfers() async throws {
    let folder = try TemporaryFolder()
    let source = folder.url.appending(path: "source")
    try Data(count: 3 << 20).write(to: source)
    let clock = FakeClock()
    let downloader = Downloader(
      transport: FileTransport(), limiter: RateLimiter(bytesPerSecond: 1 << 20, clock: clock.transfer),
      clock: clock.transfer)
    try await downloader.download(TransferItem(source), to: folder.url.appending(path: "target"))
    #expect(abs(clock.now / .seconds(1) - 2.75) < 1e-6)
  }

  @Test func secretsOfURLsAreNotTold() throws {
    let url = try #require(URL(string: "https://ada:secret@host.example/a/b?key=1#part"))
    #expect(url.display == "https://host.example/a/b?...")
  }

  @Test func transportsAreChosenByScheme() async throws {
    let url = try #require(URL(string: "gopher://host.example/1"))
    let error = await #expect(throws: DeliveryError.self) {
      try await SchemeTransport(["file": FileTransport()]).response(to: TransferRequest(url: url))
    }
    #expect(error?.code == .unsupportedURL)
  }
}
