import Foundation

/// An array as `.npy` files hold it: dense elements of one type, row-major here whatever the file's order.
public struct NPYArray: Sendable {
  /// Element types, by numpy's letter and size.
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

  // MARK: read

  /// Reads `.npy` versions 1 to 3; sizes are checked against the bytes that are there.
  public init(npy data: [UInt8], _ what: String) throws {
    func bad(_ sentence: String) -> FeatureFileError { FeatureFileError(.invalid, "\(what): \(sentence)") }
    guard data.count >= 10, Array(data[0..<6]) == [0x93] + Array("NUMPY".utf8) else { throw bad("not an .npy array") }
    let isOld = data[6] == 1
    guard isOld || data[6] == 2 || data[6] == 3 else { throw bad("an .npy array of version \(data[6])") }
    guard isOld || data.count >= 12 else { throw bad("the header is cut short") }
    let length =
      isOld
      ? Int(data[8]) | Int(data[9]) << 8 : (0..<4).reduce(0) { $0 | Int(data[8 + $1]) << (8 * $1) }
    let start = isOld ? 10 : 12
    guard length <= data.count - start else { throw bad("the header is cut short") }
    let header = try NPYHeader(String(decoding: data[start..<start + length], as: UTF8.self), what)
    guard let element = Element(rawValue: header.type) else {
      throw bad("elements of type '\(header.type)' are not supported")
    }
    var count = 1
    for size in header.shape {
      let (product, overflow) = count.multipliedReportingOverflow(by: size)
      guard !overflow else { throw bad("the shape \(header.shape) is too large") }
      count = product
    }
    let (need, overflow) = count.multipliedReportingOverflow(by: element.size)
    guard !overflow, data.count - start - length >= need else {
      throw bad("\(data.count - start - length) bytes are there, the shape \(header.shape) needs more")
    }
    var content = Array(data[(start + length)..<(start + length + need)])
    if header.isBigEndian, element.size > 1 {
      for first in stride(from: 0, to: need, by: element.size) { content[first..<first + element.size].reverse() }
    }
    if header.isFortran, header.shape.count > 1 { content = Self.rowMajor(content, header.shape, element.size) }
    self.init(element, shape: header.shape, bytes: content)
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

  // MARK: write

  /// The array as an `.npy` file, version 1.
  public var npy: [UInt8] {
    let order = element.size == 1 ? "|" : "<"
    let sizes = shape.count == 1 ? "\(shape[0])," : shape.map(String.init).joined(separator: ", ")
    var header = "{'descr': '\(order)\(element.rawValue)', 'fortran_order': False, 'shape': (\(sizes)), }"
    header += String(repeating: " ", count: (64 - (header.utf8.count + 11) % 64) % 64) + "\n"
    let length = header.utf8.count
    return [0x93] + Array("NUMPY".utf8) + [1, 0, UInt8(length & 255), UInt8(length >> 8)] + Array(header.utf8) + bytes
  }
}

/// The dictionary at the head of an `.npy` file.
struct NPYHeader {
  let type: String
  let isBigEndian: Bool
  let isFortran: Bool
  let shape: [Int]

  init(_ text: String, _ what: String) throws {
    func bad(_ sentence: String) -> FeatureFileError { FeatureFileError(.invalid, "\(what): \(sentence)") }
    guard let descr = Self.value("descr", text), descr.count >= 2 else { throw bad("the header names no type") }
    let word = descr.trimmingCharacters(in: CharacterSet(charactersIn: "'\""))
    isBigEndian = word.hasPrefix(">")
    type = String(word.drop { "<>|=".contains($0) })
    isFortran = Self.value("fortran_order", text) == "True"
    guard let sizes = Self.value("shape", text), sizes.hasPrefix("(") else { throw bad("the header names no shape") }
    shape = try sizes.dropFirst().dropLast().split(separator: ",").compactMap { part -> Int? in
      let digits = part.trimmingCharacters(in: .whitespaces)
      if digits.isEmpty { return nil }
      guard let size = Int(digits), size >= 0 else { throw bad("'\(digits)' is no size") }
      return size
    }
    guard shape.count <= 32 else { throw bad("the array has rank \(shape.count)") }
  }

  /// The text after `'key':` up to the comma that ends it.
  private static func value(_ key: String, _ text: String) -> String? {
    guard let range = text.range(of: "'\(key)':") ?? text.range(of: "\"\(key)\":") else { return nil }
    var depth = 0
    var result = ""
    for character in text[range.upperBound...] {
      if character == "(" { depth += 1 }
      if character == ")" { depth -= 1 }
      if depth <= 0, character == "," || character == "}" { break }
      result.append(character)
    }
    return result.trimmingCharacters(in: .whitespacesAndNewlines)
  }
}
