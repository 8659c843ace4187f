import CoreMLServingInterface

/// An input of a request before its elements are read: `InferInputTensor`.
struct InputHead {
  var name = ""
  var type = TensorType.bytes
  var shape: [Int] = []
  var parameters: [String: ParameterValue] = [:]
  /// The parts of its `InferTensorContents`, which may be in several pieces.
  var contents: [UnsafeRawBufferPointer] = []

  init(_ message: UnsafeRawBufferPointer, _ limits: WireLimits) throws(ServingError) {
    var reader = WireReader(message)
    var typeName = ""
    while let field = try reader.next() {
      switch field.number {
      case 1: name = try field.text("The name of an input")
      case 2: typeName = try field.text("The datatype of an input")
      case 3: try readShape(field, limits)
      case 4: try ParameterReader.read(try field.bytes("A parameter of an input"), into: &parameters, limits)
      case 5:
        let part = try field.bytes("The contents of an input")
        if !part.isEmpty { contents.append(part) }
      default: break
      }
    }
    guard !name.isEmpty else { throw ServingError(.invalidArgument, "An input of the request has no name.") }
    guard let type = TensorType(rawValue: typeName) else {
      let known = TensorType.allCases.map(\.rawValue).joined(separator: ", ")
      throw ServingError(
        .invalidArgument, "The input '\(name)' has the datatype '\(typeName)'; expected one of \(known).")
    }
    self.type = type
  }

  private mutating func readShape(_ field: WireReader.Field, _ limits: WireLimits) throws(ServingError) {
    switch field.value {
    case .varint(let size): try append(size, limits)
    case .bytes(let packed):
      var reader = WireReader(packed)
      while !reader.isAtEnd { try append(try reader.varint(), limits) }
    default: throw field.mismatch("The shape of an input")
    }
  }

  private mutating func append(_ bits: UInt64, _ limits: WireLimits) throws(ServingError) {
    guard shape.count < limits.rank else {
      throw ServingError(.invalidArgument, "An input has more than \(limits.rank) axes.")
    }
    shape.append(Int(Int64(bitPattern: bits)))
  }

  /// The number of elements, and of their bytes, which is 0 for byte strings.
  func counts() throws(ServingError) -> (elements: Int, bytes: Int) {
    var count = 1
    for size in shape {
      guard size >= 0 else {
        throw ServingError(.invalidArgument, "The input '\(name)' has the shape \(shape), with a negative size.")
      }
      count = try product(count, size)
    }
    return (count, try product(count, type.byteCount ?? 0))
  }

  private func product(_ first: Int, _ second: Int) throws(ServingError) -> Int {
    let (result, overflow) = first.multipliedReportingOverflow(by: second)
    guard !overflow else {
      throw ServingError(.invalidArgument, "The input '\(name)' has the shape \(shape), which no memory can hold.")
    }
    return result
  }
}
