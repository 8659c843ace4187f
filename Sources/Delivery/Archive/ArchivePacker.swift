import CArchive
import CoreMLBase
import CoreMLSpec
import FeatureFiles
import Foundation

/// Packs a model into an archive. The output is deterministic: entries are sorted and have fixed times, owners and
/// modes.
public enum ArchivePacker {
  /// A supported archive format. The raw value is the file name extension.
  public enum Kind: String, Sendable, CaseIterable {
    /// A tar compressed with bzip2.
    case tarBzip2 = "tar.bz2"
    /// A tar compressed with gzip, without a time in its header.
    case tarGzip = "tar.gz"
    /// A tar compressed with xz.
    case tarXZ = "tar.xz"
    /// A tar compressed with Zstandard, at level 19.
    case tarZstd = "tar.zst"
    /// A zip, without times.
    case zip

    /// Returns the kind for the extension of a file name.
    public init?(fileName: String) {
      guard let kind = Self.allCases.first(where: { fileName.lowercased().hasSuffix(".\($0.rawValue)") }) else {
        return nil
      }
      self = kind
    }
  }

  /// Writes a model to a new archive, in a folder with the model's name.
  ///
  /// - Parameters:
  ///   - model: a file or a folder; links are followed.
  ///   - file: the archive, written atomically.
  /// - Throws: ``DeliveryError`` `unreadable`, `unwritable`.
  public static func pack(_ model: URL, to file: URL, kind: Kind) throws {
    let contents = try ModelContents(of: model)
    let partial = URL(filePath: Staging.name(in: file.deletingLastPathComponent()).path)
    defer { unlink(partial.path) }
    try write(contents, model, to: partial, kind)
    try FolderReplacement.synchronize(partial)
    guard rename(partial.path, file.path) == 0 else {
      throw DeliveryError(.unwritable, "the archive cannot be put in its place", at: file, errno: errno)
    }
  }

  private static func write(_ contents: ModelContents, _ model: URL, to file: URL, _ kind: Kind) throws {
    guard let archive = archive_write_new() else {
      throw DeliveryError(.unwritable, "there is no memory to write the archive", file: file.path)
    }
    defer { archive_write_free(archive) }
    func check(_ status: Int32) throws {
      guard status == ARCHIVE_OK || status == ARCHIVE_WARN else {
        let reason = ArchiveFailure(archive).reason ?? "libarchive gives no reason"
        throw DeliveryError(.unwritable, "the archive cannot be written: \(reason)", file: file.path)
      }
    }
    switch kind {
    case .tarBzip2: try check(archive_write_add_filter_bzip2(archive))
    case .tarGzip:
      try check(archive_write_add_filter_gzip(archive))
      // The gzip header contains no timestamp, so that the output is deterministic.
      try check(archive_write_set_filter_option(archive, "gzip", "timestamp", nil))
    case .tarXZ: try check(archive_write_add_filter_xz(archive))
    case .tarZstd:
      try check(archive_write_add_filter_zstd(archive))
      try check(archive_write_set_filter_option(archive, "zstd", "compression-level", "19"))
    case .zip: try check(archive_write_set_format_zip(archive))
    }
    if kind != .zip { try check(archive_write_set_format_pax_restricted(archive)) }
    try check(archive_write_open_filename(archive, file.path))
    let name = model.lastPathComponent
    var folders: Set<String> = []
    for entry in contents.entries {
      let path = entry.path.isEmpty ? name : "\(name)/\(entry.path)"
      let parts = path.split(separator: "/")
      for count in 1..<max(parts.count, 1) {
        let folder = parts.prefix(count).joined(separator: "/")
        if folders.insert(folder).inserted { try check(header(archive, folder + "/", isFolder: true, size: 0)) }
      }
      try check(header(archive, path, isFolder: false, size: entry.size))
      let bytes: Bytes
      do {
        bytes = try Bytes.mapping(file: entry.path.isEmpty ? model.path : model.appending(path: entry.path).path)
      } catch let error as SpecError { throw DeliveryError(.unreadable, error.message, file: error.file) }
      guard Int64(bytes.count) == entry.size else {
        throw DeliveryError(.unreadable, "the model was changed while it was packed", file: model.path)
      }
      try bytes.withUnsafeBytes { bytes in
        var rest = bytes[...]
        while !rest.isEmpty {
          let part = UnsafeRawBufferPointer(rebasing: rest.prefix(8 << 20))
          let written = archive_write_data(archive, part.baseAddress, part.count)
          try check(written > 0 ? ARCHIVE_OK : Int32(clamping: written < 0 ? written : -30))
          rest = rest.dropFirst(written)
        }
      }
    }
    try check(archive_write_close(archive))
  }

  private static func header(_ archive: OpaquePointer, _ path: String, isFolder: Bool, size: Int64) -> Int32 {
    guard let entry = archive_entry_new() else { return ARCHIVE_FATAL }
    defer { archive_entry_free(entry) }
    archive_entry_set_pathname(entry, path)
    archive_entry_set_filetype(entry, isFolder ? 0o040000 : 0o100000)
    archive_entry_set_perm(entry, isFolder ? 0o755 : 0o644)
    archive_entry_set_size(entry, size)
    // Zip times are in local time. Without them the output does not depend on the time zone.
    if archive_format(archive) != 0x50000 { archive_entry_set_mtime(entry, 0, 0) }
    return archive_write_header(archive, entry)
  }
}
