import CoreMLBase
import CoreMLSpec
import Crypto
import Foundation

/// The file format of an encrypted model, divided into chunks.
///
///     header, 72 bytes    magic (8), chunk size (u32), 0 (u32), plaintext size (u64), salt (32, random),
///                         key check (16)
///     chunks              AES-256-GCM (NIST SP 800-38D) of `chunk size` bytes each, the last one shorter or equal;
///                         each chunk is followed by its 16-byte tag
///
/// All integers are little-endian. HKDF-SHA256 (RFC 5869) derives the content key and the key check from the key and
/// the salt, so no two files share a key.
///
/// A nonce consists of the chunk number (u64), three zero bytes and a byte that is 1 for the last chunk. This is the
/// STREAM construction (Hoang, Reyhanitabar, Rogaway and Vizár 2015). The header is additional authenticated data of
/// every chunk. So chunks cannot be modified, reordered, removed or truncated without detection.
struct EncryptedContainer {
  static let magic = Array("CMLENC".utf8) + [0, 1]
  static let headerSize = 72
  static let tagSize = 16
  static let chunkSizes = 4096...(64 << 20)

  let chunkSize: Int
  let size: Int
  let salt: [UInt8]
  private let check: [UInt8]
  private let key: SymmetricKey

  /// Creates the container of a new file.
  init(size: Int, chunkSize: Int = 1 << 20, key: ModelKey) {
    salt = (0..<32).map { _ in UInt8.random(in: .min ... .max) }
    (self.size, self.chunkSize) = (size, chunkSize)
    (self.key, check) = Self.derive(key, salt)
  }

  /// Opens the container of an existing file.
  ///
  /// - Throws: ``DeliveryError`` `notEncrypted`, `truncatedModel`, `tamperedModel`, `wrongModelKey`.
  init(_ file: Bytes, key: ModelKey) throws {
    guard file.count >= Self.headerSize else {
      let isOne = file.array.starts(with: Self.magic.prefix(file.count)) && !file.isEmpty
      throw DeliveryError(
        isOne ? .truncatedModel : .notEncrypted,
        "an encrypted model begins with \(Self.headerSize) bytes, and this file has \(file.count)", file: file.file)
    }
    let header = try file.slice(0..<Self.headerSize).array
    guard header.starts(with: Self.magic) else {
      throw DeliveryError(.notEncrypted, "expected an encrypted model of form 1, found another file", file: file.file)
    }
    let chunk = Int(try file.load(UInt32.self, at: 8))
    let size = try file.load(UInt64.self, at: 16)
    guard Self.chunkSizes.contains(chunk), try file.load(UInt32.self, at: 12) == 0, size <= 1 << 46 else {
      throw DeliveryError(
        .tamperedModel, "the header of the encrypted model is not one that is written", file: file.file)
    }
    (self.chunkSize, self.size) = (chunk, Int(size))
    salt = Array(header[24..<56])
    (self.key, check) = Self.derive(key, salt)
    guard file.count == Self.headerSize + self.size + Self.chunkCount(self.size, chunk) * Self.tagSize else {
      let expected = Self.headerSize + self.size + Self.chunkCount(self.size, chunk) * Self.tagSize
      throw DeliveryError(
        file.count < expected ? .truncatedModel : .tamperedModel,
        "the encrypted model should have \(expected) bytes and has \(file.count)", file: file.file)
    }
    guard check == Array(header[56..<72]) else {
      throw DeliveryError(.wrongModelKey, "the key is not the one that the model was encrypted with", file: file.file)
    }
  }

  private static func derive(_ key: ModelKey, _ salt: [UInt8]) -> (SymmetricKey, check: [UInt8]) {
    func derived(_ purpose: String, _ count: Int) -> SymmetricKey {
      HKDF<Crypto.SHA256>.deriveKey(
        inputKeyMaterial: key.key, salt: salt, info: Array("coreml encrypted model 1, \(purpose)".utf8),
        outputByteCount: count)
    }
    return (derived("contents", 32), derived("check", 16).withUnsafeBytes { Array($0) })
  }

  static func chunkCount(_ size: Int, _ chunk: Int) -> Int { max(1, (size + chunk - 1) / chunk) }
  var chunkCount: Int { Self.chunkCount(size, chunkSize) }

  var header: [UInt8] {
    var header = Self.magic
    func put(_ value: some FixedWidthInteger) {
      withUnsafeBytes(of: value.littleEndian) { header.append(contentsOf: $0) }
    }
    put(UInt32(chunkSize))
    put(UInt32(0))
    put(UInt64(size))
    return header + salt + check
  }

  private func nonce(_ chunk: Int) throws -> AES.GCM.Nonce {
    var bytes = withUnsafeBytes(of: UInt64(chunk).littleEndian) { Array($0) }
    bytes += [0, 0, 0, chunk == chunkCount - 1 ? 1 : 0]
    return try AES.GCM.Nonce(data: bytes)
  }

  func seal(_ plain: UnsafeRawBufferPointer, chunk: Int) throws -> [UInt8] {
    let box = try AES.GCM.seal(plain, using: key, nonce: nonce(chunk), authenticating: header)
    return Array(box.ciphertext) + Array(box.tag)
  }

  /// Decrypts the whole content. Its memory is excluded from core dumps and swap if the system permits it, and zeroed
  /// on release.
  func open(_ file: Bytes) throws -> Bytes {
    let header = header
    let secret: SecretMemory
    do { secret = try SecretMemory(count: size, children: .share) } catch {
      throw DeliveryError(.unreadable, "\(error)", file: file.file)
    }
    if let refusal = secret.lockRefusal { SecretNotes.tell(refusal) }
    let memory = secret.bytes
    for chunk in 0..<chunkCount {
      let start = chunk * chunkSize
      let count = min(chunkSize, size - start)
      let at = Self.headerSize + chunk * (chunkSize + Self.tagSize)
      let sealed = try file.slice(at..<at + count + Self.tagSize)
      do {
        var plain = try sealed.withUnsafeBytes { bytes in
          try AES.GCM.open(
            AES.GCM.SealedBox(nonce: nonce(chunk), ciphertext: bytes[..<count], tag: bytes[count...]), using: key,
            authenticating: header)
        }
        defer { plain.wipe() }
        plain.withUnsafeBytes {
          UnsafeMutableRawBufferPointer(rebasing: memory[start..<start + count]).copyMemory(from: $0)
        }
      } catch {
        throw DeliveryError(
          .tamperedModel, "the encrypted model was changed: bytes \(at)..<\(at + count + Self.tagSize) do not verify",
          file: file.file)
      }
    }
    return Bytes(secret, file: file.file)
  }
}
