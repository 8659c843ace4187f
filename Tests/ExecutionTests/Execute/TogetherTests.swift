import CoreMLKernels
import MIL
import Synchronization
import Testing

@testable import CoreMLExecution

/// Batched predictions with large weights equal sequential predictions bit for bit.
@Suite struct TogetherTests {
  /// Two layers of 2^21 weights each, with a bias, an activation and an addition.
  private func engine(_ scalar: ScalarType, threads: Int) throws -> Engine {
    func constant(_ name: String, _ shape: [Int], _ step: Int) throws -> Operation {
      .const(name, .tensor(try StoredProductTests.ramp(scalar, shape, step: step)))
    }
    func value(_ name: String, _ columns: Int) -> NamedType {
      NamedType(name, .tensor(TensorType(scalar, [.unknown, Dimension(columns)])))
    }
    let body = Block(
      operations: [
        try constant("w1", [4096, 512], 37), try constant("b1", [4096], 11), try constant("w2", [512, 4096], 53),
        Operation(
          "linear", inputs: ["x": [.name("x")], "weight": [.name("w1")], "bias": [.name("b1")]],
          outputs: [value("h", 4096)]),
        Operation("tanh", inputs: ["x": [.name("h")]], outputs: [value("a", 4096)]),
        Operation("linear", inputs: ["x": [.name("a")], "weight": [.name("w2")]], outputs: [value("p", 512)]),
        Operation("add", inputs: ["x": [.name("p")], "y": [.name("x")]], outputs: [value("y", 512)]),
      ], outputs: ["y"])
    return Engine(
      function: Function(inputs: [value("x", 512)], opset: "ios18", body: body),
      devices: DeviceChoice(threads: threads))
  }

  private func inputs(_ scalar: ScalarType, rows: [Int]) throws -> [[String: Value]] {
    try rows.enumerated().map { number, rows in
      ["x": .tensor(try StoredProductTests.ramp(scalar, [rows, 512], step: 17 + 6 * number))]
    }
  }

  private func bits(_ value: Value?) throws -> [UInt8] {
    try #require(value?.tensor).withUnsafeBytes { Array($0) }
  }

  private func together(_ engine: Engine, _ inputs: [[String: Value]]) throws -> [[UInt8]] {
    var results: [[UInt8]] = []
    let done = try engine.runGroup(inputs) { _, _, _ in
      nil
    } read: { number, values in
      #expect(number == results.count)
      results.append(try bits(values.first?.value))
    }
    #expect(done == results.count)
    return results
  }

  private func alone(_ engine: Engine, _ inputs: [[String: Value]]) throws -> [[UInt8]] {
    try inputs.map { try engine.run($0, states: engine.freshStates()) { try bits($0.first?.value) } }
  }

  @Test(arguments: [ScalarType.float32, .float16], [1, 2])
  func eachIsWhatItIsByItself(scalar: ScalarType, threads: Int) throws {
    let engine = try engine(scalar, threads: threads)
    let inputs = try inputs(scalar, rows: [1, 1, 1, 1, 1])
    #expect((5...16).contains(try engine.largestGroup(inputs[0])))
    let expected = try alone(engine, inputs)
    #expect(Set(expected).count == 5)
    #expect(try together(engine, inputs) == expected)
    // Sessions that ran in a batch also run alone.
    #expect(try alone(engine, inputs) == expected)
  }

  @Test func anotherShapeGoesByItself() throws {
    let engine = try engine(.float32, threads: 1)
    let inputs = try inputs(.float32, rows: [2, 2, 1, 2])
    #expect(try together(engine, inputs) == alone(engine, Array(inputs[..<2])))
    #expect(try together(engine, Array(inputs[2...])) == alone(engine, [inputs[2]]))
  }

  /// Many rows are a matrix product, which reads its weights only once without batching.
  @Test func whatReadsWeightsOnceGainsNothing() throws {
    let engine = try engine(.float32, threads: 1)
    #expect(try engine.largestGroup(inputs(.float32, rows: [64])[0]) == 1)
  }
}
