import Foundation

/// An array from an `.npy` file: dense elements of one type. They are row-major here, whatever the order in the file.
public struct NPYArray: Sendable {
  /// Element types, by NumPy's letter and size.
  public enum Element: String, Sendable, CaseIterable {
    case float16 = "f2"
    case float32 = "f4"
    case float64 = "f8"
    case int8 = "i1"
    case int16 = "i2"
    case int32 = "i4"
    case int64 = "i8"
    case uint8 = "u1"
    case uint16 = "u2"
    case uint32 = "u4"
    case uint64 = "u8"
    case bool = "b1"

    public var size: Int { Int(String(rawValue.dropFirst())) ?? 1 }
  }

  public let element: Element
  public let shape: [Int]
  /// Little-endian elements in row-major order.
  public let bytes: [UInt8]

  public init(_ element: Element, shape: [Int], bytes: [UInt8]) {
    self.element = element
    self.shape = shape
    self.bytes = bytes
  }

  public var count: Int { shape.reduce(1, *) }

  // MARK: reading

  /// Reads `.npy` versions 1 to 3. Sizes are checked against the available bytes.
  init(npy data: [UInt8], _ what: String) throws {
    var place = 0
    self = try NPYElements(what, size: data.count) { target, count in
      let part = data[place..<min(place + count, data.count)]
      place = part.endIndex
      part.withUnsafeBytes { UnsafeMutableRawBufferPointer(start: target, count: count).copyMemory(from: $0) }
      return part.count
    }.array()
  }

  /// Converts elements from the order and byte order in the header. `content` must have the header's `byteCount` bytes.
  init(_ header: NPYHeader, content: consuming [UInt8]) {
    let size = header.element.size
    if header.isBigEndian, size > 1 {
      for first in stride(from: 0, to: content.count, by: size) { content[first..<first + size].reverse() }
    }
    if header.isFortran, header.shape.count > 1 { content = Self.rowMajor(content, header.shape, size) }
    self.init(header.element, shape: header.shape, bytes: content)
  }

  private static func rowMajor(_ source: [UInt8], _ shape: [Int], _ size: Int) -> [UInt8] {
    var target = [UInt8](repeating: 0, count: source.count)
    var index = [Int](repeating: 0, count: shape.count)
    for place in 0..<(size == 0 ? 0 : source.count / size) {
      var offset = 0
      var step = 1
      for axis in shape.indices {
        offset += index[axis] * step
        step *= shape[axis]
      }
      for byte in 0..<size { target[place * size + byte] = source[offset * size + byte] }
      for axis in shape.indices.reversed() {
        index[axis] += 1
        if index[axis] < shape[axis] { break }
        index[axis] = 0
      }
    }
    return target
  }

  // MARK: writing

  /// The array as an `.npy` file, version 1.
  public var npy: [UInt8] {
    let order = element.size == 1 ? "|" : "<"
    return Self.head("\(order)\(element.rawValue)", shape) + bytes
  }

  /// The header for elements of a NumPy type in row-major order.
  static func head(_ type: String, _ shape: [Int]) -> [UInt8] {
    let sizes = shape.count == 1 ? "\(shape[0])," : shape.map(String.init).joined(separator: ", ")
    var header = "{'descr': '\(type)', 'fortran_order': False, 'shape': (\(sizes)), }"
    header += String(repeating: " ", count: (64 - (header.utf8.count + 11) % 64) % 64) + "\n"
    let length = header.utf8.count
    return [0x93] + Array("NUMPY".utf8) + [1, 0, UInt8(length & 255), UInt8(length >> 8)] + Array(header.utf8)
  }
}
