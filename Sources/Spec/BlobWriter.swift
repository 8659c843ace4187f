import CoreMLBase

/// Writes a weight file entry by entry. An entry has been written when `append` returns. The file gets its final name
/// in `finish`.
///
/// Equal entries are not deduplicated.
package final class BlobWriter {
  private let file: FileWriter
  private var layout = BlobLayout()

  /// Starts a file, which will be at `path`.
  package init(path: String) throws {
    file = try FileWriter(path: path)
    try file.append(layout.head)
  }

  /// Appends an entry and returns the offset of its metadata, for a program's `BlobFileValue`.
  ///
  /// `paddingBits` (0...7) is the number of unused bits at the end of the data, if elements are smaller than a byte.
  package func append(_ type: BlobDataType, _ data: UnsafeRawBufferPointer, paddingBits: Int = 0) throws -> UInt64 {
    let place = try layout.place(type, byteCount: data.count, paddingBits: paddingBits, file: file.path)
    try file.append(place.metadata)
    try file.append(data)
    try file.append(place.filler)
    return place.offset
  }

  package func append(_ type: BlobDataType, _ data: Bytes, paddingBits: Int = 0) throws -> UInt64 {
    try data.withUnsafeBytes { try append(type, $0, paddingBits: paddingBits) }
  }

  /// Appends an entry of another file.
  package func append(_ entry: BlobFile.Entry) throws -> UInt64 {
    try append(entry.dataType, entry.data, paddingBits: entry.paddingBits)
  }

  /// Completes the file and renames it to its final name.
  package func finish() throws {
    try layout.head.withUnsafeBytes { try file.overwrite($0, at: 0) }
    try file.commit()
  }
}
