/// A source whose program has a constant with many empty rows. Model.proto and MIL.proto encoded by hand.
enum EmptyProgram {
  static let bytes: [UInt8] = {
    let empty = tensor([2_147_483_647, 0])
    let constant =
      text(1, "const") + field(3, text(1, "c") + field(2, empty))
      + field(5, text(1, "val") + field(2, field(2, empty) + field(3, field(1, field(1, [])))))
    let square =
      text(1, "square") + field(2, text(1, "x") + field(2, field(1, text(1, "x"))))
      + field(3, text(1, "y") + field(2, tensor([1])))
    let block = text(2, "y") + text(2, "c") + field(3, constant) + field(3, square)
    let function =
      field(1, text(1, "x") + field(2, tensor([1]))) + text(2, "CoreML5")
      + field(3, text(1, "CoreML5") + field(2, block))
    let program = number(1, 1) + field(2, text(1, "main") + field(2, function))
    let description = field(1, feature("x", [1])) + field(10, feature("y", [1])) + field(10, feature("c", [1, 1]))
    return number(1, 6) + field(2, description) + field(502, program)
  }()

  /// The `ValueType` of an fp32 array.
  private static func tensor(_ shape: [UInt64]) -> [UInt8] {
    let dimensions = shape.flatMap { field(3, field(1, number(1, $0))) }
    return field(1, number(1, 11) + number(2, UInt64(shape.count)) + dimensions)
  }

  private static func feature(_ name: String, _ shape: [UInt64]) -> [UInt8] {
    text(1, name) + field(3, field(5, field(1, shape.flatMap(varint)) + number(2, 65568)))
  }

  private static func text(_ number: UInt64, _ text: String) -> [UInt8] { field(number, Array(text.utf8)) }
  private static func number(_ field: UInt64, _ value: UInt64) -> [UInt8] { varint(field << 3) + varint(value) }
  private static func field(_ number: UInt64, _ bytes: [UInt8]) -> [UInt8] {
    varint(number << 3 | 2) + varint(UInt64(bytes.count)) + bytes
  }

  private static func varint(_ value: UInt64) -> [UInt8] {
    var (rest, bytes) = (value, [UInt8]())
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    return bytes + [UInt8(rest)]
  }
}
