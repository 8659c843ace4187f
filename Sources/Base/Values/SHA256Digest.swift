import CPlatform

/// An incremental SHA-256 (FIPS 180-4).
package struct SHA256Digest {
  private var context = CPlatformSHA256()

  /// - Parameter portable: disables the processor's SHA instructions, for tests.
  package init(portable: Bool = false) {
    cplatform_sha256_begin(&context)
    if portable { context.portable = true }
  }

  package mutating func append(_ bytes: UnsafeRawBufferPointer) {
    cplatform_sha256_append(&context, bytes.baseAddress, bytes.count)
  }

  /// Appends text preceded by its length, so that adjacent fields cannot be confused.
  package mutating func append(field text: String) {
    let bytes = Array("\(text.utf8.count)\n".utf8) + Array(text.utf8)
    bytes.withUnsafeBytes { append($0) }
  }

  /// Returns the digest of all data appended so far, in hexadecimal.
  package func hexadecimal() -> String {
    var (context, digest) = (context, [UInt8](repeating: 0, count: 32))
    cplatform_sha256_end(&context, &digest)
    let digits = Array("0123456789abcdef".utf8)
    return String(decoding: digest.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
  }

  /// The digest of memory, in hexadecimal.
  package static func hexadecimal(of bytes: UnsafeRawBufferPointer) -> String {
    var digest = SHA256Digest()
    digest.append(bytes)
    return digest.hexadecimal()
  }

  /// The digest of bytes, in hexadecimal.
  package static func hexadecimal(of bytes: [UInt8]) -> String { bytes.withUnsafeBytes { hexadecimal(of: $0) } }
}
