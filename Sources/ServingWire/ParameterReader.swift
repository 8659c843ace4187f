import CoreMLServingInterface

/// Reads an entry of a map of parameters: its key is field 1, and an `InferParameter` is field 2.
enum ParameterReader {
  static func read(
    _ entry: UnsafeRawBufferPointer, into parameters: inout [String: ParameterValue], _ limits: WireLimits
  ) throws(ServingError) {
    var reader = WireReader(entry)
    var key = ""
    var value: ParameterValue?
    while let field = try reader.next() {
      switch field.number {
      case 1: key = try field.text("The name of a parameter")
      case 2: value = try self.value(try field.bytes("A parameter")) ?? value
      default: break
      }
    }
    guard let value else { throw ServingError(.invalidArgument, "The parameter '\(key)' has no value.") }
    parameters[key] = value
    guard parameters.count <= limits.parameters else {
      throw ServingError(.tooLarge, "The request has more than \(limits.parameters) parameters in one place.")
    }
  }

  private static func value(_ bytes: UnsafeRawBufferPointer) throws(ServingError) -> ParameterValue? {
    var reader = WireReader(bytes)
    var value: ParameterValue?
    while let field = try reader.next() {
      switch field.number {
      case 1: value = .bool(try field.varint("A parameter") != 0)
      case 2: value = .integer(Int64(bitPattern: try field.varint("A parameter")))
      case 3: value = .text(try field.text("A parameter"))
      case 4:
        guard case .fixed64(let bits) = field.value else { throw field.mismatch("A parameter") }
        value = .number(Double(bitPattern: bits))
      case 5:
        // Sequence identifiers use all 64 bits. As text they keep their value.
        let number = try field.varint("A parameter")
        value = Int64(exactly: number).map { .integer($0) } ?? .text(String(number))
      default: break
      }
    }
    return value
  }
}
