/// Names beside a file's place that it is written under until it is whole: `<name>.<word>.partial`. A name so long that nothing could follow
/// it stands there as its beginning and a digest of the rest.
package enum PrivateName {
  package static let suffix = ".partial"
  /// Bytes of a name that leave room for a word: file systems take 255.
  private static let longest = 200

  /// A path beside another that nobody else uses.
  package static func path(beside path: String) -> String {
    "\(stem(path)).\(String(UInt64.random(in: .min ... .max), radix: 36))\(suffix)"
  }

  /// What private names of a path, or of a name, begin with.
  package static func stem(_ path: String) -> String {
    let start = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
    let name = path[start...]
    guard name.utf8.count > longest else { return path }
    // FNV-1a: it tells names apart that begin alike.
    var digest: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in name.utf8 { digest = (digest ^ UInt64(byte)) &* 0x100_0000_01B3 }
    var (beginning, bytes) = ("", 0)
    for scalar in name.unicodeScalars {
      bytes += String(scalar).utf8.count
      guard bytes <= longest - 40 else { break }
      beginning.unicodeScalars.append(scalar)
    }
    return "\(path[..<start])\(beginning)-\(String(digest, radix: 16))"
  }
}
