import Foundation

/// The sizes and times of the files of a model. It costs no reading of their contents.
struct FileFingerprint {
  /// Changes when a file is written, replaced, added or removed.
  private(set) var text = ""
  /// When a file was last changed.
  private(set) var newest = Date.distantPast
  private(set) var byteCount = 0

  /// - Throws: `CocoaError` if the model cannot be read.
  init(_ url: URL) throws {
    var lines: [String] = []
    try add(url, "", &lines)
    if let folder = FileManager.default.enumerator(atPath: url.path) {
      for case let path as String in folder { try add(url.appending(path: path), path, &lines) }
    }
    text = lines.sorted().joined(separator: "\n")
  }

  private mutating func add(_ url: URL, _ path: String, _ lines: inout [String]) throws {
    let attributes = try FileManager.default.attributesOfItem(atPath: url.path)
    let changed = attributes[.modificationDate] as? Date ?? .distantPast
    let size = (attributes[.size] as? NSNumber)?.intValue ?? 0
    let number = (attributes[.systemFileNumber] as? NSNumber)?.uint64Value ?? 0
    newest = max(newest, changed)
    let isFolder = attributes[.type] as? FileAttributeType == .typeDirectory
    if !isFolder { byteCount += size }
    lines.append("\(path) \(isFolder ? 0 : size) \(changed.timeIntervalSince1970) \(number)")
  }
}
