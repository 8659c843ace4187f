import Testing

@testable import MIL

/// Tensors without elements, with any number of rows.
@Suite struct EmptyTensorTextTests {
  @Test(arguments: [[2_147_483_647, 0], [0, 2_147_483_647], [1 << 15, 0, 1 << 15], [0], [3, 0]])
  func literalsWithoutElementsAreShort(shape: [Int]) throws {
    let value = Value.tensor(try Tensor.zeros(.float32, shape: shape))
    let function = Function(
      inputs: [], opset: "CoreML8", body: Block(operations: [.const("c", value)], outputs: ["c"]))
    let program = Program(functions: ["main": function])
    let text = MILText.print(program)
    #expect(text.utf8.count < 300)
    #expect(try MILText.parse(text).isSame(as: program))
  }

  @Test func rowsOfNothingAreReadToo() throws {
    let program = try MILText.parse(
      "program(1.3){func main<ios18>(){tensor<fp32, [2, 0]> c = const()[val = tensor<fp32, [2, 0]>([[], []])];}->(c);}")
    #expect(program.functions["main"]?.body.operations[0].constant?.tensor?.shape == [2, 0])
    #expect(throws: MILError.self) {
      try MILText.parse(
        "program(1.3){func main<ios18>(){tensor<fp32, [2, 1]> c = const()[val = tensor<fp32, [2, 1]>([])];}->(c);}")
    }
  }
}
