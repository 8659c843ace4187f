import CoreMLBase
import CoreMLSpec
import MIL
import TestModels
import Testing

@testable import CoreMLImport

/// Small files that claim large sizes, or whose constants expand. The import allocates nothing of the claimed sizes
/// before a prediction.
@Suite struct ClaimedSizesTests {
  /// The size in bytes of all literals in a program.
  private static func literals(_ program: Program) -> Int {
    program.functions.values.flatMap(\.body.operations).reduce(0) { sum, operation in
      operation.inputs.values.joined().reduce(sum) { sum, binding in
        guard case .literal(let value) = binding else { return sum }
        return sum + (value.tensor?.byteCount ?? 0)
      }
    }
  }

  @Test func anAbsentInputOfAPipelineIsNoConstant() throws {
    let large: [Int64] = [1 << 12, 1 << 12]
    let inner = FeatureModels.model(
      900, [.array("x", [1]), .array("extra", large).optional], [.array("x", [1]), .array("extra", large)])
    let model = FeatureModels.pipeline([.array("x", [1])], [.array("x", [1])], [inner])
    let program = try ModelImport.model(ModelFile(Bytes(model))).program
    #expect(Self.literals(program) < 1 << 16)
  }

  @Test func oneValueForManyChannelsIsNotRepeated() throws {
    let layer = Net.layer(130, ["x"], ["y"]) { activation in
      activation.append(25) { $0.append(1) { $0.append(1, packed: [Float(0.5)]) } }
    }
    let error = #expect(throws: RuntimeError.self) {
      try Net.function([layer], inputs: ["x": [Dimension(1 << 33), 1, 1]], outputs: ["y"])
    }
    #expect(error?.code == .unsupported && error?.message.contains("channels") == true, "\(String(describing: error))")
    _ = try Net.function([layer], inputs: ["x": [8, 1, 1]], outputs: ["y"])
  }

  @Test func loopsInConditionsOfLoopsDoNotMultiply() throws {
    var layers = [Net.add("x", 1, "x")]
    for _ in 0..<24 {
      let inner = layers
      layers = [
        Net.layer(615, ["x"], []) { loop in
          loop.append(2, string: "x")
          loop.append(3, bytes: Net.network(inner))
          loop.append(4, bytes: Net.network([Net.add("x", 1, "x")]))
        }
      ]
    }
    let error = #expect(throws: RuntimeError.self) { try Net.function(layers, inputs: ["x": [1]], outputs: ["x"]) }
    #expect(
      error?.code == .unsupported && error?.message.contains("loops within loops") == true,
      "\(String(describing: error))")
  }
}
