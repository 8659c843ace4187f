import MIL

/// The loop counter, and changes of shape and type without arithmetic.
extension Round {
  func cast(_ operation: Operation) throws -> RoundValue {
    let value = try argument("x", operation)
    guard let word = try known("dtype", operation)?.strings().first, let scalar = ScalarType(rawValue: word) else {
      throw LoopRefusal("\(operation.label) has no type")
    }
    switch value {
    case .counter(var counter):
      let largest: [ScalarType: Int] = [
        .int8: 127, .uint8: 255, .int16: 32767, .uint16: 65535, .int32: Int(Int32.max), .uint32: Int(UInt32.max),
      ]
      guard let limit = largest[scalar] else { throw LoopRefusal("the counter becomes \(word)") }
      counter.largest = min(counter.largest, limit)
      return .counter(counter)
    case .rows(let parts, _):
      // An fp16 program rounds its states to fp16 between iterations, since loop variables have that type. Within an
      // iteration, the arithmetic uses the device's precision, as everywhere else.
      guard scalar == .float32 || (scalar == .float16 && parts.allSatisfy(isRead)) else { break }
      return value
    case .array where scalar.isFloat, .written where scalar == .float32: return value
    default: break
    }
    throw LoopRefusal("\(operation.label) rounds what a round calculates")
  }

  /// Whether an expression is exactly one value that the iteration reads.
  private func isRead(_ sum: CellSum) -> Bool {
    guard sum.matrices.isEmpty, sum.products.count == 1, let key = sum.products.keys.first, key.count == 1 else {
      return false
    }
    switch atoms[key[0]] {
    case .input, .state: return sum.uniform(key) == 1
    case .activated, .limited: return false
    }
  }

  /// A comparison of the counter with a constant: either its result is the same in all iterations, or it is the loop
  /// bound.
  func compare(_ operation: Operation) throws -> RoundValue {
    let (x, y) = (try argument("x", operation), try argument("y", operation))
    var type = operation.type
    let counter: LoopCounter
    let number: Int
    switch (x, y) {
    case (.counter(let left), .known(.tensor(let right))) where right.count == 1:
      (counter, number) = (left, try right.ints()[0])
    case (.known(.tensor(let left)), .counter(let right)) where left.count == 1:
      (counter, number) = (right, try left.ints()[0])
      type =
        ["less": "greater", "greater": "less", "less_equal": "greater_equal", "greater_equal": "less_equal"][type] ?? ""
    default: throw LoopRefusal("\(operation.label) does not compare the counter with a constant")
    }
    // counter + offset < limit
    guard (-Int(Int32.max)...Int(Int32.max)).contains(number) else {
      throw LoopRefusal("\(operation.label) has no small bound")
    }
    let isBelow = type.hasPrefix("less")
    let limit = number - counter.offset + (type == "less_equal" || type == "greater" ? 1 : 0)
    guard let rounds else {
      guard isBelow, limit <= counter.largest - counter.offset else {
        throw LoopRefusal("the loop ends when the counter is small")
      }
      return .below(limit)
    }
    try requireExact(counter)
    if limit >= rounds { return .known(.bool(isBelow)) }
    if limit <= 0 { return .known(.bool(!isBelow)) }
    throw LoopRefusal("\(operation.label) differs between rounds")
  }

  func reshaped(_ operation: Operation) throws -> RoundValue {
    let value = try argument("x", operation)
    switch value {
    case .counter(var counter):
      switch operation.type {
      case "squeeze": counter.isVector = false
      case "expand_dims" where !counter.isVector: counter.isVector = true
      case "reshape":
        guard let shape = try known("shape", operation), shape.count <= 1 else { fallthrough }
        counter.isVector = shape.count == 1
      default: throw LoopRefusal("the counter becomes a matrix")
      }
      return .counter(counter)
    case .rows(let parts, let isLeading):
      switch operation.type {
      case "squeeze" where isLeading:
        guard try known("axes", operation)?.ints() == [0] || known("axes", operation)?.ints() == [-3] else { break }
        return .rows(parts, isLeading: false)
      case "expand_dims" where !isLeading:
        guard try known("axes", operation)?.ints() == [0] || known("axes", operation)?.ints() == [-3] else { break }
        return .rows(parts, isLeading: true)
      case "reshape":
        let width = parts.reduce(0) { $0 + $1.width }
        guard let batch, let shape = try known("shape", operation)?.ints() else { break }
        if shape == [batch, width] { return .rows(parts, isLeading: false) }
        if shape == [1, batch, width] { return .rows(parts, isLeading: true) }
      default: break
      }
      throw LoopRefusal("\(operation.label) moves columns")
    default: throw LoopRefusal("\(operation.label) reshapes more than a row")
    }
  }

  /// Checks that the counter plus its offset does not overflow in any iteration.
  func requireExact(_ counter: LoopCounter) throws {
    guard let rounds, rounds + abs(counter.offset) <= counter.largest else {
      throw LoopRefusal("the counter overflows")
    }
  }
}
