import CArchive
import CoreMLDelivery
import Foundation
import Testing

/// The model of the examples, and variants of it.
enum Samples {
  static let checkout = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()
  static let digits = checkout.appending(path: "examples/digits/Digits.mlpackage", directoryHint: .isDirectory)
  static let image = checkout.appending(path: "examples/digits/nine.png")
  static let weightsPath = "Data/com.apple.CoreML/weights/weight.bin"

  /// Copies the example's model with another bias.
  static func variant(_ index: Int, in folder: TemporaryFolder) throws -> URL {
    let target = folder.url.appending(path: "v\(index).mlpackage", directoryHint: .isDirectory)
    try FileManager.default.copyItem(at: digits, to: target)
    let file = target.appending(path: weightsPath)
    var data = try Data(contentsOf: file)
    // The data of the first entry begins at byte 128: the ten biases of the last layer.
    for element in 0..<10 {
      let value = Float(index * element) * 0.05
      withUnsafeBytes(of: value.bitPattern.littleEndian) { bytes in
        data.replaceSubrange(128 + 4 * element..<132 + 4 * element, with: bytes)
      }
    }
    try data.write(to: file)
    return target
  }

  /// An entry of an archive created by hand.
  struct Entry {
    var name: String
    var content = Data()
    var kind: UInt32 = 0o100000
    var link: String?
    var hardLink: String?
  }

  /// Creates a `tar.gz` or `zip` archive with arbitrary entries.
  static func archive(_ entries: [Entry], to file: URL, zip: Bool = false) throws {
    let archive = try #require(archive_write_new())
    defer { archive_write_free(archive) }
    if zip {
      archive_write_set_format_zip(archive)
    } else {
      archive_write_add_filter_gzip(archive)
      archive_write_set_format_pax_restricted(archive)
    }
    #expect(archive_write_open_filename(archive, file.path) == ARCHIVE_OK)
    for item in entries {
      let entry = try #require(archive_entry_new())
      defer { archive_entry_free(entry) }
      // As bytes, because in the "C" locale libarchive's zip writer cannot convert other text.
      archive_entry_set_pathname(entry, item.name)
      archive_entry_set_filetype(entry, item.kind)
      archive_entry_set_perm(entry, 0o644)
      archive_entry_set_size(entry, Int64(item.content.count))
      if let link = item.link { archive_entry_set_symlink(entry, link) }
      if let link = item.hardLink { archive_entry_set_hardlink(entry, link) }
      // A warning is acceptable: a name that the locale cannot represent is written anyway.
      #expect(archive_write_header(archive, entry) >= ARCHIVE_WARN)
      if !item.content.isEmpty {
        let written = item.content.withUnsafeBytes { archive_write_data(archive, $0.baseAddress, $0.count) }
        #expect(written == item.content.count)
      }
    }
    #expect(archive_write_close(archive) == ARCHIVE_OK)
  }
}
