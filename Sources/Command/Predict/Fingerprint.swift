import BatchFiles
import CPlatform
import FeatureFiles
import Foundation

/// A digest that detects a changed input: of its bytes, and of the bytes of files that it names.
struct Fingerprint {
  /// Copies share the hash state, so a fingerprint must have one owner.
  private final class Hash {
    let state = UnsafeMutableRawPointer.allocate(
      byteCount: Int(CPLATFORM_HASH_SIZE), alignment: Int(CPLATFORM_HASH_ALIGNMENT))

    init() { cplatform_hash_begin(state) }
    deinit { state.deallocate() }
  }

  private let hash = Hash()

  /// A row that is a file: its name, the file, and the pictures that it names if it is JSON.
  mutating func append(row name: String, at path: String, _ reader: FeatureReader) {
    append(name)
    append(fileAt: path)
    for picture in reader.pictures(ofFile: path) { append(fileAt: picture) }
  }

  /// Bytes, preceded by their count.
  mutating func append(piece: UnsafeRawBufferPointer) {
    withUnsafeBytes(of: UInt64(piece.count).littleEndian) { append($0) }
    append(piece)
  }

  mutating func append(_ bytes: UnsafeRawBufferPointer) {
    cplatform_hash_append(hash.state, bytes.baseAddress, bytes.count)
  }

  /// Text, preceded by its length, so that adjacent texts stay distinct.
  mutating func append(_ text: String) {
    var text = "\(text.utf8.count)\n\(text)"
    text.withUTF8 { append(UnsafeRawBufferPointer($0)) }
  }

  /// Records of a text.
  mutating func append(_ records: some Sequence<Int>, of text: RecordText) {
    var known: RecordText.Stretch?
    for record in records {
      if known?.contains(record) != true { known = try? text.stretch(record) }
      guard let stretch = known, stretch.contains(record) else {
        append("absent")
        continue
      }
      stretch.bytes.withUnsafeBytes {
        var bytes = $0[stretch.record(record)]
        // A carriage return is part of the newline. The last line may gain one when another line follows.
        if bytes.last == 0x0D { bytes = bytes.dropLast() }
        append(piece: UnsafeRawBufferPointer(rebasing: bytes))
      }
    }
  }

  /// The contents of a file.
  mutating func append(fileAt path: String) { append(Self.digest(ofFileAt: path) ?? "absent") }

  /// The digest of a regular file's contents; nil if it cannot be read.
  static func digest(ofFileAt path: String) -> String? {
    let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var status = stat()
    guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    var fingerprint = Fingerprint()
    var buffer = [UInt8](repeating: 0, count: min(max(Int(status.st_size), 1), 1 << 20))
    while true {
      let got = read(file, &buffer, buffer.count)
      if got == 0 { return fingerprint.text }
      if got < 0 && errno == EINTR { continue }
      guard got > 0 else { return nil }
      buffer.withUnsafeBytes { fingerprint.append(UnsafeRawBufferPointer(rebasing: $0[..<got])) }
    }
  }

  /// The digest of a text.
  static func digest(of text: String) -> String {
    var (fingerprint, text) = (Fingerprint(), text)
    text.withUTF8 { fingerprint.append(UnsafeRawBufferPointer($0)) }
    return fingerprint.text
  }

  /// Whether a word has the form of `text`.
  static func isText(_ word: String) -> Bool {
    word.utf8.count == 32 && word.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
  }

  /// 32 hexadecimal digits. This detects mistakes, not attacks.
  var text: String {
    var digest = [UInt8](repeating: 0, count: 16)
    cplatform_hash_end(hash.state, &digest)
    return digest.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }
}
