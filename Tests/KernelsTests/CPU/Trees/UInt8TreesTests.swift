import CKernels
import MIL
import Testing

@testable import CoreMLKernels

/// Trees with uint8 ranks, where a feature has more thresholds than a byte can count. The results equal those of plain
/// paths bit for bit.
@Suite(.enabled(if: ck_int8_supported(), "the processor has no 128-byte table lookup"))
struct UInt8TreesTests {
  /// Random trees with the given depth. Each branch has its own feature and threshold, and some leaves are higher up.
  private struct Forest {
    var roots: [Double] = []
    var behavior: [Double] = []
    var feature: [Double] = []
    var value: [Double] = []
    var children: [(Double, Double)] = []
    var missingTrue: [Double] = []
    var leafBegin: [Double] = [0]
    var leafIndex: [Double] = []
    var leafValue: [Double] = []
    let features: Int
    let dimensions: Int

    init(depths: [Int], features: Int, values: Int, dimensions: Int = 1, seed: Int) {
      (self.features, self.dimensions) = (features, dimensions)
      var random = Random(seed)
      for (tree, depth) in depths.enumerated() {
        roots.append(Double(behavior.count))
        grow(depth, values, tree % dimensions, isRoot: true, &random)
      }
    }

    @discardableResult
    private mutating func grow(
      _ depth: Int, _ values: Int, _ dimension: Int, isRoot: Bool = false, _ random: inout Random
    ) -> Int {
      let node = behavior.count
      let isLeaf = depth == 0 || (!isRoot && random.next() % 12 == 0)
      behavior.append(isLeaf ? 6 : Double(random.next() % 4))
      feature.append(isLeaf ? 0 : Double(random.next() % UInt64(features)))
      value.append(isLeaf ? 0 : Double(random.next() % UInt64(values)) / 8)
      missingTrue.append(isLeaf ? 0 : Double(random.next() % 2))
      children.append((0, 0))
      if isLeaf {
        leafIndex.append(Double(dimension))
        leafValue.append(Double(random.floats(1)[0]))
      }
      leafBegin.append(Double(leafIndex.count))
      guard !isLeaf else { return node }
      let first = grow(depth - 1, values, dimension, &random)
      let second = grow(depth - 1, values, dimension, &random)
      children[node] = (Double(first), Double(second))
      return node
    }

    func inputs(_ x: [Double], rows: Int) throws -> [String: [Value]] {
      func tensor(_ scalar: ScalarType, _ numbers: [Double]) throws -> [Value] {
        [.tensor(try Tensor(scalar, shape: [numbers.count], doubles: numbers))]
      }
      return [
        "x": [.tensor(try Tensor(.float64, shape: [rows, features], doubles: x))],
        "roots": try tensor(.int32, roots), "behavior": try tensor(.uint8, behavior),
        "feature": try tensor(.int32, feature), "value": try tensor(.float64, value),
        "true_child": try tensor(.int32, children.map(\.0)), "false_child": try tensor(.int32, children.map(\.1)),
        "missing_true": try tensor(.uint8, missingTrue), "leaf_begin": try tensor(.int32, leafBegin),
        "leaf_index": try tensor(.int32, leafIndex), "leaf_value": try tensor(.float64, leafValue),
        "base": try tensor(.float64, (0..<dimensions).map { 0.5 + Double($0) }),
      ]
    }
  }

  private func problem(_ inputs: [String: [Value]], _ rows: Int, _ dimensions: Int) -> KernelProblem {
    let operation = Operation(
      "ml.tree_ensemble", inputs: inputs.mapValues { $0.map { .literal($0) } },
      outputs: [NamedType("y", .tensor(TensorType(.float64, [rows, dimensions])))])
    let call = Invocation(
      operation: operation, inputTypes: inputs.mapValues { $0.map(\.type) },
      values: inputs.reduce(into: [:]) { $0[$1.key] = $1.key == "x" ? [nil] : $1.value.map { $0 } })
    return KernelProblem(invocation: call, outputs: [TensorType(.float64, [rows, dimensions])], threads: 1)
  }

  private func row(_ name: String) throws -> KernelImplementation {
    try #require(KernelRegistry.implementations(for: "ml.tree_ensemble", on: .cpu).first { $0.name == name })
  }

  private static let name = "tree_ensemble.full.int8"

  @Test(arguments: [
    (depths: Array(repeating: 6, count: 200), features: 30, values: 420, dimensions: 1, rows: 23),
    (depths: Array(repeating: 5, count: 70), features: 7, values: 300, dimensions: 2, rows: 301),
    (depths: Array(repeating: 7, count: 64), features: 1, values: 8000, dimensions: 1, rows: 23),
    (depths: (0..<62).map { $0 % 8 }, features: 9, values: 1500, dimensions: 3, rows: 2),
    (depths: Array(repeating: 3, count: 130), features: 60, values: 40, dimensions: 2, rows: 37),
    (depths: Array(repeating: 0, count: 9), features: 2, values: 2, dimensions: 1, rows: 1),
  ])
  func sumsAreThoseOfPaths(depths: [Int], features: Int, values: Int, dimensions: Int, rows: Int) throws {
    let forest = Forest(depths: depths, features: features, values: values, dimensions: dimensions, seed: depths.count)
    var random = Random(7)
    // Multiples of one eighth, so that many values equal a threshold. Some are NaN, and some infinite.
    let x = (0..<rows * features).map { _ -> Double in
      switch random.next() % 16 {
      case 0: .nan
      case 1: random.next() % 2 == 0 ? .infinity : -.infinity
      default: Double(random.next() % UInt64(values + 2)) / 8 - 0.125
      }
    }
    let inputs = try forest.inputs(x, rows: rows)
    let problem = problem(inputs, rows, dimensions)
    let expected = try CPUHarness.run(row("tree_ensemble.paths").match(problem), problem: problem, inputs: inputs)
    let found = try CPUHarness.run(row(Self.name).match(problem), problem: problem, inputs: inputs)
    let (sums, others) = (try found[0].doubles(), try expected[0].doubles())
    #expect(sums.map(\.bitPattern) == others.map(\.bitPattern))
  }

  @Test(arguments: [
    (depths: Array(repeating: 4, count: 7), features: 3, values: 9, words: "7 trees are too few"),
    (depths: Array(repeating: 8, count: 16), features: 3, values: 400, words: "more than 7 levels"),
    (depths: Array(repeating: 2, count: 900), features: 129, values: 9, words: "than 128 bytes tell apart"),
    (depths: [7] + Array(repeating: 1, count: 2000), features: 3, values: 9, words: "with 7 levels each"),
  ])
  func whatDoesNotFitIsLeftToOthers(depths: [Int], features: Int, values: Int, words: String) throws {
    let forest = Forest(depths: depths, features: features, values: values, seed: 3)
    let inputs = try forest.inputs(Array(repeating: 0, count: features), rows: 1)
    let refusal = #expect(throws: Refusal.self) { _ = try row(Self.name).match(problem(inputs, 1, 1)) }
    #expect(refusal.map { "\($0)".contains(words) } == true, "\(String(describing: refusal))")
  }
}
