import CoreML
import CoreMLBase
import CoreMLRuntime
import FeatureFiles
import Foundation

/// The rows of a batch, read on demand.
protocol BatchRows {
  var count: Int { get }
  /// The files of the rows, if each row is a file.
  var files: [String] { get }
  /// A row's name for result files: the name of its file, or its index from 0 in six digits.
  func name(_ index: Int) -> String
  /// How results identify the row to people: the name of its file, or its number from 1, as in error messages.
  func title(_ index: Int) -> MLFeatureValue
  func features(_ index: Int) throws -> [String: MLFeatureValue]
  /// The members that results repeat from a row.
  func kept(_ index: Int) -> [FeatureJSONWriter.Member]
  /// Adds the contents of a row, and of the pictures that it names, to a fingerprint.
  func append(_ index: Int, to fingerprint: inout Fingerprint)
  /// The same for several rows.
  func append(_ rows: Slice<RowPlaces>, to fingerprint: inout Fingerprint)
  /// A digest of what names the rows' features and is not part of a row: the titles of a table. Nil if there is none.
  var heading: String? { get }
  /// Whether rows are, or may name, files that can change while the batch runs.
  var areFiles: Bool { get }
  /// The picture files that the row names.
  func pictures(_ index: Int) -> [String]
}

extension BatchRows {
  var heading: String? { nil }

  /// A digest that changes with the row.
  func fingerprint(_ index: Int) -> String {
    var fingerprint = Fingerprint()
    append(index, to: &fingerprint)
    return fingerprint.text
  }

  func append(_ rows: Slice<RowPlaces>, to fingerprint: inout Fingerprint) {
    for row in rows { append(row, to: &fingerprint) }
  }

  var areFiles: Bool { false }

  func kept(_ index: Int) -> [FeatureJSONWriter.Member] { [] }

  var files: [String] { [] }

  func pictures(_ index: Int) -> [String] { [] }

  func title(_ index: Int) -> MLFeatureValue { MLFeatureValue(int64: Int64(index + 1)) }

  func name(_ index: Int) -> String { Self.number(index) }

  /// An index from 0 in six digits.
  static func number(_ index: Int) -> String {
    let digits = "\(index)"
    return String(repeating: "0", count: max(6 - digits.count, 0)) + digits
  }
}

enum BatchSource {
  /// - Parameters:
  ///   - columns: The columns of a table that are read; nil for all.
  ///   - keeping: The columns of a table that results repeat.
  ///   - isRecursive: Whether a folder includes its subfolders.
  static func open(
    _ path: String, reader: FeatureReader, columns: [Column]? = nil, keeping: [String] = [], isRecursive: Bool = false
  ) throws -> any BatchRows {
    guard columns == nil && keeping.isEmpty || URL(filePath: path).pathExtension.lowercased().isTable else {
      let option = columns == nil ? "--keep-columns" : "--columns"
      throw Failure(.usage, "\(option): \(path) is no .csv or .tsv, and has no columns")
    }
    if path == StandardInput.path {
      if isRecursive { throw Failure(.usage, "--recursive: standard input is no folder") }
      return try LineRows(StandardInput.read(), StandardInput.name, images: .workingFolder, reader)
    }
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
      throw Failure(.io, "\(path): expected rows, found no such file or folder")
    }
    if isFolder.boolValue { return try FolderRows(path, reader, isRecursive: isRecursive) }
    if isRecursive { throw Failure(.usage, "--recursive: \(path) is no folder") }
    if StandardInput.isStream(path) {
      return try LineRows(StandardInput.read(path), path, images: .workingFolder, reader)
    }
    switch URL(filePath: path).pathExtension.lowercased() {
    case "jsonl", "ndjson": return try LineRows(path, reader)
    case let kind where kind.isTable: return try TableRows(path, reader, columns: columns, keeping: keeping)
    case "npz": return try ArrayRows(path, reader)
    default: throw Failure(.usage, "\(path): expected .jsonl, .csv, .tsv, .npz or a folder")
    }
  }
}

extension String {
  /// Whether files with this suffix are tables.
  var isTable: Bool { self == "csv" || self == "tsv" }
}

/// Standard input, written `-` in place of a path.
enum StandardInput {
  static let path = "-"
  static let name = "standard input"

  /// The size limit of a stream in bytes: it is read completely, and may be endless.
  private static var limit: Int { min(4 << 30, RuntimeLimits.processMemory / 4) }

  /// Reads all of standard input, or of a path that is a stream.
  static func read(_ path: String = Self.path) throws -> Data {
    let isStandard = path == Self.path
    let (what, limit) = (isStandard ? name : path, limit)
    var data = Data()
    do {
      let file = isStandard ? FileHandle.standardInput : try FileHandle(forReadingFrom: URL(filePath: path))
      try requireEnd(of: file.fileDescriptor, what)
      while Interruption.shared.signal == nil, let piece = try file.read(upToCount: 1 << 20), !piece.isEmpty {
        data += piece
        guard data.count <= limit else {
          throw Failure(
            .data, "\(what): it has more than \(Console.bytes(limit)), the most that a stream may have here")
        }
      }
    } catch let failure as Failure {
      throw failure
    } catch {
      throw Failure(.io, "\(what): it cannot be read: \(Failure.reason(error))")
    }
    try Interruption.shared.check()
    return data
  }

  /// A device such as `/dev/zero` is endless; a terminal and `/dev/null` are not.
  private static func requireEnd(of descriptor: Int32, _ what: String) throws {
    var (status, null) = (stat(), stat())
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFCHR, isatty(descriptor) == 0 else { return }
    guard stat("/dev/null", &null) == 0, null.st_rdev == status.st_rdev else {
      throw Failure(.io, "\(what): expected a file, a pipe or a terminal, found a device")
    }
  }

  /// Whether a path is a pipe, such as `/dev/stdin` or a shell's `<(...)`. Its name does not give the format.
  static func isStream(_ path: String) -> Bool {
    if path == "/dev/stdin" || path.hasPrefix("/dev/fd/") { return true }
    var status = stat()
    return stat(path, &status) == 0 && [S_IFIFO, S_IFCHR, S_IFSOCK].contains(status.st_mode & S_IFMT)
  }
}
