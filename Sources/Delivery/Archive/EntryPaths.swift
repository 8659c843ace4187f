import CoreMLBase
import CoreMLSpec
import Foundation

/// Validates the paths of an archive's entries, and detects paths that collide on some file systems.
struct EntryPaths {
  private enum Kind { case file, folder }

  private let limits: ArchiveLimits
  private let archive: String
  /// The original spelling of each path, by its case-folded and decomposed form.
  private var seen: [String: (spelling: [UInt8], kind: Kind)] = [:]

  init(limits: ArchiveLimits, archive: String) {
    self.limits = limits
    self.archive = archive
  }

  /// Returns the relative path to write an entry to; nil for a folder that exists already.
  mutating func admit(_ name: String, isFolder: Bool) throws -> RelativePath? {
    let archive = archive
    func refused(_ code: DeliveryError.Code, _ sentence: String) -> DeliveryError {
      DeliveryError(code, "the entry \(String(name.prefix(200)).debugDescription) \(sentence)", file: archive)
    }
    guard !name.hasPrefix("/") else { throw refused(.archiveAbsolutePath, "has an absolute path") }
    var parts = name.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    if isFolder, parts.last?.isEmpty == true { parts.removeLast() }
    // `tar -C folder .` writes paths that begin with "./".
    if parts.first == "." { parts.removeFirst() }
    if parts.isEmpty && isFolder { return nil }
    guard !parts.contains("..") else { throw refused(.archiveParentPath, "leads upwards") }
    let isSound = parts.allSatisfy { part in
      !part.isEmpty && part != "." && part.utf8.count <= 255
        && part.unicodeScalars.allSatisfy {
          $0.value >= 0x20 && $0.value != 0x7f && $0 != "\\" && $0.properties.generalCategory != .control
        }
    }
    guard isSound, !parts.isEmpty, name.utf8.count <= 4096, let path = RelativePath(parts.joined(separator: "/")) else {
      throw refused(.archiveBadPath, "has a path that no file can have")
    }
    guard parts.count <= limits.depth else { throw refused(.archiveTooDeep, "is deeper than \(limits.depth) folders") }
    var isNew = false
    for count in 1...parts.count {
      let prefix = parts.prefix(count).joined(separator: "/")
      let kind: Kind = count < parts.count || isFolder ? .folder : .file
      isNew = try note(prefix, kind, refused)
      if count == parts.count && kind == .file && !isNew { throw refused(.archiveDuplicate, "is there twice") }
    }
    guard seen.count <= limits.entries else {
      throw DeliveryError(
        .archiveTooManyFiles, "the archive has more than \(limits.entries) files and folders", file: archive)
    }
    return isFolder && !isNew ? nil : path
  }

  private mutating func note(
    _ path: String, _ kind: Kind, _ refused: (DeliveryError.Code, String) -> DeliveryError
  ) throws -> Bool {
    let folded = path.lowercased().decomposedStringWithCompatibilityMapping.uppercased().lowercased()
    guard let known = seen[folded] else {
      seen[folded] = (Array(path.utf8), kind)
      return true
    }
    guard known.spelling == Array(path.utf8) else {
      throw refused(
        .archiveCaseClash,
        "differs from '\(String(decoding: known.spelling, as: UTF8.self))' in case or composition alone")
    }
    guard known.kind == kind else { throw refused(.archiveDuplicate, "is a file in one place and a folder in another") }
    return false
  }
}
