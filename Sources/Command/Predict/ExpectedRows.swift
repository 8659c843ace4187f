import CoreML
import CoreMLBase
import CoreMLSpec
import FeatureFiles
import Foundation

/// The expected results of a batch, in any format that a batch writes: a folder, JSON lines, an `.npz`.
struct ExpectedRows {
  private enum Form {
    case folder(ResultKinds)
    /// By the key of each row: the name of its file, or its number from 1. Keys compare bytes, as file names do.
    case rows([ExactText: [String: JSONValue]])
    case arrays(Arrays)
  }

  /// Arrays whose first axis is the row.
  private struct Arrays {
    let byName: [String: NPYArray]
    let count: Int
    /// The index of each row by its title; nil if rows are identified by number.
    let places: [ExactText: Int]?

    func place(_ title: String) -> Int? {
      if let places { return places[ExactText(title)] }
      guard let number = Int(title), number >= 1, number <= count, "\(number)" == title else { return nil }
      return number - 1
    }
  }

  private let path: String
  private let form: Form
  private let outputs: [String: MLFeatureDescription]

  /// - Parameters:
  ///   - key: The member that identifies the row (`BatchSink.Batch.key`).
  ///   - outputs: The model's outputs.
  ///   - kept: Members that are not outputs.
  init(_ path: String, key: String, _ outputs: [String: MLFeatureDescription], without kept: [String] = []) throws {
    (self.path, self.outputs) = (path, outputs)
    switch URL(filePath: path).pathExtension.lowercased() {
    case "jsonl", "ndjson": form = .rows(try Self.lines(path, key, kept))
    case "npz": form = .arrays(try Self.arrays(path, key))
    default:
      try Self.requireFolder(path)
      form = .folder(try ResultKinds(outputs, path))
    }
  }

  private static func requireFolder(_ path: String) throws {
    var status = stat()
    let isThere = stat(path, &status) == 0
    guard !isThere || status.st_mode & S_IFMT != S_IFDIR else { return }
    guard isThere || !URL(filePath: path).pathExtension.isEmpty else {
      throw Failure(.io, "\(path): expected a folder of results, found no such folder")
    }
    throw Failure(.usage, "--compare \(path): expected results of a batch as .jsonl, .npz or a folder")
  }

  /// - Parameters:
  ///   - name: The name of the row's files in a folder.
  ///   - title: The row's title in files with many rows.
  func expected(_ name: String, _ title: MLFeatureValue, _ comparison: Comparison) throws -> [String: JSONValue] {
    switch form {
    case .folder(let kinds):
      return try comparison.expected(path, row: name, pictures: kinds.expected(path, row: name, outputs))
    case .rows(let rows):
      let text = Self.text(title)
      guard let row = rows[ExactText(text)] else {
        throw Failure(.data, "\(path): expected the row \(text), found none")
      }
      return row
    case .arrays(let arrays):
      let text = Self.text(title)
      guard let place = arrays.place(text) else {
        throw Failure(.data, "\(path): expected the row \(text), found none")
      }
      return arrays.byName.mapValues { OutputComparison.value($0.row(place)) }
    }
  }

  /// The expected values of a row that failed; nil if there are none.
  func expectedIfAny(
    _ name: String, _ title: MLFeatureValue, _ comparison: Comparison
  ) throws -> [String: JSONValue]? {
    switch form {
    case .folder(let kinds):
      guard kinds.all.contains(where: { access("\(path)/\(name).\($0)", F_OK) == 0 }) else { return nil }
    case .rows(let rows):
      guard rows[ExactText(Self.text(title))] != nil else { return nil }
    case .arrays(let arrays):
      guard arrays.place(Self.text(title)) != nil else { return nil }
    }
    return try expected(name, title, comparison)
  }

  /// The number of expected rows that are not in `titles`; nil for a folder, which is not listed.
  func count(without titles: some Sequence<MLFeatureValue>) -> Int? {
    let titles = Set(titles.map { ExactText(Self.text($0)) })
    switch form {
    case .folder: return nil
    case .rows(let rows): return rows.keys.count { !titles.contains($0) }
    case .arrays(let arrays):
      guard let places = arrays.places else { return max(arrays.count - titles.count, 0) }
      return places.keys.count { !titles.contains($0) }
    }
  }

  static func text(_ title: MLFeatureValue) -> String {
    title.type == .string ? title.stringValue : "\(title.int64Value)"
  }

  private static func lines(
    _ path: String, _ key: String, _ kept: [String]
  ) throws -> [ExactText: [String: JSONValue]] {
    var rows: [ExactText: [String: JSONValue]] = [:]
    let lines = try FileBytes.read(path).split(separator: 0x0A, omittingEmptySubsequences: false)
    var row = 0
    for (number, line) in lines.enumerated() where !line.isEmpty {
      row += 1
      let value: JSONValue
      do { value = try line.withUnsafeBytes { try JSONValue($0) } } catch let error as FeatureFileError {
        throw Failure(.data, "\(path), line \(number + 1): \(error.messageOfLine())")
      }
      guard case .object(var members) = value else {
        throw Failure(.data, "\(path), line \(number + 1): expected an object, output -> value")
      }
      let title: String? =
        switch members.removeValue(forKey: key) {
        case .string(let text): text
        case .some(let value): value.int64.map(String.init)
        case nil: "\(row)"
        }
      guard let title else {
        throw Failure(.data, "\(path), line \(number + 1): '\(key)' is neither a name nor a number")
      }
      for name in kept { members[name] = nil }
      guard rows.updateValue(members, forKey: ExactText(title)) == nil else {
        throw Failure(.data, "\(path), line \(number + 1): the row \(title) stands twice")
      }
    }
    return rows
  }

  private static func arrays(_ path: String, _ key: String) throws -> Arrays {
    var titles: [String]?
    var arrays: [String: NPYArray] = [:]
    let _: [String: Void] = try NPZ.read(path, texts: true) { name, elements in
      let array = try elements.array()
      if name == key {
        titles = elements.header.isText ? NPYText.texts(array) : array.int64s?.map(String.init)
        guard titles != nil else {
          throw Failure(.data, "\(path): '\(key)' identifies rows by values that are neither names nor integers")
        }
      } else if !elements.header.isText {
        arrays[name] = array
      }
    }
    var counts = arrays.mapValues(\.shape.first)
    if let titles { counts[key] = titles.count }
    let count = try RowCount.common(of: counts, path)
    // A header may claim any number of rows without elements; titles cannot.
    guard titles != nil || count == 0 || arrays.values.contains(where: { !$0.bytes.isEmpty }) else {
      throw Failure(.data, "\(path): expected rows that hold elements, found \(count) rows of none")
    }
    let places = titles.map { titles in
      Dictionary(titles.enumerated().map { (ExactText($1), $0) }, uniquingKeysWith: { first, _ in first })
    }
    guard places == nil || places?.count == titles?.count else {
      throw Failure(.data, "\(path): '\(key)' names a row twice")
    }
    return Arrays(byName: arrays, count: count, places: places)
  }
}
