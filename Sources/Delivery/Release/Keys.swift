import CoreMLBase
import Crypto
import Foundation

/// An Ed25519 key (RFC 8032) that verifies signatures.
public struct PublicKey: Sendable, Hashable, Codable {
  /// The SHA-256 of the 32 key bytes, in hexadecimal.
  public let id: String
  /// The 32 bytes of the key.
  public let bytes: Data

  private enum CodingKeys: String, CodingKey { case scheme, key = "public" }
  private static let scheme = "ed25519"

  /// Creates a key from its 32 bytes.
  ///
  /// - Throws: ``DeliveryError`` `badKey` if the length is not 32 bytes.
  public init(_ bytes: Data) throws {
    guard bytes.count == 32 else {
      throw DeliveryError(.badKey, "an Ed25519 key has 32 bytes, and this one has \(bytes.count)")
    }
    self.bytes = bytes
    var sha = SHA256Digest()
    bytes.withUnsafeBytes { sha.append($0) }
    id = sha.hexadecimal()
  }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    let scheme = try container.decode(String.self, forKey: .scheme)
    guard scheme == Self.scheme else {
      throw DeliveryError(.badKey, "expected a key of the scheme ed25519, found '\(scheme.prefix(40))'")
    }
    try self.init(container.decode(Data.self, forKey: .key))
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(Self.scheme, forKey: .scheme)
    try container.encode(bytes, forKey: .key)
  }

  func isValid(_ signature: Data, over message: Data) -> Bool {
    guard let key = try? Curve25519.Signing.PublicKey(rawRepresentation: bytes) else { return false }
    return key.isValidSignature(signature, for: message)
  }
}

/// A publisher's private key. It is stored in a file that only its owner can read: ``SigningKeyFile``.
public struct SigningKey: DocumentSigner {
  public let publicKey: PublicKey
  // The key's memory is zeroed when its last copy is released.
  private let key: Curve25519.Signing.PrivateKey

  /// Creates a random key.
  public init() throws { try self.init(key: Curve25519.Signing.PrivateKey()) }

  /// Creates the key of a 32-byte seed.
  public init(seed: Data) throws {
    guard let key = try? Curve25519.Signing.PrivateKey(rawRepresentation: seed) else {
      throw DeliveryError(.badKey, "the seed of an Ed25519 key has 32 bytes, and this one has \(seed.count)")
    }
    try self.init(key: key)
  }

  private init(key: Curve25519.Signing.PrivateKey) throws {
    self.key = key
    publicKey = try PublicKey(key.publicKey.rawRepresentation)
  }

  public func signature(over message: Data) throws -> Data {
    do {
      return try key.signature(for: message)
    } catch {
      throw DeliveryError(.badKey, "the key \(publicKey.id.prefix(16)) cannot sign")
    }
  }

  /// Passes the seed to a closure and zeroes it afterwards.
  func withSeed<Result>(_ body: (Data) throws -> Result) rethrows -> Result {
    // `rawRepresentation` may share the key's memory, so the copy is zeroed instead of the key.
    var seed = key.rawRepresentation.withUnsafeBytes { Data($0) }
    defer { seed.wipe() }
    return try body(seed)
  }
}
