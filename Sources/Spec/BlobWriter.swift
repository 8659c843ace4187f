/// Writes a weight file, entry by entry; each is on disk when `append` returns, and the file has its name after `finish`.
///
/// Equal entries are written as often as they are appended.
public final class BlobWriter {
  private let file: FileWriter
  private var position = BlobFile.alignment
  private var count: UInt32 = 0

  /// Begins the file that will stand at `path`.
  public init(path: String) throws {
    file = try FileWriter(path: path)
    try file.append([UInt8](repeating: 0, count: BlobFile.alignment))
  }

  /// Appends an entry and returns the offset of its metadata: what a program's `BlobFileValue` says.
  ///
  /// `paddingBits` (0...7) is how many bits at the end of the data belong to no element, where elements are smaller than a byte.
  public func append(_ type: BlobDataType, _ data: UnsafeRawBufferPointer, paddingBits: Int = 0) throws -> UInt64 {
    let whole =
      type.bits >= 8
      ? paddingBits == 0 && data.count % (type.bits / 8) == 0
      : (0..<8).contains(paddingBits) && (data.count > 0 || paddingBits == 0)
        && (data.count % type.bits * 8 - paddingBits) % type.bits == 0
    guard whole else {
      throw SpecError(
        .malformedBlob,
        "\(data.count) bytes with \(paddingBits) unused bits are no whole number of \(type) elements", file: file.path)
    }
    let metadata = position
    let start = metadata + BlobFile.alignment
    var header: [UInt8] = []
    func put(_ value: some FixedWidthInteger) {
      withUnsafeBytes(of: value.littleEndian) { header.append(contentsOf: $0) }
    }
    put(BlobFile.sentinel)
    put(type.rawValue)
    put(UInt64(data.count))
    put(UInt64(start))
    put(UInt64(paddingBits))
    header += [UInt8](repeating: 0, count: BlobFile.alignment - header.count)
    try file.append(header)
    try file.append(data)
    let end = start + data.count
    position = (end + BlobFile.alignment - 1) / BlobFile.alignment * BlobFile.alignment
    try file.append([UInt8](repeating: 0, count: position - end))
    count += 1
    return UInt64(metadata)
  }

  public func append(_ type: BlobDataType, _ data: Bytes, paddingBits: Int = 0) throws -> UInt64 {
    try data.withUnsafeBytes { try append(type, $0, paddingBits: paddingBits) }
  }

  /// Appends an entry of another file.
  public func append(_ entry: BlobFile.Entry) throws -> UInt64 {
    try append(entry.dataType, entry.data, paddingBits: entry.paddingBits)
  }

  /// Completes the file and gives it its name.
  public func finish() throws {
    try complete()
    try file.commit()
  }

  /// The same of a file in a folder whose names are made durable together later. `body` gets the complete file before it is durable: its
  /// descriptor, which only writes, and the name that it has until then.
  package func finish(_ body: (Int32, String) throws -> Void) throws {
    try complete()
    try file.withDescriptor { try body($0, file.partial) }
    try file.commit(namingDurably: false)
  }

  private func complete() throws {
    var header: [UInt8] = []
    for value in [count, BlobFile.version] {
      withUnsafeBytes(of: value.littleEndian) { header.append(contentsOf: $0) }
    }
    try header.withUnsafeBytes { try file.overwrite($0, at: 0) }
  }
}
