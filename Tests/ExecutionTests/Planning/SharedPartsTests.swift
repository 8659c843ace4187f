import CoreMLKernels
import MIL
import Testing

@testable import CoreMLExecution

/// Parts of a concatenation are computed in its memory, and parts of a split stay in the memory of the whole. Results
/// do not change.
@Suite struct SharedPartsTests {
  /// The arena offsets of the inputs and outputs of all operations of a type. nil for a value outside the arena.
  private func offsets(_ plan: Plan, _ type: String) -> [[Int?]] {
    plan.steps.filter { $0.choice.operation.type == type }.map { step in
      (step.inputs + step.outputs).map { if case .arena(let offset) = plan.slots[$0].storage { offset } else { nil } }
    }
  }

  private func plan(_ text: String) throws -> Plan {
    let engine = try EngineTests.engine(text)
    return try engine.plan(for: engine.inputTypes)
  }

  /// A chain of concatenations, as in DenseNet. Each is the beginning of the next, and no step copies.
  @Test func joinsOfJoinsLieInOnePlace() throws {
    let plan = try plan(
      """
      (tensor<fp32, [1, 16, 4]> x) {
        tensor<fp32, [1, 16, 4]> a = relu(x = x);
        tensor<fp32, [1, 16, 4]> b = exp(x = a);
        tensor<fp32, [1, 32, 4]> ab = concat(values = (a, b), axis = int32(1), interleave = bool(false));
        tensor<fp32, [1, 32, 4]> t = tanh(x = ab);
        tensor<fp32, [1, 1, 4]> c = reduce_sum(x = t, axes = tensor<int32, [1]>([1]), keep_dims = bool(true));
        tensor<fp32, [1, 16, 4]> d = add(x = c, y = b);
        tensor<fp32, [1, 48, 4]> abd = concat(values = (a, b, d), axis = int32(1), interleave = bool(false));
        tensor<fp32, [1, 48, 4]> y = sigmoid(x = abd);
      } -> (y)
      """)
    let joins = offsets(plan, "concat").map { $0.compactMap { $0 } }
    #expect(joins.count == 2)
    let begin = try #require(joins[1].last)
    #expect(joins == [[begin, begin + 256, begin], [begin, begin + 256, begin + 512, begin]])
    // `ab` is still live when its tanh is computed.
    #expect(offsets(plan, "tanh").first?.last != begin)
  }

  @Test func partsLieWhereTheWholeIs() throws {
    let plan = try plan(
      """
      (tensor<fp32, [1, 32, 4]> x) {
        tensor<fp32, [1, 32, 4]> a = relu(x = x);
        tensor<fp32, [1, 16, 4]> l, tensor<fp32, [1, 16, 4]> r = split(x = a, num_splits = int32(2), axis = int32(1));
        tensor<fp32, [1, 16, 4]> e = exp(x = r);
        tensor<fp32, [1, 48, 4]> j = concat(values = (l, r, e), axis = int32(1), interleave = bool(false));
        tensor<fp32, [1, 48, 4]> y = tanh(x = j);
      } -> (y)
      """)
    let split = try #require(offsets(plan, "split").first).compactMap { $0 }
    #expect(split.count == 3 && split[1] == split[0] && split[2] == split[0] + 256)
    let join = try #require(offsets(plan, "concat").first).compactMap { $0 }
    #expect(join == [split[0], split[0] + 256, split[0] + 512, split[0]])
  }

  /// Another tensor's rows lie between the rows of a part, so the concatenation copies the part.
  @Test func partsThatAreNotInOnePieceAreCopied() throws {
    let plan = try plan(
      """
      (tensor<fp32, [2, 16, 4]> x) {
        tensor<fp32, [2, 16, 4]> a = relu(x = x);
        tensor<fp32, [2, 16, 4]> b = exp(x = a);
        tensor<fp32, [2, 32, 4]> j = concat(values = (a, b), axis = int32(1), interleave = bool(false));
        tensor<fp32, [2, 32, 4]> y = tanh(x = j);
      } -> (y)
      """)
    let join = try #require(offsets(plan, "concat").first).compactMap { $0 }
    // The concatenation is computed in the output's memory and then used in place.
    #expect(join.count == 2 && join[0] != join[1])
  }

  /// Random programs of concatenations, splits, slices, views and functions that could overwrite their inputs, dense
  /// and NCHWc. The test computes the expected value of each result separately.
  @Test(arguments: 0..<12) func programsAtRandomGiveWhatTheyShould(_ seed: Int) throws {
    for number in 0..<12 {
      var program = RandomProgram(seed: UInt64(seed * 100 + number + 1))
      let (text, outputs) = program.written(operations: 24)
      let engine = try EngineTests.engine(text)
      for round in 0..<2 {
        let found = try EngineTests.run(engine, ["x": Tensor(float32: program.input, shape: [1, 32, 2, 3])])
        for (name, expected) in outputs {
          #expect(found[name] == expected.map(Double.init), "\(name), round \(round) of\n\(text)")
        }
      }
    }
  }
}

