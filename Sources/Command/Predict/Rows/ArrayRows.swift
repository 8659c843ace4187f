import CoreML
import FeatureFiles

/// An `.npz` file whose arrays have an additional leading axis for the rows.
struct ArrayRows: BatchRows {
  let count: Int
  let reader: FeatureReader
  /// Ordered by name.
  let arrays: [(name: String, array: NPYArray)]
  /// What the fingerprint of a row contains for each array before its elements.
  private let marks: [String]
  private let path: String

  init(_ path: String, _ reader: FeatureReader) throws {
    self.path = path
    self.reader = reader
    let found = try NPZ.read(path) { name, elements in
      _ = try reader.declared(name)
      return try elements.array()
    }
    let count = try RowCount.common(of: found.mapValues(\.shape.first), path)
    // A header may claim any number of rows without elements.
    guard count == 0 || found.values.contains(where: { !$0.bytes.isEmpty }) else {
      throw Failure(.data, "\(path): expected rows that hold elements, found \(count) rows of none")
    }
    self.count = count
    arrays = found.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    marks = arrays.map { "\($0.name) \($0.array.element.rawValue) \($0.array.shape.dropFirst())" }
  }

  func features(_ index: Int) throws -> [String: MLFeatureValue] {
    let row = Dictionary(uniqueKeysWithValues: arrays.map { ($0.name, $0.array.row(index)) })
    return try reader.features(row, "\(path), row \(index + 1)")
  }

  func append(_ index: Int, to fingerprint: inout Fingerprint) {
    for (mark, (_, array)) in zip(marks, arrays) {
      fingerprint.append(mark)
      array.bytes.withUnsafeBytes {
        fingerprint.append(UnsafeRawBufferPointer(rebasing: $0[array.bytes(ofRow: index)]))
      }
    }
  }
}

extension NPYArray {
  /// The slice at an index of the first axis.
  func row(_ index: Int) -> NPYArray {
    NPYArray(element, shape: Array(shape.dropFirst()), bytes: Array(bytes[bytes(ofRow: index)]))
  }

  /// The byte range of the slice at an index of the first axis.
  func bytes(ofRow index: Int) -> Range<Int> {
    let size = shape.dropFirst().reduce(element.size, *)
    return (index * size)..<(index * size + size)
  }
}
