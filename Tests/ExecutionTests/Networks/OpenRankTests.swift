import CoreMLBase
import CoreMLKernels
import CoreMLSpec
import MIL
import TestModels
import Testing

@testable import CoreMLExecution

/// Values whose rank is the length of an input, so it is unknown before the input shapes are. The import gives them an
/// open type, and specialization sets it.
@Suite struct OpenRankTests {
  private func run(_ function: Function, _ inputs: [String: [Float]]) throws -> [[Int]: [Double]] {
    let engine = Engine(function: function, devices: DeviceChoice(threads: 1))
    let values = inputs.mapValues { Value.tensor(Tensor(float32: $0, shape: [$0.count])) }
    return try engine.run(values, states: StateBuffers(types: [:]), shouldStop: { false }) { results in
      Dictionary(
        try results.compactMap { try $0.value.tensor.map { ($0.shape, try $0.doubles()) } },
        uniquingKeysWith: { a, _ in a }
      )
    }
  }

  /// The program after a round trip through the text of a compiled model.
  private func reread(_ function: Function) throws -> Function {
    let program = try MILText.parse(MILText.print(Program(functions: ["main": function])))
    try program.verify()
    return try #require(program.functions["main"])
  }

  @Test func aReshapeTakesTheRankOfItsShape() throws {
    let layers = [
      Net.layer(1145, ["x", "shape"], ["y"]), Net.layer(130, ["y"], ["z"]) { $0.append(10) { _ in } },
      Net.sum("z", "z", "w"),
    ]
    let function = try reread(
      Net.function(layers, inputs: ["x": [.unknown], "shape": [.unknown]], outputs: ["w"]))
    let x: [Float] = [1, -2, 3, -4, 5, -6]
    let expected = [2.0, 0, 6, 0, 10, 0]
    #expect(try run(function, ["x": x, "shape": [2, 3]]) == [[2, 3]: expected])
    #expect(try run(function, ["x": x, "shape": [1, 3, -1, 1]]) == [[1, 3, 2, 1]: expected])
    #expect(try run(function, ["x": x, "shape": [6]]) == [[6]: expected])
    #expect(throws: (any Error).self) { try run(function, ["x": x, "shape": [4, 2]]) }
    #expect(throws: (any Error).self) { try run(function, ["x": x, "shape": Array(repeating: 1, count: 2000)]) }
  }

  @Test func aFillTakesTheRankOfItsShape() throws {
    let function = try reread(
      Net.function(
        [Net.layer(1090, ["shape"], ["y"]) { $0.append(1, float: 2.5) }], inputs: ["shape": [.unknown]], outputs: ["y"])
    )
    #expect(try run(function, ["shape": [1, 2, 1]]) == [[1, 2, 1]: [2.5, 2.5]])
    #expect(try run(function, ["shape": [3]]) == [[3]: [2.5, 2.5, 2.5]])
  }
}