/// A program whose values are small integers, so that every evaluation order gives the same result.
private struct RandomProgram {
  private struct Random {
    var state: UInt64
    mutating func below(_ bound: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int((state >> 33) % UInt64(bound))
    }
  }

  private struct Known {
    let name: String
    let channels: Int
    let numbers: [Float]
    var type: String { "tensor<fp32, [1, \(channels), 2, 3]>" }
  }

  private var random: Random
  private var known: [Known]
  private var lines: [String] = []
  let input: [Float]

  init(seed: UInt64) {
    random = Random(state: seed)
    input = (0..<192).map { Float($0 * 29 % 41 - 20) }
    known = [Known(name: "x", channels: 32, numbers: input)]
  }

  mutating func written(operations: Int) -> (text: String, outputs: [String: [Float]]) {
    for _ in 0..<operations { write() }
    let kept =
      (0..<3).map { _ in known[random.below(known.count)] }.filter { $0.name != "x" } + [known[known.count - 1]]
    let outputs = Dictionary(kept.map { ($0.name, $0.numbers) }, uniquingKeysWith: { first, _ in first })
    let text = """
      (tensor<fp32, [1, 32, 2, 3]> x) {
      \(lines.joined(separator: "\n"))
      } -> (\(outputs.keys.sorted().joined(separator: ", ")))
      """
    return (text, outputs)
  }

  private mutating func add(_ channels: Int, _ numbers: [Float], _ expression: String) {
    let value = Known(name: "v\(known.count)", channels: channels, numbers: numbers)
    lines.append("  \(value.type) \(value.name) = \(expression);")
    known.append(value)
  }

  /// Prefers one of the last values, whose memory is about to be reused.
  private mutating func pick() -> Known { known[max(known.count - 1 - random.below(random.below(3) == 0 ? 12 : 3), 0)] }

  private mutating func write() {
    let x = pick()
    switch random.below(8) {
    case 0: add(x.channels, x.numbers.map { max($0, 0) }, "relu(x = \(x.name))")
    case 1: add(x.channels, x.numbers.map { $0 + 1 }, "add(x = \(x.name), y = fp32(1))")
    case 2:
      let alike = known.filter { $0.channels == x.channels }
      let other = alike[random.below(alike.count)]
      add(x.channels, zip(x.numbers, other.numbers).map { max($0, $1) }, "maximum(x = \(x.name), y = \(other.name))")
    case 3, 4:
      var parts = [x]
      for _ in 0..<1 + random.below(3) { parts.append(pick()) }
      let channels = parts.map(\.channels).reduce(0, +)
      guard channels <= 160 else { return }
      let names = parts.map(\.name).joined(separator: ", ")
      add(channels, parts.flatMap(\.numbers), "concat(values = (\(names)), axis = int32(1), interleave = bool(false))")
    case 5:
      guard x.channels % 2 == 0 else { return }
      let half = x.channels / 2
      let (left, right) = ("v\(known.count)", "v\(known.count + 1)")
      let parts = [x.numbers.prefix(half * 6), x.numbers.suffix(half * 6)].map(Array.init)
      let both = zip([left, right], parts).map { Known(name: $0, channels: half, numbers: $1) }
      lines.append(
        "  \(both.map { "\($0.type) \($0.name)" }.joined(separator: ", ")) = split(x = \(x.name), num_splits = int32(2), axis = int32(1));"
      )
      known += both
    case 6:
      let begin = random.below(x.channels)
      let end = begin + 1 + random.below(x.channels - begin)
      add(
        end - begin, Array(x.numbers[begin * 6..<end * 6]),
        "slice_by_index(x = \(x.name), begin = tensor<int32, [4]>([0, \(begin), 0, 0]), end = tensor<int32, [4]>([1, \(end), 2, 3]))"
      )
    default:
      // An NCHWc convolution that permutes its channels: 16 output channels, some of them repeated.
      let order = (0..<16).map { _ in random.below(x.channels) }
      let weight = order.map { place in
        "[" + (0..<x.channels).map { $0 == place ? "[[1]]" : "[[0]]" }.joined(separator: ", ") + "]"
      }
      add(
        16, order.flatMap { x.numbers[$0 * 6..<$0 * 6 + 6] },
        "conv(x = \(x.name), weight = tensor<fp32, [16, \(x.channels), 1, 1]>([\(weight.joined(separator: ", "))]))")
    }
  }
}
