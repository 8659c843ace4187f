/// An array that still lies in its file: what its header says, and its elements, to be taken once or left.
///
/// Whoever wants the elements says where they go, so that no second copy of them is made, and whoever refuses the array by its header
/// has read none of them.
public struct NPYElements {
  public let header: NPYHeader
  /// The file and the array, for errors.
  let what: String
  /// Puts the next bytes at an address, as many as asked for or as there are; gives how many.
  let next: (UnsafeMutableRawPointer, Int) throws -> Int

  /// Reads the header. `next` puts the next bytes of the file at an address and gives how many there were; `size`, where it is known, are
  /// the bytes of the whole, which must do for what the header says.
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

  /// The elements in their order and byte order here: `copy(to:)` can be used.
  var areNative: Bool { header.isNative }

  /// Puts native elements in memory of the header's `byteCount` bytes.
  func copy(to target: UnsafeMutableRawBufferPointer) throws {
    precondition(areNative && target.count == header.byteCount, "memory for the elements of '\(what)'")
    guard let base = target.baseAddress, !target.isEmpty else { return }
    let count = try next(base, target.count)
    guard count == target.count else { throw header.short(what, count) }
  }

  /// The elements as an array. The memory is the system's promise until bytes come.
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
