import CoreMLBase
import Testing

@testable import CoreMLDelivery

@Suite struct SHA256Tests {
  /// NIST's test vectors for SHA-256 (FIPS 180-4, examples), appended in chunks of different sizes.
  @Test(arguments: [
    ("", 1, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
    ("abc", 1, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    (
      "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 1,
      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
    ),
    ("a", 1_000_000, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"),
  ])
  func knownDigests(text: String, times: Int, digest: String) {
    let message = Array(String(repeating: text, count: times).utf8)
    for (piece, portable) in [(1, false), (7, false), (64, false), (65, true), (1 << 20, false), (1 << 20, true)] {
      var sha = SHA256Digest(portable: portable)
      message.withUnsafeBytes { bytes in
        for start in stride(from: 0, to: bytes.count, by: piece) {
          sha.append(UnsafeRawBufferPointer(rebasing: bytes[start..<min(start + piece, bytes.count)]))
        }
      }
      #expect(sha.hexadecimal() == digest)
    }
  }
}
