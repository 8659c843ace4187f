import MIL
import Testing

@testable import CoreMLExecution
@testable import CoreMLKernels

/// Nearest-neighbor classifiers: a kernel finds the samples, and the vote is as the operation defines it.
@Suite struct NearestNeighborsTests {
  private static let classes = ["a", "b", "c", "d"]

  /// Samples on a grid, so that some have equal distances.
  private static func function(_ count: Int, k: Int, isInverse: Bool, integers: Bool) throws -> Function {
    let samples = (0..<count).map { row in
      "[\((0..<3).map { "\(Double((row * (7 + $0 * 4)) % 5) - 2)" }.joined(separator: ", "))]"
    }
    let labels = (0..<count).map { integers ? "\($0 % 4 * 11)" : "\"\(classes[$0 * 3 % 4])\"" }.joined(separator: ", ")
    let type = integers ? "int64" : "string"
    return try FusionTests.main(
      """
      (tensor<fp64, [3]> x) {
        tensor<\(type), []> label, dict<\(type), fp64> shares = ml.nearest_neighbors(x = x, samples = tensor<fp32, [\(count), 3]>([\(samples.joined(separator: ", "))]), labels = tensor<\(type), [\(count)]>([\(labels)]), default = \(type)(\(integers ? "0" : "\"none\"")), k = int32(\(k)), inverse_distance = bool(\(isInverse)));
      } -> (label, shares)
      """)
  }

  private func run(_ function: Function, fuses: Bool, _ x: [Double]) throws -> [String: Value] {
    let engine = Engine(function: function, devices: DeviceChoice(threads: 2, allowsFusion: fuses))
    let states = try StateBuffers(types: engine.stateTypes)
    let point = Value.tensor(Tensor(float64: x, shape: [3]))
    return try engine.run(["x": point], states: states, shouldStop: { false }) { outputs in
      var values: [String: Value] = [:]
      for (name, value) in outputs { values[name] = value }
      return values
    }
  }

  private func text(_ value: Value?) throws -> String {
    guard let tensor = value?.tensor else { return "no tensor" }
    return tensor.scalar == .string ? "\(try tensor.strings())" : "\(try tensor.ints())"
  }

  @Test(arguments: [1, 3, 40], [false, true]) func neighborsOfAKernelVoteAsThoseOfTheReference(k: Int, isInverse: Bool)
    throws
  {
    for integers in [false, true] {
      let function = try Self.function(37, k: k, isInverse: isInverse, integers: integers)
      for x in [[0.25, -1, 2], [1, 1, 1], [0, 0, 0], [-7.5, 100, 0.125]] {
        let (expected, found) = (try run(function, fuses: false, x), try run(function, fuses: true, x))
        #expect(try text(expected["label"]) == text(found["label"]))
        guard case .dictionary(let one, _, _)? = expected["shares"],
          case .dictionary(let other, _, _)? = found["shares"]
        else {
          Issue.record("no shares")
          continue
        }
        #expect(try one.map { try text($0.key) } == other.map { try text($0.key) } && one.count == 4)
        for (a, b) in zip(one, other) {
          let (a, b) = (try a.value.tensor?.doubles().first ?? -1, try b.value.tensor?.doubles().first ?? -2)
          #expect(abs(a - b) < 1e-12)
        }
      }
    }
  }

  @Test func theKernelsRowIsChosen() throws {
    let function = try Self.function(37, k: 3, isInverse: false, integers: false)
    let engine = Engine(function: function, devices: DeviceChoice(threads: 2))
    let rows = try engine.plan(for: engine.inputTypes).steps.map(\.choice.kernel)
    #expect(rows.contains("nearest_samples.double"), "\(rows)")
  }

  /// Random values, more neighbors than a heap has at its root, and NaN.
  @Test(arguments: [1, 2, 5, 64, 999, 1000]) func theNearestAreInOrder(k: Int) throws {
    var state: UInt64 = 7
    func number() -> Float {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Float(state >> 40) / Float(1 << 24) - 0.5
    }
    var samples = (0..<1000 * 9).map { _ in number() }
    // Two identical samples, and one whose distance is NaN.
    for column in 0..<9 { samples[400 * 9 + column] = samples[3 * 9 + column] }
    samples[17 * 9] = .nan
    let x = (0..<9).map { _ in Double(number()) }
    let operation = Operation(
      "ml.nearest_samples", inputs: ["x": [.name("x")], "samples": [.name("s")], "k": [.int(k)]],
      outputs: [
        NamedType("rows", .tensor(TensorType(.int32, [k]))), NamedType("distances", .tensor(TensorType(.float64, [k]))),
      ])
    var names = Scope()
    let (point, all) = (Tensor(float64: x, shape: [9]), Tensor(float32: samples, shape: [1000, 9]))
    names.define("x", .tensor(point.type), value: .tensor(point))
    names.define("s", .tensor(all.type), value: .tensor(all))
    let values = try KernelRegistry.evaluate(names.invocation(of: operation), pool: ThreadPool(threads: 2))
    let rows = try #require(values[0].tensor).ints()
    let distances = (0..<1000).map { row in
      (0..<9).reduce(0.0) { sum, column in
        let difference = x[column] - Double(samples[row * 9 + column])
        return sum + difference * difference
      }
    }
    let order = distances.indices.sorted { a, b in
      let (first, second) = (
        distances[a].isNaN ? .infinity : distances[a], distances[b].isNaN ? .infinity : distances[b]
      )
      return (first, a) < (second, b)
    }
    #expect(rows == Array(order.prefix(k)))
    let found = try #require(values[1].tensor).doubles()
    for (row, distance) in zip(rows, found) {
      #expect(distance.isNaN && distances[row].isNaN || abs(distance - distances[row]) < 1e-12)
    }
  }
}
