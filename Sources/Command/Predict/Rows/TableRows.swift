import CoreML
import FeatureFiles
import Foundation
import MIL

/// A `.csv` file (RFC 4180), or a `.tsv`, whose cells have tabs between: names of features in the first line, a row a line after it. Cells are text for strings, paths for images and
/// JSON for all else; an empty cell leaves an optional feature out and is an error for another, but for text, which may be empty.
struct TableRows: BatchRows {
  private struct Record {
    var cells: [String] = []
    /// The line of the file that it begins in.
    var line = 1
  }

  /// The feature of each column; nil for one that is passed over.
  private let names: [String?]
  /// Columns whose text results repeat.
  private let kept: [(title: String, place: Int)]
  private let records: [Record]
  private let path: String
  private let folder: String
  private let reader: FeatureReader

  /// - Parameters:
  ///   - columns: those that are read, and the features that they are of; nil for all, which are called as features are.
  ///   - keeping: titles of columns that results repeat; without `columns` they need not be called as features are.
  init(_ path: String, _ reader: FeatureReader, columns: [Column]? = nil, keeping: [String] = []) throws {
    self.path = path
    self.reader = reader
    folder = URL(filePath: path).deletingLastPathComponent().path
    let data = try FileBytes.read(path)
    let isTabbed = URL(filePath: path).pathExtension.lowercased() == "tsv"
    var records = try Self.records(data, path, separator: isTabbed ? 0x09 : 0x2C)
    guard !records.isEmpty else { throw Failure(.data, "\(path): expected names of features in the first line") }
    let titles = records.removeFirst().cells
    self.records = records
    guard Set(titles).count == titles.count else { throw Failure(.data, "\(path): a column stands twice") }
    func missing(_ title: String) -> Failure {
      Failure(.data, "\(path): expected a column '\(title)', found \(titles.map { "'\($0)'" }.joined(separator: ", "))")
    }
    let places = Dictionary(uniqueKeysWithValues: titles.enumerated().map { ($1, $0) })
    kept = try keeping.map { title in
      guard let place = places[title] else { throw missing(title) }
      return (title, place)
    }
    if let columns {
      for column in columns where places[column.title] == nil { throw missing(column.title) }
      let features = Dictionary(columns.map { ($0.title, $0.feature) }, uniquingKeysWith: { first, _ in first })
      names = titles.map { features[$0] }
      for column in columns { _ = try reader.declared(column.feature) }
    } else {
      names = titles.map { title in keeping.contains(title) && (try? reader.declared(title)) == nil ? nil : title }
      for title in names.compactMap({ $0 }) {
        do { _ = try reader.declared(title) } catch {
          throw Failure(
            .data,
            "\(path): \(Failure(error).sentence); --columns says which columns are to be read, --keep-columns which results repeat"
          )
        }
      }
    }
  }

  var count: Int { records.count }

  func kept(_ index: Int) -> [FeatureJSONWriter.Member] {
    let cells = records[index].cells
    return kept.map { ($0.title, MLFeatureValue(string: $0.place < cells.count ? cells[$0.place] : "")) }
  }

  func fingerprint(_ index: Int) -> String {
    var fingerprint = Fingerprint()
    for member in kept(index) { fingerprint.append(member.value.stringValue) }
    let cells = records[index].cells
    // A row of too few or too many cells fails.
    if cells.count != names.count { fingerprint.append("\(cells.count) cells") }
    for case (let name?, let cell) in zip(names, cells) {
      fingerprint.append(name)
      fingerprint.append(cell)
      if (try? reader.declared(name))?.type == .image {
        fingerprint.append(fileAt: cell.hasPrefix("/") ? cell : "\(folder)/\(cell)")
      }
    }
    return fingerprint.text
  }

  func features(_ index: Int) throws -> [String: MLFeatureValue] {
    let record = records[index]
    let place = "\(path), row \(index + 1) (line \(record.line))"
    guard record.cells.count == names.count else {
      throw Failure(.data, "\(place): expected \(names.count) cells, found \(record.cells.count)")
    }
    var features: [String: MLFeatureValue] = [:]
    for case (let name?, let cell) in zip(names, record.cells) {
      let feature = try reader.declared(name)
      if cell.isEmpty && feature.mayBeLeftOut { continue }
      guard !cell.isEmpty || feature.type == .string else {
        throw Failure(.data, "\(place): '\(name)' is empty, and the model needs a value of it")
      }
      do {
        features[name] = try reader.value(cell, of: feature, folder: folder)
      } catch {
        let failure = Failure(error)
        throw Failure(failure.status, "\(place): \(failure.sentence)")
      }
    }
    return features
  }

  private static func records(_ data: Data, _ path: String, separator: UInt8) throws -> [Record] {
    var bytes = [UInt8](data)[...]
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { bytes = bytes.dropFirst(3) }
    var records: [Record] = []
    var record = Record()
    var line = 1
    var cell: [UInt8] = []
    var isQuoted = false
    var wasQuoted = false
    func text(_ cell: [UInt8]) throws -> String {
      guard let text = String(validating: cell, as: UTF8.self) else {
        throw Failure(.data, "\(path), the record of line \(record.line): the text is not UTF-8")
      }
      return text
    }
    var index = bytes.startIndex
    var point = CancellationPoint()
    while index < bytes.endIndex {
      try point.pass()
      let byte = bytes[index]
      index += 1
      if byte == 0x0A { line += 1 }
      if isQuoted {
        if byte != 0x22 {
          cell.append(byte)
        } else if index < bytes.endIndex, bytes[index] == 0x22 {
          cell.append(byte)
          index += 1
        } else {
          isQuoted = false
        }
        continue
      }
      switch byte {
      case 0x22 where cell.isEmpty && !wasQuoted: (isQuoted, wasQuoted) = (true, true)
      case separator:
        record.cells.append(try text(cell))
        (cell, wasQuoted) = ([], false)
      case 0x0D where index == bytes.endIndex || bytes[index] == 0x0A: continue
      case 0x0A:
        record.cells.append(try text(cell))
        if record.cells != [""] || wasQuoted { records.append(record) }
        (record, cell, wasQuoted) = (Record(line: line), [], false)
      default: cell.append(byte)
      }
    }
    guard !isQuoted else {
      throw Failure(.data, "\(path), the record of line \(record.line): a quoted cell does not end")
    }
    if !cell.isEmpty || !record.cells.isEmpty || wasQuoted {
      record.cells.append(try text(cell))
      records.append(record)
    }
    return records
  }
}
