import CoreML
import CoreMLRuntime
import FeatureFiles
import Foundation

/// The rows of a batch, read when they are asked for.
protocol BatchRows {
  var count: Int { get }
  /// The files that the rows are, where each is one.
  var files: [String] { get }
  /// A row's name for files of its own: that of its file, or its number from 0 in six digits.
  func name(_ index: Int) -> String
  /// What tells people which row it is, in what is written of it: the name of its file, or its number from 1, as errors have it.
  func title(_ index: Int) -> MLFeatureValue
  func features(_ index: Int) throws -> [String: MLFeatureValue]
  /// What results repeat of a row.
  func kept(_ index: Int) -> [FeatureJSONWriter.Member]
  /// What changes when the row does, or a picture that it names.
  func fingerprint(_ index: Int) -> String
}

extension BatchRows {
  func kept(_ index: Int) -> [FeatureJSONWriter.Member] { [] }

  var files: [String] { [] }

  func title(_ index: Int) -> MLFeatureValue { MLFeatureValue(int64: Int64(index + 1)) }

  func name(_ index: Int) -> String { Self.number(index) }

  /// A number from 0 in six digits.
  static func number(_ index: Int) -> String {
    let digits = "\(index)"
    return String(repeating: "0", count: max(6 - digits.count, 0)) + digits
  }
}

enum BatchSource {
  /// - Parameters:
  ///   - columns: of a table those that are read; nil for all.
  ///   - keeping: of a table those that results repeat.
  ///   - isRecursive: of a folder, whether those below it belong to it.
  static func open(
    _ path: String, reader: FeatureReader, columns: [Column]? = nil, keeping: [String] = [], isRecursive: Bool = false
  ) throws -> any BatchRows {
    guard columns == nil && keeping.isEmpty || URL(filePath: path).pathExtension.lowercased().isTable else {
      let option = columns == nil ? "--keep-columns" : "--columns"
      throw Failure(.usage, "\(option): \(path) is no .csv or .tsv, and has no columns")
    }
    if path == StandardInput.path {
      if isRecursive { throw Failure(.usage, "--recursive: standard input is no folder") }
      return LineRows(try StandardInput.read(), StandardInput.name, folder: ".", reader)
    }
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
      throw Failure(.io, "\(path): expected rows, found no such file or folder")
    }
    if isFolder.boolValue { return try FolderRows(path, reader, isRecursive: isRecursive) }
    if isRecursive { throw Failure(.usage, "--recursive: \(path) is no folder") }
    if StandardInput.isStream(path) { return LineRows(try StandardInput.read(path), path, folder: ".", reader) }
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

/// `-` in place of a path.
enum StandardInput {
  static let path = "-"
  static let name = "standard input"

  /// What a stream may hold at most: it is read whole, and may have no end.
  private static var limit: Int { min(4 << 30, RuntimeLimits.processMemory / 4) }

  /// All of it, or of a path that is a stream as it is.
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

  /// A device such as `/dev/zero` has no end; a terminal has, and so has `/dev/null`.
  private static func requireEnd(of descriptor: Int32, _ what: String) throws {
    var (status, null) = (stat(), stat())
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFCHR, isatty(descriptor) == 0 else { return }
    guard stat("/dev/null", &null) == 0, null.st_rdev == status.st_rdev else {
      throw Failure(.io, "\(what): expected a file, a pipe or a terminal, found a device")
    }
  }

  /// Whether a path is a pipe, such as `/dev/stdin` and what shells put in place of `<(...)`: its name says nothing of its form.
  static func isStream(_ path: String) -> Bool {
    if path == "/dev/stdin" || path.hasPrefix("/dev/fd/") { return true }
    var status = stat()
    return stat(path, &status) == 0 && [S_IFIFO, S_IFCHR, S_IFSOCK].contains(status.st_mode & S_IFMT)
  }
}

/// A `.jsonl` file: an object a line.
struct LineRows: BatchRows {
  private let data: Data
  private let lines: [Range<Int>]
  private let path: String
  private let folder: String
  private let reader: FeatureReader

