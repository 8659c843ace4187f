import Foundation

/// Keys and signatures as text, and public keys as other programs write them.
enum KeyText {
  /// `count` bytes that a text spells in hexadecimal or base64, blanks around it aside.
  static func bytes(_ text: String, count: Int) -> Data? {
    let word = text.trimmingCharacters(in: .whitespacesAndNewlines)
    if word.utf8.count == 2 * count, word.allSatisfy(\.isHexDigit) {
      let digits = Array(word)
      return Data(
        stride(from: 0, to: digits.count, by: 2).compactMap { UInt8(String(digits[$0...$0 + 1]), radix: 16) })
    }
    return Data(base64Encoded: word).flatMap { $0.count == count ? $0 : nil }
  }

  /// How RFC 8410 begins the public key of Ed25519: the 32 bytes of the key follow.
  private static let header = Data([0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x03, 0x21, 0x00])

  /// The 32 bytes of a public key: as they are, as text, or in the DER or PEM of RFC 8410 (`openssl pkey -pubout`, `pkcs11-tool --read-object`).
  static func publicKey(_ bytes: Data) -> Data? {
    if bytes.count == 32 { return bytes }
    if bytes.count == header.count + 32, bytes.starts(with: header) { return Data(bytes.suffix(32)) }
    guard bytes.count <= 4096, let text = String(data: bytes, encoding: .utf8) else { return nil }
    let lines = text.split(whereSeparator: \.isNewline).map { $0.trimmingCharacters(in: .whitespaces) }
    if lines.first == "-----BEGIN PUBLIC KEY-----", lines.last == "-----END PUBLIC KEY-----" {
      return Data(base64Encoded: lines.dropFirst().dropLast().joined()).flatMap(publicKey)
    }
    return Self.bytes(text, count: 32)
  }
}

extension PublicKey {
  /// A key that is stated: its 32 bytes in hexadecimal or base64, or the name of a file that holds it so, in DER or PEM, or as a public or
  /// private key of ours.
  ///
  /// - Throws: ``DeliveryError`` `badKey`, `unreadable`.
  public init(stated text: String) throws {
    if let bytes = KeyText.bytes(text, count: 32) {
      try self.init(bytes)
    } else {
      try self.init(file: URL(filePath: text))
    }
  }

  /// Reads the file of a public or a private key, in any of the forms that ``init(stated:)`` names.
  ///
  /// - Throws: ``DeliveryError`` `badKey`, `unreadable`.
  public init(file: URL) throws {
    let handle = try? FileHandle(forReadingFrom: file)
    guard let bytes = try? handle?.read(upToCount: 4097) else {
      throw DeliveryError(.unreadable, "the public key cannot be read", file: file.path)
    }
    if let raw = KeyText.publicKey(bytes) {
      try self.init(raw)
    } else if let key = try? JSONDecoder().decode(PublicKey.self, from: bytes) {
      self = key
    } else if let key = try? SigningKeyFile(file) {
      self = key.publicKey
    } else {
      throw DeliveryError(.badKey, "expected an Ed25519 public key, found something else", file: file.path)
    }
  }
}
