import BatchFiles
import CoreML
import FeatureFiles
import Foundation

/// A `.csv` file (RFC 4180), or a `.tsv`, whose cells have tabs between: names of features in the first line, a row a line after it. Cells are
/// text for strings, paths for images and JSON for all else; an empty cell leaves an optional feature out and is an error for another, but for
/// text, which may be empty.
struct TableRows: BatchRows {
  /// The feature of each column; nil for one that is passed over.
  let names: [String?]
  /// Columns whose text results repeat.
  private let kept: [(title: String, place: Int)]
  /// The first record has the titles.
  let text: RecordText
  let separator: UInt8
  private let folder: String
  let reader: FeatureReader
  private let latest = Latest<[String]>()

  private var path: String { text.path }

  /// - Parameters:
  ///   - columns: those that are read, and the features that they are of; nil for all, which are called as features are.
  ///   - keeping: titles of columns that results repeat; without `columns` they need not be called as features are.
  init(_ path: String, _ reader: FeatureReader, columns: [Column]? = nil, keeping: [String] = []) throws {
    self.reader = reader
    folder = URL(filePath: path).deletingLastPathComponent().path
    separator = URL(filePath: path).pathExtension.lowercased() == "tsv" ? 0x09 : 0x2C
    text = try RecordText(FileSource(path), path, .table(separator: separator))
    guard text.count > 0 else { throw Failure(.data, "\(path): expected names of features in the first line") }
    let titles = try Self.cells(of: 0, text, separator)
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

  var count: Int { text.count - 1 }
  var areFiles: Bool { reader.takesImages }

  /// The texts of a row's cells. One row is kept: it is asked for several times in a row.
  private func cells(_ index: Int) throws -> [String] {
    try latest.value(of: index) { try Self.cells(of: index + 1, text, separator) }
  }

  private static func cells(of record: Int, _ text: RecordText, _ separator: UInt8) throws -> [String] {
    let stretch = try text.stretch(record)
    return try stretch.bytes.withUnsafeBytes { bytes in
      try TableCells.texts(UnsafeRawBufferPointer(rebasing: bytes[stretch.record(record)]), separator) {
        Failure(.data, "\(text.path), the record of line \(stretch.line(record)): the text is not UTF-8")
      }
    }
  }

  func kept(_ index: Int) -> [FeatureJSONWriter.Member] {
    guard !kept.isEmpty, let cells = try? cells(index) else { return [] }
    return kept.map { ($0.title, MLFeatureValue(string: $0.place < cells.count ? cells[$0.place] : "")) }
  }

  func append(_ index: Int, to fingerprint: inout Fingerprint) {
    fingerprint.append(CollectionOfOne(index + 1), of: text)
    for picture in pictures(index) { fingerprint.append(fileAt: picture) }
  }

  func append(_ rows: Slice<RowPlaces>, to fingerprint: inout Fingerprint) {
    // Rows that name files go one by one.
    guard !areFiles else { return rows.forEach { append($0, to: &fingerprint) } }
    fingerprint.append(rows.lazy.map { $0 + 1 }, of: text)
  }

  func pictures(_ index: Int) -> [String] {
    guard reader.takesImages, let cells = try? cells(index) else { return [] }
    return zip(names, cells).compactMap { name, cell in
      guard let name, reader.isImage(name) else { return nil }
      return cell.hasPrefix("/") ? cell : "\(folder)/\(cell)"
    }
  }

  func features(_ index: Int) throws -> [String: MLFeatureValue] {
    let cells = try cells(index)
    let place = "\(path), row \(index + 1) (line \(try text.stretch(index + 1).line(index + 1)))"
    guard cells.count == names.count else {
      throw Failure(.data, "\(place): expected \(names.count) cells, found \(cells.count)")
    }
    var features: [String: MLFeatureValue] = [:]
    for case (let name?, let cell) in zip(names, cells) {
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
}