  init(_ path: String, _ reader: FeatureReader) throws {
    let folder = URL(filePath: path).deletingLastPathComponent().path
    self.init(try FileBytes.read(path), path, folder: folder, reader)
  }

  /// - Parameter path: what errors call the lines.
  init(_ data: Data, _ path: String, folder: String, _ reader: FeatureReader) {
    self.path = path
    self.reader = reader
    self.folder = folder
    self.data = data
    lines = data.withUnsafeBytes { bytes in
      var lines: [Range<Int>] = []
      var start = 0
      while start < bytes.count {
        let end = bytes[start...].firstIndex(of: 0x0A) ?? bytes.count
        if bytes[start..<end].contains(where: { $0 > 0x20 }) { lines.append(start..<end) }
        start = end + 1
      }
      return lines
    }
  }

  var count: Int { lines.count }

  func fingerprint(_ index: Int) -> String {
    var fingerprint = Fingerprint()
    data.withUnsafeBytes { fingerprint.append(UnsafeRawBufferPointer(rebasing: $0[lines[index]])) }
    if reader.takesImages, let json = try? json(index) { fingerprint.append(picturesIn: json, reader, folder: folder) }
    return fingerprint.text
  }

  private func json(_ index: Int) throws -> JSONValue {
    try data.withUnsafeBytes { try JSONValue(UnsafeRawBufferPointer(rebasing: $0[lines[index]])) }
  }

  func features(_ index: Int) throws -> [String: MLFeatureValue] {
    let place = "\(path), row \(index + 1)"
    let json: JSONValue
    do {
      json = try self.json(index)
    } catch let error as FeatureFileError {
      throw Failure(.data, "\(place): \(error.message)")
    }
    guard case .object(let members) = json else {
      throw Failure(.data, "\(place): expected an object, feature -> value")
    }
    return try reader.features(members, place, folder: folder)
  }
}

/// A `.npz` file whose arrays have one leading axis more: the rows.
struct ArrayRows: BatchRows {
  let count: Int
  private let arrays: [String: NPYArray]
  private let path: String
  private let reader: FeatureReader

  init(_ path: String, _ reader: FeatureReader) throws {
    self.path = path
    self.reader = reader
    arrays = try NPZ.read(path) { name, elements in
      _ = try reader.declared(name)
      return try elements.array()
    }
    let counts = Set(arrays.values.map { $0.shape.first })
    guard counts.count == 1, let count = counts.first ?? nil else {
      throw Failure(
        .data,
        "\(path): expected arrays with one number of rows as their first axis, found \(arrays.mapValues(\.shape))")
    }
    // A header may claim as many rows of nothing as it likes.
    guard count == 0 || arrays.values.contains(where: { !$0.bytes.isEmpty }) else {
      throw Failure(.data, "\(path): expected rows that hold elements, found \(count) rows of none")
    }
    self.count = count
  }

  func features(_ index: Int) throws -> [String: MLFeatureValue] {
    try reader.features(arrays.mapValues { $0.row(index) }, "\(path), row \(index + 1)")
  }

  func fingerprint(_ index: Int) -> String {
    var fingerprint = Fingerprint()
    for (name, array) in arrays.sorted(by: { $0.key < $1.key }) {
      fingerprint.append("\(name) \(array.element.rawValue) \(array.shape.dropFirst())")
      array.row(index).bytes.withUnsafeBytes { fingerprint.append($0) }
    }
    return fingerprint.text
  }
}

extension NPYArray {
  /// The part at an index of the first axis.
  func row(_ index: Int) -> NPYArray {
    let shape = Array(self.shape.dropFirst())
    let size = shape.reduce(element.size, *)
    return NPYArray(element, shape: shape, bytes: Array(bytes[(index * size)..<(index * size + size)]))
  }
}
