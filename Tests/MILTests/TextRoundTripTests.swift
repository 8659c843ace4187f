import Foundation
import Testing

@testable import MIL

/// A printed program reads back as the same program, with equal literals.
@Suite struct TextRoundTripTests {
  @Test func everyConstructSurvives() throws {
    let program = try MILText.parse(ProgramText.everything)
    let printed = MILText.print(program)
    let again = try MILText.parse(printed)
    #expect(again.difference(from: program) == nil)
    #expect(MILText.print(again) == printed)
  }

  @Test func literalsAreExact() throws {
    let main = try #require(try MILText.parse(ProgramText.everything).functions["main"])
    func value(_ name: String) throws -> Tensor {
      try #require(main.body.operations.first { $0.outputs.first?.name == name }?.constant?.tensor)
    }
    #expect(try value("i8").ints() == [-128, 0, 127])
    #expect(try value("u64").withUnsafeBytes { Array($0.bindMemory(to: UInt64.self)) } == [.max, 1])
    #expect(try value("i64").withUnsafeBytes { Array($0.bindMemory(to: Int64.self)) } == [.min, 9_007_199_254_740_993])
    #expect(try value("u3").ints() == [7, 0, 5])
    #expect(try value("i4").ints() == [-8])
    #expect(try value("b16").doubles() == [0.125, -2.5])
    #expect(try value("f64").doubles() == [0x1.fffffffffffffp-3, -.infinity])
    let floats = try value("f32").floats()
    #expect(floats[0] == 0.1 && floats[1].sign == .minus && floats[2].isNaN && floats[3] == .leastNonzeroMagnitude)
    #expect(floats[4] == .greatestFiniteMagnitude)
    #expect(try value("none").shape == [2, 0])
    #expect(try value("nothing").shape == [0, 3])
    #expect(try value("words").strings() == ["a\\b\"c\n", "Aé"])
  }

  @Test func operationsWithoutOutputsAndSeveral() throws {
    let operations = try #require(try MILText.parse(ProgramText.everything).functions["main"]).body.operations
    let write = try #require(operations.first { $0.type == "write_state" })
    #expect(write.outputs.isEmpty && write.inputs["data"]?.first?.name == "new")
    let split = try #require(operations.first { $0.type == "split" })
    #expect(split.outputs.map(\.name) == ["a", "b/1"])
    #expect(operations.first { $0.type == "while_loop" }?.blocks.map(\.outputs) == [["more"], ["j", "u"]])
  }

  @Test func namesThatAreNoWordsAreQuoted() throws {
    let names = ["a b", "", "%", "\"", "type.x", "é", "1", "bool", "block", "a\\", "line\nbreak"]
    let operations = names.map { name in
      Operation(
        "odd type", inputs: [name: [.name(name), .literal(.int32(1))]],
        outputs: [NamedType(name, .tensor(TensorType(.bool, [Int]())))],
        attributes: [name: .string(name)])
    }
    let program = Program(
      functions: [
        "f g": Function(
          inputs: names.map { NamedType($0, .state(TensorType(.float16, [Dimension.unknown]))) }, opset: "an opset",
          body: Block(operations: operations, outputs: names), attributes: ["k v": .bool(true)])
      ], attributes: ["p q": .tuple([])])
    #expect(try MILText.parse(MILText.print(program)).difference(from: program) == nil)
  }

  @Test func everyScalarTypeSurvives() throws {
    for scalar in ScalarType.allCases where scalar != .string {
      let top = scalar.integerRange.map { min($0.upperBound, 1e15) } ?? 1.5
      let value = Value.tensor(try Tensor(scalar, shape: [3], doubles: [0, 1, top]))
      let program = Program(
        functions: [
          "main": Function(inputs: [], opset: "CoreML8", body: Block(operations: [.const("a", value)], outputs: ["a"]))
        ])
      #expect(try MILText.parse(MILText.print(program)).difference(from: program) == nil, "\(scalar)")
    }
  }

  @Test func randomFloatsSurvive() throws {
    var state: UInt64 = 7
    let values = (0..<5000).map { _ -> Float in
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Float(bitPattern: UInt32(truncatingIfNeeded: state >> 32))
    }
    let program = Program(
      functions: [
        "main": Function(
          inputs: [], opset: "CoreML8", body: Block(operations: [.const("a", .float32s(values))], outputs: ["a"]))
      ])
    #expect(try MILText.parse(MILText.print(program)).difference(from: program) == nil)
  }

  @Test func differencesAreFound() throws {
    let program = try MILText.parse(ProgramText.everything)
    for (old, new) in [
      ("[-128, 0, 127]", "[-128, 1, 127]"), ("ios18>(tensor", "ios17>(tensor"), ("y = int32(3)", "y = int32(4)"),
      ("} -> (j, u)", "} -> (j, v)"), ("\"3600.9.1\"", "\"3600.9.2\""), ("3.4028235e38", "3.4028233e38"),
      ("x = add(", "x = add("), ("tensor<fp32, [2]> u", "tensor<fp32, [?]> u"),
    ] where old != new {
      let changed = ProgramText.everything.replacingOccurrences(of: old, with: new)
      #expect(changed != ProgramText.everything)
      #expect(try MILText.parse(changed).difference(from: program) != nil, "\(old)")
    }
  }
}
