import BatchFiles
import CoreML
import FeatureFiles
import Foundation

/// A `.csv` file (RFC 4180), or a `.tsv` with tabs between the cells. The first line has feature names, each further
/// line a row. Cells are text for strings, paths for images and JSON for everything else. An empty cell omits an
/// optional feature. For other features it is an error, except for strings, which may be empty.
struct TableRows: BatchRows {
  /// The feature of each column; nil for a column that is not read.
  let names: [String?]
  /// Columns whose text results repeat.
  private let kept: [(title: String, place: Int)]
  /// The first record has the titles.
  let text: RecordText
  let separator: UInt8
  /// Where the pictures are that cells name.
  private let images: ImageSource
  let reader: FeatureReader
  private let latest = Latest<[String]>()

  private var path: String { text.path }

  /// - Parameters:
  ///   - columns: The columns to read, with their features; nil for all columns, named as features.
  ///   - keeping: Titles of columns that results repeat. Without `columns` they need not be features.
  init(_ path: String, _ reader: FeatureReader, columns: [Column]? = nil, keeping: [String] = []) throws {
    self.reader = reader
    images = .beside(path)
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

  /// The texts of a row's cells. The last row is cached, as it is requested several times in succession.
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

  var heading: String? {
    var fingerprint = Fingerprint()
    fingerprint.append(CollectionOfOne(0), of: text)
    return fingerprint.text
  }

  func append(_ index: Int, to fingerprint: inout Fingerprint) {
    fingerprint.append(CollectionOfOne(index + 1), of: text)
    for picture in pictures(index) { fingerprint.append(fileAt: picture) }
  }

  func append(_ rows: Slice<RowPlaces>, to fingerprint: inout Fingerprint) {
    // Rows that name files are added one by one.
    guard !areFiles else { return rows.forEach { append($0, to: &fingerprint) } }
    fingerprint.append(rows.lazy.map { $0 + 1 }, of: text)
  }

  func pictures(_ index: Int) -> [String] {
    guard reader.takesImages, let cells = try? cells(index) else { return [] }
    return zip(names, cells).compactMap { name, cell in
      guard let name, reader.isImage(name) else { return nil }
      return try? images.path(of: cell, for: name)
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
        features[name] = try reader.value(cell, of: feature, images: images)
      } catch {
        let failure = Failure(error)
        throw Failure(failure.status, "\(place): \(failure.sentence)")
      }
    }
    return features
  }
}
