import Foundation

/// The header of an `.npy` file. It allows a caller to refuse an array before its elements are read.
public struct NPYHeader: Sendable {
  public let element: NPYArray.Element
  public let shape: [Int]
  /// The number of elements: the product of `shape`, which does not overflow.
  public let count: Int
  /// The total size of the elements in bytes.
  public let byteCount: Int
  let isBigEndian: Bool
  /// Whether the first axis varies fastest.
  let isFortran: Bool
  /// NumPy's `U`: the elements are characters, and the last axis has the characters of one string.
  public let isText: Bool

  /// Longer headers are refused. Those that NumPy writes have a few hundred bytes.
  private static let longest = 1 << 16

  /// Reads the header of an `.npy` file, versions 1 to 3. `next` returns the requested number of bytes, or fewer at the
  /// end of the file. Arrays of strings are refused unless `texts`.
  init(_ what: String, texts: Bool = false, reading next: (Int) throws -> [UInt8]) throws {
    func bad(_ sentence: String) -> FeatureFileError { FeatureFileError(.invalid, "\(what): \(sentence)") }
    let start = try next(8)
    guard start.count == 8, start.starts(with: [0x93] + Array("NUMPY".utf8)) else { throw bad("not an .npy array") }
    guard (1...3).contains(start[6]) else { throw bad("an .npy array of version \(start[6])") }
    let sizeBytes = start[6] == 1 ? 2 : 4
    let digits = try next(sizeBytes)
    let length = digits.reversed().reduce(0) { $0 << 8 | Int($1) }
    guard digits.count == sizeBytes else { throw bad("the header is cut short") }
    guard length <= Self.longest else { throw bad("the header has \(length) bytes, expected at most \(Self.longest)") }
    let text = try next(length)
    guard text.count == length else { throw bad("the header is cut short") }
    try self.init(String(decoding: text, as: UTF8.self), what, texts: texts)
  }

  private init(_ text: String, _ what: String, texts: Bool) throws {
    func bad(_ sentence: String) -> FeatureFileError { FeatureFileError(.invalid, "\(what): \(sentence)") }
    guard let descr = Self.value("descr", text), descr.count >= 2 else { throw bad("the header names no type") }
    let word = descr.trimmingCharacters(in: CharacterSet(charactersIn: "'\""))
    isBigEndian = word.hasPrefix(">")
    let type = String(word.drop { "<>|=".contains($0) })
    let letters =
      texts && type.hasPrefix("U") ? Int(type.dropFirst()).flatMap { (1...(1 << 20)).contains($0) ? $0 : nil } : nil
    isText = letters != nil
    guard let element = letters == nil ? NPYArray.Element(rawValue: type) : .uint32 else {
      throw bad("elements of type '\(type.prefix(60))' are not supported")
    }
    self.element = element
    guard let order = Self.value("fortran_order", text), ["True", "False"].contains(order) else {
      throw bad("the header does not say whether the first axis varies fastest (fortran_order)")
    }
    isFortran = order == "True"
    guard let sizes = Self.value("shape", text), sizes.hasPrefix("(") else { throw bad("the header names no shape") }
    let axes = try sizes.dropFirst().dropLast().split(separator: ",").compactMap { part -> Int? in
      let digits = part.trimmingCharacters(in: .whitespaces)
      if digits.isEmpty { return nil }
      guard let size = Int(digits), size >= 0 else { throw bad("'\(digits.prefix(60))' is no size") }
      return size
    }
    shape = axes + (letters.map { [$0] } ?? [])
    guard shape.count <= 32 else { throw bad("the array has rank \(shape.count)") }
    // Ignore zeros at first: strides are computed from the other sizes, so their product must not overflow either.
    var count = 1
    for size in shape where size != 0 {
      let (product, overflow) = count.multipliedReportingOverflow(by: size)
      guard !overflow else { throw bad("the shape \(shape) is too large") }
      count = product
    }
    let (bytes, overflow) = count.multipliedReportingOverflow(by: element.size)
    guard !overflow else { throw bad("the shape \(shape) is too large") }
    self.count = shape.contains(0) ? 0 : count
    byteCount = shape.contains(0) ? 0 : bytes
  }

  /// The text after `'key':` up to the comma that ends it. White space is allowed before the colon.
  private static func value(_ key: String, _ text: String) -> String? {
    guard let range = text.range(of: "'\(key)'") ?? text.range(of: "\"\(key)\"") else { return nil }
    let rest = text[range.upperBound...].drop(while: \.isWhitespace)
    guard rest.first == ":" else { return nil }
    var depth = 0
    var result = ""
    for character in rest.dropFirst() {
      if character == "(" { depth += 1 }
      if character == ")" { depth -= 1 }
      if depth <= 0, character == "," || character == "}" { break }
      result.append(character)
    }
    return result.trimmingCharacters(in: .whitespacesAndNewlines)
  }
}
