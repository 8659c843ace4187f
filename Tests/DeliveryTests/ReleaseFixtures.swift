import CoreMLSpec
import Foundation

@testable import CoreMLDelivery

/// Shared fixtures of the release tests: fixed keys, a repository, a model file.
enum Fixture {
  static let now = Timestamp(seconds: 1_800_000_000)
  static let day: Int64 = 86_400

  static func key(_ number: UInt8) throws -> SigningKey { try SigningKey(seed: Data(repeating: number, count: 32)) }

  static func root(
    _ keys: [SigningKey], threshold: Int = 1, version: Int = 1, floors: [String: TrustRoot.Floor]? = nil
  ) -> TrustRoot {
    let role = TrustRoot.Role(keys: Set(keys.map(\.publicKey.id)), threshold: threshold)
    return TrustRoot(
      repository: "shop", version: version, created: now, expires: now.advanced(by: 700 * day),
      keys: keys.map(\.publicKey), roles: TrustRoot.Roles(root: role, release: role), floors: floors)
  }

  static func sign(_ document: some SignedDocument, _ keys: [SigningKey]) throws -> SignedEnvelope {
    var envelope = try SignedEnvelope.unsigned(document)
    for key in keys { try envelope.sign(with: key) }
    return envelope
  }

  static func manifest(_ version: Int, channel: String = "stable", created: Timestamp = now) -> ReleaseManifest {
    ReleaseManifest(
      repository: "shop", channel: channel, version: version, created: created,
      expires: created.advanced(by: 30 * day))
  }

  static let device = TargetDevice(
    id: "device-1", runtimeVersion: "1.4.0", specificationVersion: 9, architecture: "x86_64", classes: ["cpu"],
    halfPrecision: false, memory: 4 << 30, locale: "de_AT")

  /// fp32 values like trained weights: centred at zero, mostly small.
  static func weights(_ count: Int, seed: UInt64) -> [UInt8] {
    var state = seed
    func next() -> Double {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Double(state >> 11) / Double(1 << 53 as UInt64)
    }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count * 4)
    for _ in 0..<count {
      let gauss = (-2 * log(max(next(), 1e-300))).squareRoot() * cos(2 * .pi * next())
      withUnsafeBytes(of: Float(gauss * 0.03).bitPattern.littleEndian) { bytes += $0 }
    }
    return bytes
  }

  /// A serialized identity model, with `payload` in a field that readers ignore.
  static func model(_ payload: [UInt8] = []) -> Data {
    var bytes: [UInt8] = [0x08, 0x01, 0xA2, 0x38, 0x00]
    bytes += [0xF2, 0xBB, 0x01]
    var length = payload.count
    while length > 127 {
      bytes.append(UInt8(length & 127) | 128)
      length >>= 7
    }
    bytes.append(UInt8(length))
    return Data(bytes + payload)
  }

  /// Returns the code of the error that `body` throws.
  static func code(_ body: () throws -> Void) -> DeliveryError.Code? {
    do {
      try body()
      return nil
    } catch {
      return (error as? DeliveryError)?.code
    }
  }

  static func code(_ body: () async throws -> Void) async -> DeliveryError.Code? {
    do {
      try await body()
      return nil
    } catch {
      return (error as? DeliveryError)?.code
    }
  }
}

extension TemporaryFolder {
  @discardableResult func write(_ bytes: some Sequence<UInt8>, to path: String) throws -> URL {
    let file = url.appending(path: path)
    try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(bytes).write(to: file)
    return file
  }

  func bytes(_ path: String) throws -> [UInt8] { [UInt8](try Data(contentsOf: url.appending(path: path))) }
}
