import MIL
import Testing

@testable import CoreMLExecution

/// Constants that expand when they are folded.
@Suite struct FoldedConstantTests {
  /// The size in bytes of all literals in a program.
  private static func literals(_ program: Program) -> Int {
    program.functions.values.flatMap(\.body.operations).reduce(0) { sum, operation in
      operation.inputs.values.joined().reduce(sum) { sum, binding in
        guard case .literal(let value) = binding else { return sum }
        return sum + (value.tensor?.byteCount ?? 0)
      }
    }
  }

  @Test func foldedConstantsDoNotMultiply() throws {
    var text = "program(1.3){func main<ios18>(fp32 x){tensor<fp32, [1]> c0 = const()[val = tensor<fp32, [1]>([1.0])];"
    var size = 1
    let doublings = 26
    for index in 1...doublings {
      size *= 2
      text +=
        "tensor<fp32, [\(size)]> c\(index) = concat(axis = int32(0), interleave = bool(false), values = (c\(index - 1), c\(index - 1)));"
    }
    text += "fp32 s = reduce_sum(x = c\(doublings)); fp32 y = add(x = x, y = s);}->(y);}"
    let program = try MILText.parse(text)
    try program.verify()
    let function = try #require(program.functions["main"])
    let folded = try Specialize(pool: .init(threads: 1))(function)
    // The final constant has 256 MiB, and all constants have twice that.
    #expect(Self.literals(Program(functions: ["main": folded])) <= 80 << 20)
  }
}
