import Crypto
import Foundation

/// An Ed25519 key (RFC 8032) that signatures are checked with.
public struct PublicKey: Sendable, Hashable, Codable {
  /// The SHA-256 of the key's 32 bytes, in hexadecimal.
  public let id: String
  /// 32 bytes.
  public let bytes: Data

  private enum CodingKeys: String, CodingKey { case scheme, key = "public" }
  private static let scheme = "ed25519"

  /// - Throws: ``DeliveryError`` `badKey` unless there are 32 bytes.
  public init(_ bytes: Data) throws {
    guard bytes.count == 32 else {
      throw DeliveryError(.badKey, "an Ed25519 key has 32 bytes, and this one has \(bytes.count)")
    }
    self.bytes = bytes
    var sha = SHA256()
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

/// A publisher's private key. It is kept in a file of its own that nobody else may read.
public struct SigningKey: Sendable {
  public let publicKey: PublicKey
  private let key: Curve25519.Signing.PrivateKey

  private struct File: Codable {
    let scheme: String
    let `private`: Data
  }

  /// A new key.
  public init() throws { try self.init(key: Curve25519.Signing.PrivateKey()) }

  /// The key of a seed of 32 bytes.
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

  func signature(over message: Data) throws -> Data {
    do {
      return try key.signature(for: message)
    } catch {
      throw DeliveryError(.badKey, "the key \(publicKey.id.prefix(16)) cannot sign")
    }
  }

  /// Reads a key's file.
  ///
  /// - Throws: ``DeliveryError`` `badKey` when others may read it or it holds no key, `unreadable`.
  public init(file: URL) throws {
    var status = stat()
    guard stat(file.path, &status) == 0 else {
      throw DeliveryError(.unreadable, "the key cannot be read", at: file, errno: errno)
    }
    guard status.st_mode & S_IFMT == S_IFREG, status.st_size < 4096 else {
      throw DeliveryError(.badKey, "expected the file of a private key, found something else", file: file.path)
    }
    guard status.st_mode & 0o077 == 0 else {
      throw DeliveryError(
        .badKey, "others than its owner have access to the private key: its mode must be 0600", file: file.path)
    }
    guard let data = FileManager.default.contents(atPath: file.path) else {
      throw DeliveryError(.unreadable, "the key cannot be read", file: file.path)
    }
    guard let content = try? JSONDecoder().decode(File.self, from: data), content.scheme == "ed25519" else {
      throw DeliveryError(.badKey, "expected the file of an Ed25519 private key, found something else", file: file.path)
    }
    try self.init(seed: content.private)
  }

  /// Writes the key to a new file that only its owner may read.
  public func write(to file: URL) throws {
    let bytes = try DocumentJSON.encode(File(scheme: "ed25519", private: key.rawRepresentation)) + Data("\n".utf8)
    let descriptor = open(file.path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      throw DeliveryError(.unwritable, "the key cannot be written", at: file, errno: errno)
    }
    defer { close(descriptor) }
    let written = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
    guard written == bytes.count, fsync(descriptor) == 0 else {
      let number = errno
      unlink(file.path)
      throw DeliveryError(.unwritable, "the key cannot be written", at: file, errno: number)
    }
  }
}
