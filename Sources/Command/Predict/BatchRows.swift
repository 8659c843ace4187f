import CoreML
import FeatureFiles
import Foundation

/// The rows of a batch, read when they are asked for.
protocol BatchRows {
  var count: Int { get }
  /// A row's name for outputs: its file's, or its number.
  func name(_ index: Int) -> String
  func features(_ index: Int) throws -> [String: MLFeatureValue]
}

extension BatchRows {
  func name(_ index: Int) -> String {
    let digits = "\(index)"
    return String(repeating: "0", count: max(6 - digits.count, 0)) + digits
  }
}

enum BatchSource {
  static func open(_ path: String, reader: FeatureReader) throws -> any BatchRows {
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
      throw Failure(.io, "\(path): expected rows, found no such file or folder")
    }
    if isFolder.boolValue { return try FolderRows(path, reader) }
    switch URL(filePath: path).pathExtension.lowercased() {
    case "jsonl", "ndjson": return try LineRows(path, reader)
    case "csv": return try TableRows(path, reader)
    case "npz": return try ArrayRows(path, reader)
    default: throw Failure(.usage, "\(path): expected .jsonl, .csv, .npz or a folder")
    }
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
    self.path = path
    self.reader = reader
    folder = URL(filePath: path).deletingLastPathComponent().path
    guard let data = FileManager.default.contents(atPath: path) else {
      throw Failure(.io, "\(path): the file cannot be read")
    }
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

  func features(_ index: Int) throws -> [String: MLFeatureValue] {
    let place = "\(path), row \(index + 1)"
    let json: JSONValue
    do {
      json = try data.withUnsafeBytes { try JSONValue(UnsafeRawBufferPointer(rebasing: $0[lines[index]])) }
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
    self.count = count
  }

  func features(_ index: Int) throws -> [String: MLFeatureValue] {
    try reader.features(arrays.mapValues { $0.row(index) }, "\(path), row \(index + 1)")
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

/// A folder: its images, `.json` and `.npz` files in the order of their names.
struct FolderRows: BatchRows {
  private let paths: [String]
  private let reader: FeatureReader

  init(_ path: String, _ reader: FeatureReader) throws {
    self.reader = reader
    guard let names = try? FileManager.default.contentsOfDirectory(atPath: path) else {
      throw Failure(.io, "\(path): the folder cannot be listed")
    }
    let known = FeatureReader.imageExtensions.union(["json", "npz"])
    let files = names.filter { !$0.hasPrefix(".") && known.contains(URL(filePath: $0).pathExtension.lowercased()) }
      .sorted()
    guard !files.isEmpty else { throw Failure(.data, "\(path): expected images, .json or .npz files, found none") }
    let stems = files.map { URL(filePath: $0).deletingPathExtension().lastPathComponent }
    guard Set(stems).count == stems.count else {
      let twice = Dictionary(grouping: stems) { $0 }.filter { $0.value.count > 1 }.keys.sorted().first ?? ""
      throw Failure(.data, "\(path): two files give a row named '\(twice)'")
    }
    paths = files.map { "\(path)/\($0)" }
  }

  var count: Int { paths.count }
  func name(_ index: Int) -> String { URL(filePath: paths[index]).deletingPathExtension().lastPathComponent }
  func features(_ index: Int) throws -> [String: MLFeatureValue] { try reader.read(paths[index]) }
}
