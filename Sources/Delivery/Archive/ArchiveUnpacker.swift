import CoreMLBase
import CoreMLSpec
import Foundation

/// Unpacks untrusted archives: `.tar.bz2`, `.tar.gz`, `.tar.xz`, `.tar.zst`, `.zip`. The format is detected from the
/// content, not from the name.
///
/// All files and folders are created below the target folder, with fixed modes; times and owners are ignored. Files
/// that Finder adds to archives (`__MACOSX`, `._NAME`, `.DS_Store`) are skipped.
public enum ArchiveUnpacker {
  /// The result of unpacking.
  public struct Outcome: Sendable, Hashable {
    /// The number of files created, without skipped ones.
    public let files: Int
    /// The number of unpacked bytes, including those of skipped files.
    public let bytes: Int64
  }

  /// Unpacks an archive within the limits.
  ///
  /// - Parameters:
  ///   - folder: an existing, empty private folder. After a failure, the caller must remove its content.
  /// - Throws: ``DeliveryError`` with an `archive...` code for a rejected archive; `unwritable`.
  @discardableResult
  public static func unpack(_ file: URL, into folder: URL, limits: ArchiveLimits = ArchiveLimits()) throws -> Outcome {
    try DeliveryMetrics.step(.unpack) {
      var run = Run(file: file, folder: folder, limits: limits, archive: try ArchiveReader(file))
      return try run.unpack()
    }
  }

  private struct Run {
    let file: URL
    let folder: URL
    let limits: ArchiveLimits
    let archive: ArchiveReader
    private var bytes: Int64 = 0
    private var files = 0
    private let allowed: Int64

    init(file: URL, folder: URL, limits: ArchiveLimits, archive: ArchiveReader) {
      (self.file, self.folder, self.limits, self.archive) = (file, folder, limits, archive)
      var status = stat()
      let packed = stat(file.path, &status) == 0 ? Int64(status.st_size) : 0
      let (product, overflow) = packed.multipliedReportingOverflow(by: limits.ratio)
      allowed = max(overflow ? .max : product, limits.freeBytes)
    }

    mutating func unpack() throws -> Outcome {
      var paths = EntryPaths(limits: limits, archive: file.path)
      let buffer = try WorkingMemory.take()
      defer { WorkingMemory.giveBack(buffer) }
      var count = 0
      while let entry = try archive.next() {
        count += 1
        guard count <= limits.entries else {
          throw DeliveryError(
            .archiveTooManyFiles, "the archive has more than \(limits.entries) files and folders", file: file.path)
        }
        let what = "the entry \(String(entry.name.prefix(200)).debugDescription)"
        switch entry.kind {
        case .link: throw DeliveryError(.archiveLink, "\(what) is a link", file: file.path)
        case .device: throw DeliveryError(.archiveDevice, "\(what) is a device, a pipe or a socket", file: file.path)
        case .folder:
          if let path = try paths.admit(entry.name, isFolder: true), !Self.isLeftOut(entry.name) {
            try DeliveryDirectories.makeFolder(URL(filePath: path.below(folder.path)))
          }
        case .file:
          guard let path = try paths.admit(entry.name, isFolder: false) else { continue }
          if let size = entry.size { try admit(size) }
          try write(Self.isLeftOut(entry.name) ? nil : path, buffer)
        }
      }
      try readToEnd(buffer)
      return Outcome(files: files, bytes: bytes)
    }

    /// Reads the data after the last entry, because checksums of compressed archives are at their end.
    private func readToEnd(_ buffer: UnsafeMutableRawBufferPointer) throws {
      var padding: Int64 = 0
      while true {
        let count = try archive.readPastEnd(into: buffer)
        if count == 0 { return }
        padding += Int64(count)
        try admit(padding)
      }
    }

    /// Throws if `more` additional bytes exceed a limit.
    private func admit(_ more: Int64) throws {
      let (total, overflow) = bytes.addingReportingOverflow(more)
      guard !overflow, total <= limits.bytes else {
        throw DeliveryError(.archiveTooLarge, "the archive unpacks to more than \(limits.bytes) bytes", file: file.path)
      }
      guard total <= allowed else {
        throw DeliveryError(
          .archiveRatio,
          "the archive unpacks to more than \(limits.ratio) times its size and \(limits.freeBytes) bytes",
          file: file.path)
      }
    }

    private mutating func write(_ path: RelativePath?, _ buffer: UnsafeMutableRawBufferPointer) throws {
      var output: Int32 = -1
      defer { if output >= 0 { close(output) } }
      if let path {
        let target = URL(filePath: path.below(folder.path))
        try DeliveryDirectories.makeFolder(target.deletingLastPathComponent())
        output = open(target.path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o644)
        guard output >= 0 else {
          throw DeliveryError(.unwritable, "the file cannot be created", at: target, errno: errno)
        }
        files += 1
      }
      while true {
        let count = try archive.read(into: buffer)
        if count == 0 { return }
        try admit(Int64(count))
        bytes += Int64(count)
        var rest = UnsafeRawBufferPointer(buffer)[..<count]
        while output >= 0, !rest.isEmpty {
          let written = Glibc.write(output, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
          if written < 0 && errno == EINTR { continue }
          guard written > 0 else {
            throw DeliveryError(
              .unwritable, "the archive cannot be unpacked", at: folder, errno: written < 0 ? errno : EIO)
          }
          rest = rest.dropFirst(written)
        }
      }
    }

    private static func isLeftOut(_ name: String) -> Bool {
      name.split(separator: "/").contains { $0 == "__MACOSX" || $0 == ".DS_Store" || $0.hasPrefix("._") }
    }
  }
}
