/// Collects the elements of a tensor literal during parsing, and the lengths of its rows.
struct TextElements {
  let scalar: ScalarType
  let rank: Int
  var strings: [String] = []
  private var numbers: [Double] = []
  /// The bits of 64-bit integers, which Double cannot represent exactly.
  private var words: [UInt64] = []
  private var lengths: [Int?]

  init(_ type: TensorType) {
    scalar = type.scalar
    rank = type.rank
    lengths = Array(repeating: nil, count: type.rank)
  }

  var isString: Bool { scalar == .string }

  /// Appends one number or boolean. Returns false if the text is not valid for the element type.
  mutating func append(_ text: String) -> Bool {
    switch scalar {
    case .bool:
      guard text == "true" || text == "false" else { return false }
      numbers.append(text == "true" ? 1 : 0)
    case .int64:
      guard let value = Int64(text) else { return false }
      words.append(UInt64(bitPattern: value))
    case .uint64:
      guard let value = UInt64(text) else { return false }
      words.append(value)
    case .float32:
      // Parse as Float, since a conversion through Double could round twice.
      guard let value = Float(text) else { return false }
      numbers.append(Double(value))
    case _ where scalar.isInteger:
      guard let value = Int(text), let range = scalar.integerRange, range.contains(Double(value)) else { return false }
      numbers.append(Double(value))
    default:
      guard let value = Double(text) else { return false }
      numbers.append(value)
    }
    return true
  }

  /// Records the length of a row. Returns false if an earlier row at this depth had another length.
  mutating func record(_ count: Int, at depth: Int) -> Bool {
    if let known = lengths[depth] { return known == count }
    lengths[depth] = count
    return true
  }

  /// The shape of the literal, which must agree with its type. An empty row does not show the sizes of inner axes, so
  /// they come from the type. One empty row represents any shape without elements.
  func shape(_ type: TensorType, _ scanner: TextScanner) throws -> [Int] {
    if lengths.first == 0, type.elementCount == 0, let sizes = type.concreteShape { return sizes }
    return try zip(lengths, type.shape).map { length, declared in
      guard let size = length ?? declared.value, declared.agrees(with: Dimension(size)) else {
        throw scanner.error("the literal has \(length ?? 0) entries where its type says \(declared)")
      }
      return size
    }
  }

  func tensor(_ shape: [Int], _ scanner: TextScanner) throws -> Tensor {
    let found = isString ? strings.count : max(numbers.count, words.count)
    guard TensorType.elementCount(shape) == found else { throw scanner.error("the literal is incomplete") }
    if isString { return Tensor(strings: strings, shape: shape) }
    guard scalar == .int64 || scalar == .uint64 else { return try Tensor(scalar, shape: shape, doubles: numbers) }
    let tensor = try Tensor.zeros(scalar, shape: shape)
    for (index, word) in words.enumerated() {
      tensor.storage.mutablePointer?.storeBytes(of: word, toByteOffset: index * 8, as: UInt64.self)
    }
    return tensor
  }
}
