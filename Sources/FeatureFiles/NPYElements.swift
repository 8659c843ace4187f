/// An array that has not been read from its file yet: its header, and its elements, which can be read at most once.
///
/// The caller supplies the memory for the elements, which avoids a second copy. If it refuses the array by its header,
/// no elements are read.
public struct NPYElements {
  public let header: NPYHeader
  /// The file and the array, for errors.
  let what: String
  /// Reads up to the given number of bytes to an address. Returns the number of bytes read.
  let next: (UnsafeMutableRawPointer, Int) throws -> Int

  /// Reads the header. `next` reads the next bytes of the file to an address, and returns the number of bytes read.
  /// `size` is the total number of bytes if known, which must suffice for the header's shape.
  init(_ what: String, size: Int?, texts: Bool = false, next: @escaping (UnsafeMutableRawPointer, Int) throws -> Int)
    throws
  {
    var head = 0
    header = try NPYHeader(what, texts: texts) { count in
      let part = try [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
        if let base = buffer.baseAddress { filled = try next(base, count) }
      }
      head += part.count
      return part
    }
    if let size, size &- head < header.byteCount { throw header.short(what, size &- head) }
    self.what = what
    self.next = next
  }

  /// Whether the elements have the native order and byte order, which `copy(to:)` requires.
  var areNative: Bool { header.isNative }

  /// Reads native elements into memory of the header's `byteCount` bytes.
  func copy(to target: UnsafeMutableRawBufferPointer) throws {
    precondition(areNative && target.count == header.byteCount, "memory for the elements of '\(what)'")
    guard let base = target.baseAddress, !target.isEmpty else { return }
    let count = try next(base, target.count)
    guard count == target.count else { throw header.short(what, count) }
  }

  /// The elements as an array. Memory pages are not touched before bytes arrive.
  public func array() throws -> NPYArray {
    let content = try Array<UInt8>(unsafeUninitializedCapacity: header.byteCount) { buffer, filled in
      if let base = buffer.baseAddress { filled = try next(base, header.byteCount) }
    }
    guard content.count == header.byteCount else { throw header.short(what, content.count) }
    return NPYArray(header, content: content)
  }
}

extension NPYHeader {
  var isNative: Bool { (!isBigEndian || element.size == 1) && (!isFortran || shape.count < 2) }

  func short(_ what: String, _ size: Int) -> FeatureFileError {
    FeatureFileError(.invalid, "\(what): \(size) bytes are there, the shape \(shape) needs \(byteCount)")
  }
}
