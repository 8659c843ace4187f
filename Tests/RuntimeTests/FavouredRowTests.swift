import CoreMLKernels
import MIL
import Testing

@testable import CoreMLExecution

/// Checks have every kernel run in turn, whatever it costs.
@Suite struct FavouredRowTests {
  /// Sixteen filters of sixteen channels.
  private static let weight: String = {
    let taps = "[[1, 0, -1], [0.5, 2, 0], [1, 0.25, -2]]"
    let filter = "[\(Array(repeating: taps, count: 16).joined(separator: ", "))]"
    return "[\(Array(repeating: filter, count: 16).joined(separator: ", "))]"
  }()

  /// A convolution and a product, each of which several kernels take.
  private static let text = """
    (tensor<fp32, [1, 16, 6, 6]> x, tensor<fp32, [6, 3]> w) {
      tensor<fp32, [1, 16, 6, 6]> c = conv(x = x, weight = tensor<fp32, [16, 16, 3, 3]>(\(weight)), pad_type = string("same"));
      tensor<fp32, [1, 16, 6, 3]> y = matmul(x = c, y = w);
    } -> (y)
    """

  private func rows(_ place: Int?, _ inputs: [String: Tensor]) throws -> (rows: Set<String>, values: [Double]) {
    let request = DeviceRequest(threads: 2, allowsGPU: false, allowsFusion: false, favouredRow: place)
    let engine = Engine(function: try FusionTests.main(Self.text), devices: try DeviceChoice(request))
    let values = try #require(try EngineTests.run(engine, inputs)["y"])
    let plan = try engine.plan(for: inputs.mapValues(\.type))
    return (Set(plan.steps.map { "\($0.choice.operation.type) \($0.choice.row)" }), values)
  }

  @Test func eachOfTheKernelsRunsInItsPlace() throws {
    let inputs = ["x": try FusionTests.ramp([1, 16, 6, 6]), "w": try FusionTests.ramp([6, 3])]
    let usual = try rows(nil, inputs)
    var seen: [Set<String>] = []
    for place in 0..<6 {
      let forced = try rows(place, inputs)
      for (a, b) in zip(usual.values, forced.values) { #expect(abs(a - b) <= 1e-4 * max(1, abs(a))) }
      seen.append(forced.rows.filter { $0.hasPrefix("conv ") || $0.hasPrefix("matmul ") })
    }
    let all = seen.reduce(into: Set<String>()) { $0.formUnion($1) }
    #expect(seen[0].count == 2 && all.count { $0.hasPrefix("conv ") } >= 4)
    #expect(all.count { $0.hasPrefix("matmul ") } >= 2)
    #expect(all.isSuperset(of: ["conv reference", "matmul reference"]))
  }
}
