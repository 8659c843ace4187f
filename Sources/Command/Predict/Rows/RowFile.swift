import CoreMLBase
import CoreMLSpec
import FeatureFiles
import Foundation

/// What kind of row a file is. The first bytes identify pictures; the name identifies the rest.
enum RowFile: Equatable {
  case picture
  /// A picture of a format that this runtime does not read, with the format's name.
  case unreadablePicture(String)
  case json
  case arrays
  case other

  init(_ path: String) {
    let suffix = URL(filePath: path).pathExtension.lowercased()
    switch suffix {
    case "json": self = .json
    case "npz": self = .arrays
    default: self = Self.recognised(path, suffix) ?? .other
    }
  }

  private static func recognised(_ path: String, _ suffix: String) -> RowFile? {
    // Raw files begin like TIFF, and hold a small preview first.
    if let kind = kinds[suffix], kind == rawKind { return .unreadablePicture(kind) }
    if !incomplete.contains(suffix) {
      let head = head(of: path)
      if isPicture(head, suffix) { return .picture }
      if let kind = kind(head) { return .unreadablePicture(kind) }
    }
    if ImageFiles.extensions.contains(suffix) { return .picture }
    return kinds[suffix].map { .unreadablePicture($0) }
  }

  /// The first bytes of a regular file; empty for other files.
  private static func head(of path: String) -> [UInt8] {
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return [] }
    return OpenFile.contents(atPath: path, limit: 64) ?? []
  }

  private static func isPicture(_ head: [UInt8], _ suffix: String) -> Bool {
    guard head.withUnsafeBytes({ ImageFiles.isPicture($0) }) else { return false }
    // Two letters are too few to tell a bitmap from text, so the size of its second header is checked as well.
    guard head.starts(with: "BM".utf8), !ImageFiles.extensions.contains(suffix) else { return true }
    return head.count > 17 && [12, 16, 40, 52, 56, 64, 108, 124].contains(head[14]) && head[15...17] == [0, 0, 0]
  }

  /// Incomplete files have the first bytes of complete ones.
  private static let incomplete: Set<String> = ["part", "partial", "crdownload", "download", "tmp", "temp"]

  private static let rawKind = "camera raw"

  private static let kinds: [String: String] = [
    "heic": "HEIC", "heif": "HEIC", "hif": "HEIC", "avif": "AVIF", "jxl": "JPEG XL", "jp2": "JPEG 2000",
    "j2k": "JPEG 2000", "jpf": "JPEG 2000", "jpx": "JPEG 2000", "psd": "Photoshop", "psb": "Photoshop",
    "exr": "OpenEXR", "svg": "SVG", "tga": "TGA", "ppm": "PNM", "pgm": "PNM", "pbm": "PNM", "pnm": "PNM", "ico": "ICO",
    "dng": rawKind, "cr2": rawKind, "cr3": rawKind, "nef": rawKind, "nrw": rawKind, "arw": rawKind, "orf": rawKind,
    "rw2": rawKind, "raf": rawKind, "pef": rawKind,
  ]

  /// The format that the first bytes indicate, among formats that this runtime does not read.
  private static func kind(_ head: [UInt8]) -> String? {
    if head.count >= 12, head[4...].starts(with: "ftyp".utf8) {
      // The major brand, then the compatible brands.
      let brands = stride(from: 8, to: head.count - 3, by: 4).map {
        String(decoding: head[$0..<($0 + 4)], as: UTF8.self)
      }
      if brands.contains(where: ["avif", "avis"].contains) { return "AVIF" }
      if ["heic", "heix", "heim", "heis", "hevc", "hevx", "mif1", "msf1"].contains(brands[0]) { return "HEIC" }
      return brands[0] == "crx " ? rawKind : nil
    }
    let marks: [([UInt8], String)] = [
      ([0xFF, 0x0A], "JPEG XL"), ([0, 0, 0, 12] + Array("JXL ".utf8), "JPEG XL"),
      ([0, 0, 0, 12] + Array("jP  ".utf8), "JPEG 2000"), ([0xFF, 0x4F, 0xFF, 0x51], "JPEG 2000"),
      (Array("8BPS".utf8), "Photoshop"), ([0x76, 0x2F, 0x31, 0x01], "OpenEXR"),
    ]
    return marks.first { head.starts(with: $0.0) }?.1
  }
}
