import CoreMLBase

/// Detects files that take the place of a model or its weights: Git LFS pointers, links stored as text, archives, web
/// pages.
enum LFSPointer {
  /// Throws an error that describes the bytes if they are one of these.
  static func refuse(_ bytes: Bytes, expected: String) throws {
    func begins(_ prefix: String) -> Bool {
      bytes.withUnsafeBytes { $0.count >= prefix.utf8.count && $0.prefix(prefix.utf8.count).elementsEqual(prefix.utf8) }
    }
    if bytes.isEmpty { throw bytes.error(.standIn, "expected \(expected), found an empty file") }
    if begins("version https://git-lfs.github.com/spec/") {
      throw bytes.error(.standIn, "expected \(expected), found a Git LFS pointer: fetch the file itself (git lfs pull)")
    }
    if begins("../"), bytes.count < 4096, !bytes.withUnsafeBytes({ $0.contains { $0 < 0x20 && $0 != 0x0a } }) {
      throw bytes.error(
        .standIn, "expected \(expected), found the text of a link to another file: fetch that file in its place")
    }
    if begins("PK\u{3}\u{4}") {
      throw bytes.error(.standIn, "expected \(expected), found a zip archive: unpack it first")
    }
    if begins("<!DOCTYPE") || begins("<html") {
      throw bytes.error(.standIn, "expected \(expected), found a web page")
    }
  }
}
