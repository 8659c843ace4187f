import CoreML
import Foundation

/// A `.csv` file (RFC 4180): names of features in the first line, a row a line after it. Cells are text for strings, paths for images and
/// JSON for all else; an empty cell leaves an optional feature out.
struct TableRows: BatchRows {
  private let names: [String]
  private let records: [[String]]
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
    var records = try Self.records(data, path)
    guard !records.isEmpty else { throw Failure(.data, "\(path): expected names of features in the first line") }
    names = records.removeFirst()
    self.records = records
    for name in names { _ = try reader.declared(name) }
    guard Set(names).count == names.count else { throw Failure(.data, "\(path): a column stands twice") }
  }

  var count: Int { records.count }

  func features(_ index: Int) throws -> [String: MLFeatureValue] {
    let place = "\(path), row \(index + 1)"
    let record = records[index]
    guard record.count == names.count else {
      throw Failure(.data, "\(place): expected \(names.count) cells, found \(record.count)")
    }
    var features: [String: MLFeatureValue] = [:]
    for (name, cell) in zip(names, record) {
      let feature = try reader.declared(name)
      if cell.isEmpty && feature.isOptional { continue }
      do {
        features[name] = try reader.value(cell, of: feature, folder: folder)
      } catch {
        let failure = Failure(error)
        throw Failure(failure.status, "\(place): \(failure.sentence)")
      }
    }
    return features
  }

  private static func records(_ data: Data, _ path: String) throws -> [[String]] {
    var bytes = [UInt8](data)[...]
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { bytes = bytes.dropFirst(3) }
    var records: [[String]] = []
    var record: [String] = []
    var cell: [UInt8] = []
    var isQuoted = false
    var wasQuoted = false
    func text(_ cell: [UInt8]) throws -> String {
      guard let text = String(validating: cell, as: UTF8.self) else {
        throw Failure(.data, "\(path), record \(records.count + 1): the text is not UTF-8")
      }
      return text
    }
    var index = bytes.startIndex
    while index < bytes.endIndex {
      let byte = bytes[index]
      index += 1
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
      case 0x2C:
        record.append(try text(cell))
        (cell, wasQuoted) = ([], false)
      case 0x0D where index < bytes.endIndex && bytes[index] == 0x0A: continue
      case 0x0A:
        record.append(try text(cell))
        if record != [""] || wasQuoted { records.append(record) }
        (record, cell, wasQuoted) = ([], [], false)
      default: cell.append(byte)
      }
    }
    guard !isQuoted else { throw Failure(.data, "\(path), record \(records.count + 1): a quoted cell does not end") }
    if !cell.isEmpty || !record.isEmpty || wasQuoted {
      record.append(try text(cell))
      records.append(record)
    }
    return records
  }
}
