import CoreMLKernels
import MIL
import Testing

@testable import CoreMLExecution

/// A forced kernel runs whatever it costs, so that checks can run every kernel in turn.
@Suite struct ForcedKernelTests {
  /// Sixteen filters of sixteen channels.
  private static let weight: String = {
    let taps = "[[1, 0, -1], [0.5, 2, 0], [1, 0.25, -2]]"
    let filter = "[\(Array(repeating: taps, count: 16).joined(separator: ", "))]"
    return "[\(Array(repeating: filter, count: 16).joined(separator: ", "))]"
  }()

  /// A convolution and a matrix product. Several kernels match each of them.
  private static let text = """
    (tensor<fp32, [1, 16, 6, 6]> x, tensor<fp32, [6, 3]> w) {
      tensor<fp32, [1, 16, 6, 6]> c = conv(x = x, weight = tensor<fp32, [16, 16, 3, 3]>(\(weight)), pad_type = string("same"));
      tensor<fp32, [1, 16, 6, 3]> y = matmul(x = c, y = w);
    } -> (y)
    """

  private func rows(_ place: Int?, _ inputs: [String: Tensor]) throws -> (rows: Set<String>, values: [Double]) {
    let request = DeviceRequest(threads: 2, allowsGPU: false, allowsFusion: false, forcedKernel: place)
    let engine = Engine(function: try FusionTests.main(Self.text), devices: try DeviceChoice(request))
    let values = try #require(try EngineTests.run(engine, inputs)["y"])
    let plan = try engine.plan(for: inputs.mapValues(\.type))
    return (Set(plan.steps.map { "\($0.choice.operation.type) \($0.choice.kernel)" }), values)
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

  /// The text of a constant, and its elements.
  private func constant(_ shape: [Int]) -> (text: String, numbers: [Double]) {
    let numbers = (0..<shape.reduce(1, *)).map { Double(($0 * 29) % 23) / 4 - 2 }
    var parts = numbers.map { "\($0)" }
    for size in shape.reversed() {
      parts = stride(from: 0, to: parts.count, by: size).map {
        "[\(parts[$0..<$0 + size].joined(separator: ", "))]"
      }
    }
    return ("tensor<fp32, \(shape)>(\(parts[0]))", numbers)
  }

  /// A constant is dense in its file. The plan reads it as NCHWc where all its readers use NCHWc.
  @Test(arguments: [1, 16, 20], [0, 1, 2]) func whatNeverChangesLiesAsItsReadersTakeIt(channels: Int, place: Int) throws
  {
    let shape = [2, channels, 3, 5]
    let all = [2, channels + 16, 3, 5]
    let (sum, part, factor) = (constant(shape), constant([2, 16, 3, 5]), constant(all))
    let text = """
      (tensor<fp32, \(shape)> x) {
        tensor<fp32, \(shape)> a = square(x = x);
        tensor<fp32, \(shape)> b = add(x = a, y = \(sum.text));
        tensor<fp32, \(all)> c = concat(values = (b, \(part.text)), axis = int32(1), interleave = bool(false));
        tensor<fp32, \(all)> d = mul(x = \(factor.text), y = c);
        tensor<fp32, \(all)> y = abs(x = d);
      } -> (y)
      """
    let x = try FusionTests.ramp(shape)
    let request = DeviceRequest(threads: 2, allowsGPU: false, forcedKernel: place)
    let engine = Engine(function: try FusionTests.main(text), devices: try DeviceChoice(request))
    let values = try #require(try EngineTests.run(engine, ["x": x])["y"])
    let (own, joined) = (channels * 15, 16 * 15)
    let joinedSums = zip(try x.doubles(), sum.numbers).map { $0 * $0 + $1 }
    for image in 0..<2 {
      for index in 0..<own + joined {
        let term = index < own ? joinedSums[image * own + index] : part.numbers[image * joined + index - own]
        let at = image * (own + joined) + index
        #expect(abs(values[at] - abs(term * factor.numbers[at])) < 1e-4 * (1 + abs(values[at])), "\(at)")
      }
    }
    let rows = try engine.plan(for: ["x": x.type]).steps.map(\.choice.kernel)
    #expect(rows.contains { $0.hasSuffix(".nchwc") } == (place == 1))
  }
}
