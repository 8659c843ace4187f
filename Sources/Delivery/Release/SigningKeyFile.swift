import Crypto
import CryptoExtras
import Foundation

/// The file of a private key, readable only by its owner and optionally encrypted with a passphrase. The public key can
/// be read without the passphrase.
///
/// An encrypted file contains the 32-byte seed, encrypted with AES-256-GCM (NIST SP 800-38D). scrypt (RFC 7914) derives
/// the key from the passphrase. The public key is the additional authenticated data.
public struct SigningKeyFile: Sendable {
  /// The path of the file.
  public let url: URL
  /// The public key that belongs to the private key.
  public let publicKey: PublicKey
  /// Whether a passphrase is required.
  public var isEncrypted: Bool { sealed != nil }
  private let sealed: Sealed?
  private let plain: SigningKey?

  /// The scrypt parameters. One guess of the passphrase costs `128 * rounds * block` bytes of memory, and time
  /// proportional to all three.
  struct Cost: Sendable, Equatable, Codable {
    var rounds: Int
    var block: Int
    var parallel: Int

    /// Needs 128 MiB of memory.
    static let standard = Cost(rounds: 1 << 17, block: 8, parallel: 1)

    /// Limits the memory and time that an untrusted file can demand.
    var isBearable: Bool {
      (1 << 10...1 << 20).contains(rounds) && rounds & (rounds - 1) == 0 && (1...32).contains(block)
        && (1...16).contains(parallel) && 128 * rounds * block <= 1 << 30
    }
  }

  private struct Sealed: Codable {
    let kdf: String
    let cost: Cost
    let salt: Data
    /// The nonce, ciphertext and tag.
    let box: Data
  }

  private struct Content: Codable {
    let scheme: String
    var `public`: Data?
    var `private`: Data?
    var encrypted: Sealed?
  }

  private static let limit = 4096
  private static let scheme = "ed25519"
  private static let kdf = "scrypt"

  // MARK: reading

  /// Reads the file without decrypting the key.
  ///
  /// - Throws: ``DeliveryError`` `badKey` if others can read the file or it contains no key; `unreadable`.
  public init(_ file: URL) throws {
    let bytes = try SecretFile.read(file, limit: Self.limit, what: "private key", wrong: .badKey)
    func wrong(_ found: String) -> DeliveryError {
      DeliveryError(.badKey, "expected the file of an Ed25519 private key, found \(found)", file: file.path)
    }
    guard var content = try? JSONDecoder().decode(Content.self, from: Data(bytes.bytes)),
      content.scheme == Self.scheme
    else { throw wrong("something else") }
    url = file
    if var seed = content.private {
      defer { seed.wipe() }
      content.private = nil
      let key = try SigningKey(seed: seed)
      (plain, sealed, publicKey) = (key, nil, key.publicKey)
    } else if let secret = content.encrypted, let raw = content.public {
      guard secret.kdf == Self.kdf, secret.cost.isBearable, (16...64).contains(secret.salt.count),
        secret.box.count == 60
      else { throw wrong("one that is encrypted otherwise than with scrypt and AES-GCM, or at an impossible cost") }
      (plain, sealed, publicKey) = (nil, secret, try PublicKey(raw))
    } else {
      throw wrong("no secret in it")
    }
  }

  /// Returns the private key.
  ///
  /// - Parameter passphrase: called only if the file is encrypted.
  /// - Throws: ``DeliveryError`` `badKey` if the passphrase is missing or wrong.
  public func key(_ passphrase: () throws -> Passphrase?) throws -> SigningKey {
    if let plain { return plain }
    guard let sealed, let phrase = try passphrase() else {
      throw DeliveryError(.badKey, "the key is encrypted, and no passphrase was given", file: url.path)
    }
    let secret = try Self.derive(phrase, sealed.salt, sealed.cost)
    guard let box = try? AES.GCM.SealedBox(combined: sealed.box),
      var seed = try? AES.GCM.open(box, using: secret, authenticating: publicKey.bytes)
    else { throw DeliveryError(.badKey, "the passphrase is not the one of this key", file: url.path) }
    defer { seed.wipe() }
    let key = try SigningKey(seed: seed)
    guard key.publicKey == publicKey else {
      throw DeliveryError(.badKey, "the file states another public key than its private one has", file: url.path)
    }
    return key
  }

  private static func derive(_ phrase: Passphrase, _ salt: Data, _ cost: Cost) throws -> SymmetricKey {
    do {
      return try KDF.Scrypt.deriveKey(
        from: UnsafeRawBufferPointer(phrase.bytes), salt: salt, outputByteCount: 32, rounds: cost.rounds,
        blockSize: cost.block, parallelism: cost.parallel)
    } catch {
      throw DeliveryError(
        .badKey, "scrypt does not get the \(128 * cost.rounds * cost.block) bytes of memory that it needs")
    }
  }

  // MARK: writing

  fileprivate static func content(_ key: SigningKey, _ phrase: Passphrase?, _ cost: Cost) throws -> Data {
    var content = Content(scheme: scheme)
    guard let phrase else {
      return try key.withSeed { seed in
        content.private = seed
        defer { content.private = nil }
        return try DocumentJSON.encode(content)
      }
    }
    let salt = Data((0..<32).map { _ in UInt8.random(in: .min ... .max) })
    let secret = try derive(phrase, salt, cost)
    let box = try key.withSeed { try AES.GCM.seal($0, using: secret, authenticating: key.publicKey.bytes).combined }
    content.public = key.publicKey.bytes
    content.encrypted = box.map { Sealed(kdf: kdf, cost: cost, salt: salt, box: $0) }
    return try DocumentJSON.encode(content)
  }
}

extension SigningKey {
  /// Reads an unencrypted key file.
  ///
  /// - Throws: ``DeliveryError`` `badKey` if others can read the file, it is encrypted or it contains no key;
  ///   `unreadable`.
  public init(file: URL) throws { self = try SigningKeyFile(file).key { nil } }

  /// Writes the key to a new file that only its owner can read.
  ///
  /// - Parameter passphrase: encrypts the key; nil leaves it unencrypted.
  /// - Throws: ``DeliveryError`` `unwritable`; `badKey` if the path is below a publisher's `public` folder.
  public func write(to file: URL, passphrase: Passphrase? = nil) throws {
    try write(to: file, passphrase: passphrase, cost: .standard)
  }

  func write(to file: URL, passphrase: Passphrase?, cost: SigningKeyFile.Cost) throws {
    try PublisherKeys.refuseWherePublic(file)
    var content = try SigningKeyFile.content(self, passphrase, cost) + Data("\n".utf8)
    defer { content.wipe() }
    try SecretFile.write(content, to: file)
  }

  /// Replaces an existing key file atomically.
  public func replace(_ file: URL, passphrase: Passphrase?) throws {
    let draft = Staging.name(in: file.deletingLastPathComponent())
    try write(to: draft, passphrase: passphrase)
    guard rename(draft.path, file.path) == 0 else {
      let number = errno
      unlink(draft.path)
      throw DeliveryError(.unwritable, "the key cannot be put in its place", at: file, errno: number)
    }
    try FolderReplacement.synchronize(file.deletingLastPathComponent())
  }
}
