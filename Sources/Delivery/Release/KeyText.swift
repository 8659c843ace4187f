import Foundation

/// Text forms of keys and signatures, and the public key formats of other programs.
enum KeyText {
  /// Decodes `count` bytes from hexadecimal or base64 text. Surrounding white space is ignored.
  static func bytes(_ text: String, count: Int) -> Data? {
    let word = text.trimmingCharacters(in: .whitespacesAndNewlines)
    if word.utf8.count == 2 * count, word.allSatisfy(\.isHexDigit) {
      let digits = Array(word)
      return Data(
        stride(from: 0, to: digits.count, by: 2).compactMap { UInt8(String(digits[$0...$0 + 1]), radix: 16) })
    }
    return Data(base64Encoded: word).flatMap { $0.count == count ? $0 : nil }
  }

  /// The DER prefix of an Ed25519 public key (RFC 8410). The 32 bytes of the key follow.
  private static let header = Data([0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x03, 0x21, 0x00])

  /// Returns the 32 bytes of a public key: raw, as text, or as DER or PEM (RFC 8410). `openssl pkey -pubout` and
  /// `pkcs11-tool --read-object` write such keys.
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
  /// Parses a public key from its 32 bytes in hexadecimal or base64, or reads it from a file. The text is then the path
  /// of the file, see ``init(file:)``.
  ///
  /// - Throws: ``DeliveryError`` `badKey`, `unreadable`.
  public init(stated text: String) throws {
    if let bytes = KeyText.bytes(text, count: 32) {
      try self.init(bytes)
    } else {
      try self.init(file: URL(filePath: text))
    }
  }

  /// Reads a public key from a file: raw, hexadecimal, base64, DER or PEM, or a public or private key file of this
  /// project.
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
