import CoreMLRuntime
import Foundation
import Synchronization

@testable import CoreMLDelivery

/// A publisher, and devices that follow it from a folder.
final class ChannelBench: Sendable {
  let folder: TemporaryFolder
  let publisher: Publisher
  private let clock = Mutex(Fixture.now)

  /// The time for publisher and devices.
  var now: Timestamp {
    get { clock.withLock { $0 } }
    set { clock.withLock { $0 = newValue } }
  }

  init() throws {
    folder = try TemporaryFolder()
    publisher = try Publisher.create(
      at: folder.url.appending(path: "shop", directoryHint: .isDirectory), settings: .init(repository: "shop"),
      keys: [Fixture.key(1)], 1, Fixture.now)
  }

  /// The publisher at the current test time.
  var shop: Publisher {
    var publisher = publisher
    publisher.now = now
    return publisher
  }

  /// Adds a model as a release for all devices, without signing. Packages come from ``Samples``; 0 is the example
  /// itself.
  @discardableResult
  func add(
    _ version: Int, as name: String = "m", golden: URL? = nil, source: URL? = nil, stage percentage: Double = 100
  ) throws -> Variant {
    var addition = Publisher.Addition(
      model: name, version: "\(version).0", source: try source ?? Samples.small(version, in: folder))
    // The trial is disabled because devices must also handle releases that the publisher did not try.
    addition.isTried = false
    if let golden {
      addition.golden = [(inputs: try Samples.inputs(in: folder), outputs: golden)]
    }
    let variant = try shop.add(addition, to: "stable").variant
    if percentage > 0 { try shop.stage(name, percentage: percentage, in: "stable") }
    return variant
  }

  func sign() throws { _ = try shop.sign("stable", with: publisher.keys()) }

  /// Adds a model and signs the channel.
  @discardableResult func publish(_ version: Int, as name: String = "m", golden: URL? = nil) throws -> Variant {
    let variant = try add(version, as: name, golden: golden)
    try sign()
    return variant
  }

  // MARK: devices

  func places(_ device: String = "a") throws -> DeliveryDirectories {
    let home = folder.url.appending(path: "device-\(device)").path
    return try DeliveryDirectories(environment: [
      "XDG_DATA_HOME": "\(home)/data", "XDG_CACHE_HOME": "\(home)/cache", "XDG_STATE_HOME": "\(home)/state",
    ])
  }

  func options(_ device: String = "a") throws -> ChannelOptions {
    let root = try SignedEnvelope(Data(contentsOf: publisher.host.appending(path: "root/1.json")))
    var options = ChannelOptions(
      channel: "stable", hosts: [publisher.host], root: root, places: try places(device), runtimeVersion: "1.4.0")
    options.device = Fixture.device
    options.device?.id = device
    options.device?.specificationVersion = 9
    options.configuration = {
      let configuration = MLModelConfiguration()
      configuration.computeUnits = .cpuOnly
      return configuration
    }
    options.health.provingPredictions = 10
    options.health.provingTime = .zero
    // Many tests may run concurrently on this machine, so latencies are not meaningful.
    options.health.latencyFactor = nil
    options.now = { [self] in now }
    return options
  }

  func channel(
    _ device: String = "a", transport: any Transport = FileTransport(),
    _ change: (inout ChannelOptions) throws -> Void = { _ in }
  ) throws -> ModelChannel {
    var options = try options(device)
    options.baselines = ["m": try Samples.small(0, in: folder)]
    try change(&options)
    var policy = RetryPolicy()
    policy.attempts = 1
    return try ModelChannel(options, downloader: Downloader(transport: transport, policy: policy))
  }
}

extension Samples {
  /// A small regressor whose output identifies its version: y = x * 1 + version.
  static func small(_ version: Int, in folder: TemporaryFolder) throws -> URL {
    let file = folder.url.appending(path: "small-\(version).mlmodel")
    if !FileManager.default.fileExists(atPath: file.path) {
      try Data(SmallModel.bytes(offset: Double(version))).write(to: file)
    }
    return file
  }

  /// Avoids the asynchronous overload in asynchronous contexts.
  static func compiled(_ source: URL) throws -> URL { try MLModel.compileModel(at: source) }

  static func inputs(in folder: TemporaryFolder) throws -> URL { try folder.write(#"{"x": 1}"#, to: "golden/in.json") }

  static func outputs(_ value: Double, in folder: TemporaryFolder) throws -> URL {
    try folder.write(#"{"y": \#(value)}"#, to: "golden/out-\(value).json")
  }
}

/// Serializes a linear regressor with a single feature by hand (Model.proto, GLMRegressor.proto).
enum SmallModel {
  static func varint(_ value: Int) -> [UInt8] {
    var (bytes, value) = ([UInt8](), value)
    while value > 127 {
      bytes.append(UInt8(value & 127) | 128)
      value >>= 7
    }
    return bytes + [UInt8(value)]
  }

  static func field(_ number: Int, _ value: Int) -> [UInt8] { varint(number << 3) + varint(value) }
  static func field(_ number: Int, _ value: [UInt8]) -> [UInt8] {
    varint(number << 3 | 2) + varint(value.count) + value
  }
  static func doubles(_ values: [Double]) -> [UInt8] {
    values.flatMap { value in withUnsafeBytes(of: value.bitPattern.littleEndian) { Array($0) } }
  }

  /// - Parameter payload: stored in a field that readers ignore.
  static func bytes(offset: Double, input: String = "x", output: String = "y", payload: [UInt8] = []) -> [UInt8] {
    let number = field(2, [])
    func feature(_ name: String) -> [UInt8] { field(1, Array(name.utf8)) + field(3, number) }
    let description =
      field(1, feature(input)) + field(10, feature(output)) + field(11, Array(output.utf8))
    let weights = field(1, field(1, doubles([1])))
    let regressor = weights + field(2, doubles([offset]))
    return field(1, 1) + field(2, description) + field(300, regressor) + (payload.isEmpty ? [] : field(3_006, payload))
  }
}

extension ManagedModel {
  /// Returns the prediction for 1: 1 plus the version of ``Samples/small(_:in:)``.
  func one() throws -> Double {
    try output("y", from: MLDictionaryFeatureProvider(dictionary: ["x": 1.0]))?.doubleValue ?? .nan
  }

  /// Avoids the asynchronous overload in asynchronous contexts.
  func output(
    _ name: String, from input: any MLFeatureProvider, for subject: String? = nil
  ) throws -> MLFeatureValue? {
    let output: any MLFeatureProvider = try prediction(from: input, for: subject)
    return output.featureValue(for: name)
  }
}

/// Records requests and replaces some responses.
final class WatchedTransport: Transport {
  private let inner = FileTransport()
  private let state = Mutex((asked: [String](), wrong: [String: @Sendable () throws -> TransferResponse]()))

  var asked: [String] { state.withLock { $0.asked } }
  func forget() { state.withLock { $0.asked = [] } }
  func answer(_ suffix: String, _ body: (@Sendable () throws -> TransferResponse)?) {
    state.withLock { $0.wrong[suffix] = body }
  }

  func response(to request: TransferRequest) async throws -> TransferResponse {
    let wrong = state.withLock { state in
      state.asked.append(request.url.path)
      return state.wrong.first { request.url.path.hasSuffix($0.key) }?.value
    }
    if let wrong { return try wrong() }
    return try await inner.response(to: request)
  }
}
