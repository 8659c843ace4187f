import CoreMLKernels
import MIL
import Testing

@testable import CoreMLExecution

/// NCHWc convolutions keep weights in fp16 if the model has fp16 weights.
@Suite struct StoredConvolutionTests {
  /// Weights of a chain of convolutions whose channels fill whole blocks, and their strides.
  private static let layers = [([1536, 64, 1, 1], 1), ([64, 1536, 3, 3], 2), ([128, 64, 5, 5], 1)]

  /// The chain in fp16, or with the same values in fp32.
  private func engine(_ scalar: ScalarType) throws -> Engine {
    var type = TensorType(scalar, [2, 64, 14, 14])
    let input = NamedType("x", .tensor(type))
    var (operations, name): ([Operation], String) = ([], "x")
    for (number, (shape, stride)) in Self.layers.enumerated() {
      let weight = try StoredProductTests.ramp(.float16, shape, step: 37 + number).converted(to: scalar)
      let size = (try #require(type.concreteShape)[2] - 1) / stride + 1
      type = TensorType(scalar, [2, shape[0], size, size])
      operations.append(
        Operation(
          "conv",
          inputs: [
            "x": [.name(name)], "weight": [.tensor(weight)], "pad_type": [.string("custom")],
            "pad": [.tensor(try Tensor(.int32, shape: [4], doubles: Array(repeating: Double(shape[2] / 2), count: 4)))],
            "strides": [.tensor(try Tensor(.int32, shape: [2], doubles: [Double(stride), Double(stride)]))],
          ], outputs: [NamedType("y\(number)", .tensor(type))]))
      name = "y\(number)"
    }
    let function = Function(
      inputs: [input], opset: "ios18", body: Block(operations: operations, outputs: [name]))
    return Engine(function: function, devices: DeviceChoice(threads: 2, allowsFusion: true))
  }

  @Test func convolutionsKeepHalves() throws {
    let (found, wanted) = (try engine(.float16), try engine(.float32))
    let x = try StoredProductTests.ramp(.float16, [2, 64, 14, 14], step: 11, modulo: 83)
    let a = try #require(try EngineTests.run(found, ["x": x])["y2"])
    let b = try #require(try EngineTests.run(wanted, ["x": x.converted(to: .float32)])["y2"])
    let most = b.map(abs).max() ?? 0
    let worst = zip(a, b).map { abs($0 - $1) }.max() ?? 1
    #expect(a.count == b.count && worst <= 2e-3 * most && most > 0.01, "differs by \(worst) of \(most)")
    let rows = try found.plan(for: ["x": x.type]).steps.map(\.choice.kernel)
    #expect(rows.filter { $0 == "conv.nchwc" }.count == 3, "\(rows)")
    let numbers = Self.layers.reduce(0) { $0 + $1.0.reduce(1, *) }
    #expect(found.weights.byteCount == 2 * numbers)
    #expect(wanted.weights.byteCount == 4 * numbers)
  }
}
