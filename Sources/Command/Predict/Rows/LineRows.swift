import BatchFiles
import CoreML
import FeatureFiles
import Foundation

/// A `.jsonl` file: one object per line.
struct LineRows: BatchRows {
  let text: RecordText
  /// Where the pictures are that lines name.
  private let images: ImageSource
  let reader: FeatureReader

  init(_ path: String, _ reader: FeatureReader) throws {
    text = try RecordText(FileSource(path), path, .lines)
    images = .beside(path)
    self.reader = reader
  }

  /// - Parameter path: The name of the source in error messages.
  init(_ data: Data, _ path: String, images: ImageSource, _ reader: FeatureReader) throws {
    text = try RecordText(DataSource(data), path, .lines)
    (self.images, self.reader) = (images, reader)
  }

  var count: Int { text.count }
  var areFiles: Bool { reader.takesImages }

  func append(_ index: Int, to fingerprint: inout Fingerprint) {
    fingerprint.append(CollectionOfOne(index), of: text)
    for picture in pictures(index) { fingerprint.append(fileAt: picture) }
  }

  func append(_ rows: Slice<RowPlaces>, to fingerprint: inout Fingerprint) {
    // Rows that name files are added one by one.
    guard !areFiles else { return rows.forEach { append($0, to: &fingerprint) } }
    fingerprint.append(rows.lazy, of: text)
  }

  func pictures(_ index: Int) -> [String] {
    guard reader.takesImages, let json = try? json(index) else { return [] }
    return reader.pictures(in: json, images: images)
  }

  private func json(_ index: Int) throws -> JSONValue {
    let stretch = try text.stretch(index)
    return try stretch.bytes.withUnsafeBytes {
      try JSONValue(UnsafeRawBufferPointer(rebasing: $0[stretch.record(index)]))
    }
  }

  func features(_ index: Int) throws -> [String: MLFeatureValue] {
    let place = "\(text.path), row \(index + 1) (line \(try text.stretch(index).line(index)))"
    let json: JSONValue
    do {
      json = try self.json(index)
    } catch let error as FeatureFileError {
      throw Failure(.data, "\(place): \(error.messageOfLine())")
    }
    guard case .object(let members) = json else {
      throw Failure(.data, "\(place): expected an object, feature -> value")
    }
    return try reader.features(members, place, images: images)
  }
}
