import CNumbers
import CoreMLServingInterface

/// Reads the `data` of a tensor, flat or nested, straight into the tensor's memory.
///
/// - Integer types refuse numbers with a fraction and numbers out of the type's range.
/// - Floating-point types refuse numbers that round to infinity. They accept the strings `"NaN"`, `"Infinity"` and
///   `"-Infinity"`, which answers use as well, since JSON has no such numbers.
/// - A text for FP32 is read as a double and then rounded to a float. FP16 and BF16 round that float once more.
/// - BOOL accepts `true`, `false`, 1 and 0.
/// - Nested data with one level for each axis must have the sizes of the shape. Other nesting only has to have the
///   right number of elements.
struct TensorDataReader {
  /// The most byte strings of one request: each needs memory of its own.
  static let mostByteStrings = 1 << 20

  /// - Parameter contents: The tensors of a request.
  /// - Throws: `tooLarge` if they have too many byte strings together.
  static func checkByteStrings(_ contents: some Sequence<ServingTensor.Content?>) throws(ServingError) {
    let count = contents.reduce(0) { sum, content in
      if case .byteStrings(let strings) = content { sum + strings.count } else { sum }
    }
    guard count <= mostByteStrings else {
      throw ServingError(.tooLarge, "The request has more than \(mostByteStrings) byte strings.")
    }
  }

  let tensor: String
  let type: TensorType
  let shape: [Int]
  private let count: Int
  /// The elements that are read.
  private var filled = 0
  /// The levels of brackets if they must be the sizes of the shape; otherwise nil.
  private var levels: Int?

  private init(tensor: String, type: TensorType, shape: [Int], count: Int) {
    (self.tensor, self.type, self.shape, self.count) = (tensor, type, shape, count)
  }

  static func read(
    _ scanner: inout JSONScanner, tensor: String, type: TensorType, shape: [Int]
  ) throws(ServingError) -> ServingTensor.Content {
    let count = try TensorShape.elementCount(shape, tensor: tensor)
    // An element and its separator are at least two bytes, so that the text bounds the memory.
    guard count <= scanner.remaining / 2 + 1 else { throw wrongCount(tensor, shape, "fewer") }
    var reader = TensorDataReader(tensor: tensor, type: type, shape: shape, count: count)
    let depth = reader.depth(scanner)
    guard depth > 0 else { throw scanner.error("the data of the tensor '\(tensor)' is no list") }
    reader.levels = depth == shape.count ? depth : nil
    if type == .bytes {
      guard count <= mostByteStrings else {
        throw ServingError(.tooLarge, "The tensor '\(tensor)' has more than \(mostByteStrings) byte strings.")
      }
      var strings: [[UInt8]] = []
      strings.reserveCapacity(count)
      try reader.list(&scanner, level: 0) { scanner, room throws(ServingError) in
        strings.append(try scanner.stringBytes())
        return 1
      }
      try reader.checkAll()
      return .byteStrings(strings)
    }
    let size = type.byteCount ?? 1
    let memory = try TensorMemory(byteCount: count * size)
    let elements = ElementReader(type: type, tensor: tensor)
    try reader.list(&scanner, level: 0) { scanner, room throws(ServingError) in
      guard let start = memory.bytes.baseAddress else { return 0 }
      return try elements.read(&scanner, start + (count - room) * size, most: room)
    }
    try reader.checkAll()
    return .elements(memory)
  }

  private func checkAll() throws(ServingError) {
    guard filled == count else { throw Self.wrongCount(tensor, shape, "\(filled)") }
  }

  /// The brackets before the first element.
  private func depth(_ scanner: JSONScanner) -> Int {
    var (scanner, depth) = (scanner, 0)
    while depth < JSONScanner.deepest, scanner.take("[") { depth += 1 }
    return depth
  }

  /// Reads a list of lists or of elements. `run` reads some elements of a list, at most as many as it is told.
  private mutating func list(
    _ scanner: inout JSONScanner, level: Int, _ run: (inout JSONScanner, Int) throws(ServingError) -> Int
  ) throws(ServingError) {
    try scanner.enter("[")
    defer { scanner.leave() }
    var length = 0
    if !scanner.take("]") {
      repeat {
        if scanner.peek() == UInt8(ascii: "[") {
          guard levels.map({ level + 1 < $0 }) ?? true else { throw nesting(level) }
          try list(&scanner, level: level + 1, run)
          length += 1
        } else {
          guard levels.map({ level + 1 == $0 }) ?? true else { throw nesting(level) }
          guard filled < count else { throw Self.wrongCount(tensor, shape, "more") }
          let read = try run(&scanner, count - filled)
          filled += read
          length += read
        }
      } while scanner.take(",")
      try scanner.expect("]")
    }
    if let levels, levels > 1, length != shape[level] { throw nesting(level, length) }
  }

  private func nesting(_ level: Int, _ length: Int? = nil) -> ServingError {
    let what = length.map { "a list of \($0) where the shape says \(shape[level])" } ?? "lists of different depth"
    return ServingError(
      .invalidArgument,
      "The data of the tensor '\(tensor)' is not nested as its shape \(TensorShape.text(shape)): \(what).")
  }

  static func wrongCount(_ tensor: String, _ shape: [Int], _ found: String) -> ServingError {
    ServingError(
      .invalidArgument,
      "The data of the tensor '\(tensor)' does not have the elements of its shape \(TensorShape.text(shape)): it has \(found)."
    )
  }
}
