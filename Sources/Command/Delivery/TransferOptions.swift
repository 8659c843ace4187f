import ArgumentParser
import CoreMLBase
import CoreMLDelivery
import CoreMLDeliveryHTTP
import Foundation
import Synchronization

/// How hosts are reached.
struct NetworkOptions: ParsableArguments {
  @Flag(help: "Allow http to other machines.")
  var allowHTTP = false
  @Option(help: ArgumentHelp("The maximum bytes per second: 750, 64kB, 1.5GB.", valueName: "bytes"))
  var maxRate: ByteCount?
  @Option(
    help: ArgumentHelp("PEM certificates to trust instead of the system's.", valueName: "file"), completion: .file())
  var ca: String?
  @Option(
    help: ArgumentHelp(
      "A proxy for all hosts except this machine, or 'none'; the environment's proxies by default.", valueName: "url"))
  var proxy: String?
  @OptionGroup var limits: StoreLimitOptions
  @OptionGroup var noise: NoiseOptions
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "The time limit for one file, over all attempts; received bytes are kept for the next run.",
      valueName: "seconds"))
  var fetchTimeout: Double?
  @Option(parsing: .unconditional, help: "How often one mirror may fail in succession.")
  var attempts = 5

  func validate() throws {
    if !(1...100).contains(attempts) { throw ValidationError("--attempts is \(attempts), expected 1 to 100") }
    if let fetchTimeout, !(fetchTimeout > 0 && fetchTimeout < 1e9) {
      throw ValidationError("--fetch-timeout is \(fetchTimeout), expected a number of seconds above 0")
    }
    if let maxRate, maxRate.bytes < 1 { throw ValidationError("--max-rate must be 1 or more") }
  }

  func downloader() throws -> Downloader {
    try ProcessNeeds.requireNetwork()
    HTTPTransport.useOneThread()
    var options = try HTTPOptions(
      runtimeVersion: PackageVersion.current, environment: ProcessInfo.processInfo.environment)
    options.allowsHTTP = allowHTTP
    if let ca { options.certificates = URL(filePath: ca) }
    if let proxy {
      options.proxies = ProxySettings()
      if proxy != "none" {
        let proxy = try ProxySettings.Proxy(proxy)
        (options.proxies.http, options.proxies.https) = (proxy, proxy)
      }
    }
    let http = HTTPTransport(options: options)
    var policy = RetryPolicy()
    policy.attempts = attempts
    policy.timeout = fetchTimeout.map { .seconds($0) }
    return Downloader(
      transport: SchemeTransport(["file": FileTransport(), "http": http, "https": http]), policy: policy,
      limiter: maxRate.map { RateLimiter(bytesPerSecond: $0.bytes) })
  }
}

/// Where files are fetched from, and how.
struct TransferOptions: ParsableArguments {
  @Option(help: ArgumentHelp("The SHA-256 that the fetched file must have.", valueName: "hex"))
  var sha256: String?
  @Option(help: ArgumentHelp("Another URL of the same file. May be repeated.", valueName: "url"))
  var mirror: [String] = []
  @Option(help: ArgumentHelp("The maximum bytes to fetch: 750, 64kB, 1.5GB; 32 GiB by default.", valueName: "bytes"))
  var limit: ByteCount?
  @OptionGroup var network: NetworkOptions

  func item(_ url: String) throws -> TransferItem {
    let mirrors = try ([url] + mirror).map { text in
      guard let url = URL(string: text), let scheme = url.scheme?.lowercased() else {
        throw DeliveryError(.unsupportedURL, "expected a URL of file, http or https, found '\(URL.display(of: text))'")
      }
      guard ["file", "http", "https"].contains(scheme) else {
        throw DeliveryError(.unsupportedURL, "\(url.scheme ?? ""): expected a URL of file, http or https")
      }
      return url
    }
    return TransferItem(mirrors: mirrors, sha256: sha256, limit: limit?.bytes ?? TransferItem.defaultLimit)
  }

  /// Fetches with a progress bar. A signal stops the transfer, and the next run resumes it.
  func fetch(_ item: TransferItem, to target: URL, partialsBeside place: URL) throws -> TransferResult {
    let downloader = try network.downloader()
    let bar = TransferBar(item.mirrors.first?.lastPathComponent ?? "")
    defer { bar.end() }
    return try Interruption.shared.run {
      try await downloader.download(
        item, to: target, partialsBeside: place, progress: { bar.show($0) }, events: { bar.tell($0) })
    }
  }
}

/// The bar of a transfer. It restarts when the total size becomes known.
private final class TransferBar: Sendable {
  private struct State {
    var bar: ProgressBar?
    var total: Int64?
    var shown: Int64 = 0
  }

  private let label: String
  private let state = Mutex(State())

  init(_ name: String) { label = "Fetching \(Console.oneLine(name))" }

  func show(_ progress: TransferProgress) {
    state.withLock { state in
      if state.bar == nil || state.total != progress.total || progress.received < state.shown {
        // Bytes from earlier runs must not count in the rate.
        state.bar = ProgressBar(
          label, total: progress.total.flatMap { Int(exactly: $0) }, unit: .bytes, before: Int(progress.received))
        (state.total, state.shown) = (progress.total, progress.received)
      }
      state.bar?.advance(by: Int(progress.received - state.shown))
      state.shown = progress.received
    }
  }

  func end() { state.withLock { $0.bar = nil } }

  /// Reports pauses, changes of host, and what is kept for the next run.
  func tell(_ event: TransferEvent) {
    func host(_ url: URL) -> String { url.host() ?? url.path }
    switch event {
    case .asked(let url, _):
      state.withLock { state in
        // -1 differs from every real total, so the bar of the transfer replaces this one.
        if state.bar == nil { (state.bar, state.total) = (ProgressBar("Waiting for \(host(url))", total: nil), -1) }
      }
    case .kept(let bytes):
      Console.remark("\(Console.bytes(Int(bytes))) are kept; the same command goes on from there")
    case .retrying(let url, let reason, let pause):
      let seconds = String(format: "%.1f", pause / .seconds(1))
      Console.remark("\(host(url)): \(reason.rawValue); again in \(seconds) s")
    case .gaveUp(let url, let reason): Console.remark("\(host(url)): \(reason.rawValue); given up")
    case .restarted(let reason): Console.remark("\(reason.rawValue): from the beginning")
    case .resumed, .notModified, .finished: break
    }
  }
}
