/// Parses types and typed literals of MIL text.
extension TextParser {
  mutating func type(depth: Int) throws -> ValueType {
    guard depth < Self.maximumDepth else { throw scanner.error("types are nested too deeply") }
    let word = try scanner.word("a type")
    switch word {
    case "tensor":
      try scanner.expect("<")
      let scalar = try scanner.word("an element type")
      guard let element = ScalarType(rawValue: scalar) else { throw scanner.error("'\(scalar)' is no element type") }
      try scanner.expect(",")
      try scanner.expect("[")
      var shape: [Dimension] = []
      while !scanner.take("]") {
        if !shape.isEmpty { try scanner.expect(",") }
        guard shape.count < TensorType.maximumRank else { throw scanner.error("the tensor has too many axes") }
        shape.append(try dimension())
      }
      try scanner.expect(">")
      return .tensor(try TensorType(element, shape).validated("a value"))
    case "list":
      try scanner.expect("<")
      let element = try type(depth: depth + 1)
      try scanner.expect(",")
      let length = try dimension()
      try scanner.expect(">")
      return .list(element, length: length)
    case "tuple":
      try scanner.expect("<")
      var types: [ValueType] = []
      while !scanner.take(">") {
        if !types.isEmpty { try scanner.expect(",") }
        types.append(try type(depth: depth + 1))
      }
      return .tuple(types)
    case "dict":
      try scanner.expect("<")
      let key = try type(depth: depth + 1)
      try scanner.expect(",")
      let value = try type(depth: depth + 1)
      try scanner.expect(">")
      return .dictionary(key: key, value: value)
    case "state":
      try scanner.expect("<")
      guard case .tensor(let tensor) = try type(depth: depth + 1) else { throw scanner.error("a state holds a tensor") }
      try scanner.expect(">")
      return .state(tensor)
    default:
      guard let scalar = ScalarType(rawValue: word) else { throw scanner.error("'\(word)' is no type") }
      return .tensor(TensorType(scalar, [Dimension]()))
    }
  }

  private mutating func dimension() throws -> Dimension {
    if scanner.take("?") { return .unknown }
    let text = try scanner.number()
    guard let size = Int(text), size >= 0 else { throw scanner.error("'\(text)' is no size") }
    return Dimension(size)
  }

  /// Parses `type(literal)`.
  mutating func value(depth: Int) throws -> Value {
    let type = try type(depth: 0)
    try scanner.expect("(")
    let value = try literal(type, depth: depth)
    try scanner.expect(")")
    return value
  }

  private mutating func literal(_ type: ValueType, depth: Int) throws -> Value {
    guard depth < Self.maximumDepth else { throw scanner.error("literals are nested too deeply") }
    switch type {
    case .tensor(let tensor): return .tensor(try self.tensor(tensor))
    case .list(let element, _):
      try scanner.expect("[")
      var items: [Value] = []
      while !scanner.take("]") {
        if !items.isEmpty { try scanner.expect(",") }
        items.append(try literal(element, depth: depth + 1))
      }
      return .list(items, element: element)
    case .tuple(let types):
      try scanner.expect("(")
      var items: [Value] = []
      for type in types {
        if !items.isEmpty { try scanner.expect(",") }
        items.append(try literal(type, depth: depth + 1))
      }
      try scanner.expect(")")
      return .tuple(items)
    case .dictionary(let key, let item):
      try scanner.expect("{")
      var pairs: [(key: Value, value: Value)] = []
      while !scanner.take("}") {
        if !pairs.isEmpty { try scanner.expect(",") }
        try scanner.expect("{")
        let first = try literal(key, depth: depth + 1)
        try scanner.expect(",")
        pairs.append((first, try literal(item, depth: depth + 1)))
        try scanner.expect("}")
      }
      return .dictionary(pairs, key: key, value: item)
    case .state: throw scanner.error("a state has no literal")
    }
  }

  private mutating func tensor(_ type: TensorType) throws -> Tensor {
    if scanner.isAtWord("BLOBFILE") { return try blob(type) }
    var elements = TextElements(type)
    if type.shape.isEmpty {
      try element(&elements)
    } else {
      try nested(&elements, depth: 0)
    }
    let shape = try elements.shape(type, scanner)
    return try elements.tensor(shape, scanner)
  }

  private mutating func nested(_ elements: inout TextElements, depth: Int) throws {
    guard depth < elements.rank else { throw scanner.error("the literal has more levels than its type") }
    try scanner.expect("[")
    var count = 0
    while !scanner.take("]") {
      if count > 0 { try scanner.expect(",") }
      count += 1
      if depth + 1 < elements.rank { try nested(&elements, depth: depth + 1) } else { try element(&elements) }
    }
    guard elements.record(count, at: depth) else { throw scanner.error("rows of the literal differ in length") }
  }

  private mutating func element(_ elements: inout TextElements) throws {
    if elements.isString {
      elements.strings.append(try scanner.string())
      return
    }
    let text = try scanner.number()
    guard elements.append(text) else { throw scanner.error("'\(text)' is no \(elements.scalar.rawValue)") }
  }

  private mutating func blob(_ type: TensorType) throws -> Tensor {
    _ = try scanner.word("'BLOBFILE'")
    try scanner.expect("(")
    var path: String?
    var offset: UInt64?
    for index in 0..<2 {
      if index > 0 { try scanner.expect(",") }
      let word = try scanner.word("'path' or 'offset'")
      try scanner.expect("=")
      let value = try value(depth: Self.maximumDepth - 1)
      switch word {
      case "path": path = try value.tensor?.strings().first
      case "offset": offset = try value.tensor?.ints().first.flatMap { UInt64(exactly: $0) }
      default: throw scanner.error("'\(word)' is no part of a reference to a weight file")
      }
    }
    try scanner.expect(")")
    guard let path, let offset else { throw scanner.error("a reference to a weight file needs a path and an offset") }
    guard type.isConcrete else { throw scanner.error("a weight must have a known shape") }
    return try resolve(BlobReference(path: path, offset: offset), type)
  }
}
