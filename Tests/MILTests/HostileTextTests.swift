import Testing

@testable import MIL

/// Invalid text is refused with its position. The parser does not trap, overflow the stack, or allocate a claimed size.
@Suite struct HostileTextTests {
  @Test(arguments: [
    ("int32", "1.5"), ("int32", "2147483648"), ("int32", "true"), ("int8", "-129"), ("uint4", "16"), ("uint64", "-1"),
    ("uint64", "18446744073709551616"), ("int64", "9223372036854775808"), ("bool", "1"), ("fp32", "0x"),
    ("fp16", "1.0.0"),
    ("string", "abc"), ("fp32", "\"1\""), ("uint8", "nan"),
  ]) func literalsMustBeOfTheirType(_ type: String, _ literal: String) {
    #expect(throws: MILError.self) {
      try MILText.parse("program(1.3){func main<ios18>(){\(type) x = const()[val = \(type)(\(literal))];}->(x);}")
    }
  }

  @Test func errorsNameThePlace() {
    let text = "program(1.3)\n{\n  func main<ios18>() {\n    fp32 x = const()[val = fp32(?)];\n  } -> (x);\n}"
    let error = #expect(throws: MILError.self) { try MILText.parse(text) }
    #expect(error?.message.hasPrefix("line 4, column 33:") == true, "\(String(describing: error))")
    #expect(error?.code == .syntax)
  }

  @Test(arguments: ["tensor<fp32, [", "tuple<", "dict<", "list<", "state<"]) func deepTypesAreRefused(_ opening: String)
  {
    let many = String(repeating: opening, count: 100_000)
    #expect(throws: MILError.self) { try MILText.parse("program(1.3){func main<ios18>(\(many)") }
    #expect(throws: MILError.self) { try MILText.parse("program(1.3)[a = \(many)") }
  }

  @Test func tensorsOfManyAxesAreRefused() {
    let axes = String(repeating: "1, ", count: 100_000) + "1"
    let opening = String(repeating: "[", count: 100_001)
    #expect(throws: MILError.self) {
      try MILText.parse(
        "program(1.3){func main<ios18>(){tensor<fp32, [\(axes)]> x = const()[val = tensor<fp32, [\(axes)]>(\(opening)1")
    }
  }

  @Test func deepBlocksAreRefused() {
    let many = String(repeating: "bool x = cond(pred = x) block() {", count: 100_000)
    #expect(throws: MILError.self) { try MILText.parse("program(1.3){func main<ios18>(bool x){\(many)") }
  }

  @Test func deepLiteralsAreRefused() {
    let types = String(repeating: "list<", count: 60) + "int32" + String(repeating: ", ?>", count: 60)
    let literal = String(repeating: "[", count: 100_000)
    #expect(throws: MILError.self) { try MILText.parse("program(1.3)[a = \(types)(\(literal)") }
    #expect(throws: MILError.self) {
      try MILText.parse("program(1.3){func main<ios18>(){int32 x = const()[val = int32(BLOBFILE(path = \(literal)")
    }
  }

  @Test func claimedSizesAreNotAllocated() {
    for shape in ["9223372036854775807", "9223372036854775807, 9223372036854775807", "1000000000000, 0"] {
      #expect(throws: MILError.self) {
        try MILText.parse(
          "program(1.3){func main<ios18>(){tensor<fp32, [\(shape)]> x = const()[val = tensor<fp32, [\(shape)]>([])];}->(x);}"
        )
      }
    }
  }

  @Test func weightsNeedAFile() {
    #expect(throws: MILError.self) {
      try MILText.parse(
        "program(1.3){func main<ios18>(){fp32 x = const()[val = fp32(BLOBFILE(path = string(\"w\"), offset = uint64(64)))];}->(x);}"
      )
    }
  }

  @Test func everyDamagedByteIsRefusedOrRead() {
    let original = Array(ProgramText.everything.utf8)
    for index in original.indices {
      for byte in [UInt8(0xff), UInt8(ascii: "["), UInt8(ascii: "9")] where index % 3 == Int(byte % 3) {
        var bytes = original
        bytes[index] = byte
        // Whatever the bytes mean now, parsing terminates.
        _ = bytes.withUnsafeBytes { bytes in try? MILText.parse(bytes) { _, _ in throw MILError(.syntax, "no file") } }
      }
    }
  }
}
