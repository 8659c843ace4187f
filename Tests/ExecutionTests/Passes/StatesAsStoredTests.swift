import MIL
import Testing

@testable import CoreMLExecution

/// fp16 caches as converters write them: one state for all layers. Each layer writes one row and reads its part.
@Suite struct StatesAsStoredTests {
  /// Two layers. `beside` holds additional operations of a test, and `results` their results.
  private static func cache(_ beside: String = "", _ results: String = "") -> String {
    """
    (state<tensor<fp16, [2, 4, 2]>> cache, tensor<fp32, [1, 1, 2]> row, tensor<int32, [1]> place) {
      tensor<fp16, [1, 1, 2]> new = cast(x = row, dtype = string("fp16"));
      tensor<int32, [1]> after = add(x = place, y = int32(1));
      tensor<int32, [3]> begin0 = concat(values = (tensor<int32, [1]>([0]), place, tensor<int32, [1]>([0])), axis = int32(0), interleave = bool(false));
      tensor<int32, [3]> end0 = concat(values = (tensor<int32, [1]>([1]), after, tensor<int32, [1]>([2])), axis = int32(0), interleave = bool(false));
      tensor<int32, [3]> begin1 = concat(values = (tensor<int32, [1]>([1]), place, tensor<int32, [1]>([0])), axis = int32(0), interleave = bool(false));
      tensor<int32, [3]> end1 = concat(values = (tensor<int32, [1]>([2]), after, tensor<int32, [1]>([2])), axis = int32(0), interleave = bool(false));
      tensor<fp16, [2, 4, 2]> old = read_state(input = cache);
      tensor<fp16, [2, 4, 2]> first = slice_update(x = old, update = new, begin = begin0, end = end0);
      write_state(input = cache, data = first);
      tensor<fp16, [2, 4, 2]> held = read_state(input = cache);
      tensor<fp16, [1, 4, 2]> layer = slice_by_index(x = held, begin = tensor<int32, [3]>([0, 0, 0]), end = tensor<int32, [3]>([1, 4, 2]));
      tensor<fp16, [1, 1, 2]> sum = reduce_sum(x = layer, axes = tensor<int32, [1]>([1]), keep_dims = bool(true));
      tensor<fp16, [2, 4, 2]> second = slice_update(x = held, update = sum, begin = begin1, end = end1);
      write_state(input = cache, data = second);
      tensor<fp16, [2, 4, 2]> all = read_state(input = cache);
      tensor<fp16, [1, 4, 2]> last = slice_by_index(x = all, begin = tensor<int32, [3]>([1, 0, 0]), end = tensor<int32, [3]>([2, 4, 2]));
      tensor<fp16, [1, 1, 2]> sums = reduce_sum(x = last, axes = tensor<int32, [1]>([1]), keep_dims = bool(true));
      tensor<fp32, [1, 1, 2]> y = cast(x = sums, dtype = string("fp32"));
      \(beside)
    } -> (y\(results))
    """
  }

  private func run(_ engine: Engine, _ states: StateBuffers, _ row: [Float], at place: Int) throws -> [[Double]] {
    try engine.run(
      ["row": .tensor(Tensor(float32: row, shape: [1, 1, 2])), "place": .int32s([place])], states: states,
      shouldStop: { false }
    ) { try $0.map { try $0.value.tensor?.doubles() ?? [] } }
  }

  /// No step creates, widens or copies a value of the cache's size. Both updates write to the state's memory.
  @Test func aCacheOfAllLayersIsWrittenInPlace() throws {
    let engine = try EngineTests.engine(Self.cache())
    let plan = try engine.plan(for: engine.inputTypes)
    let updates = plan.steps.filter { $0.choice.operation.type == "slice_update" }
    #expect(updates.count == 2)
    for update in updates {
      let caches = (update.inputs + update.outputs).filter { plan.slots[$0].type.tensor?.elementCount == 16 }
      #expect(caches.count == 2)
      for slot in caches {
        #expect(plan.slots[slot].type.tensor?.scalar == .float16)
        guard case .external(let number) = plan.slots[slot].storage, case .state("cache") = plan.externals[number].role
        else {
          Issue.record("\(plan.slots[slot].name) is not in the state's memory")
          continue
        }
      }
    }
    for step in plan.steps where step.choice.operation.type == "cast" {
      for slot in step.outputs { #expect((plan.slots[slot].type.tensor?.elementCount ?? 0) < 16) }
    }
    let states = try StateBuffers(types: engine.stateTypes)
    // 1/3 is not representable in fp16, so the sums show that the layers read the rounded values of the cache.
    let third = Double(Float16(1.0 / 3))
    #expect(try run(engine, states, [1.0 / 3, 1], at: 0) == [[third, 1]])
    #expect(try run(engine, states, [1, 2], at: 2) == [[third + Double(Float16(1 + third)), 4]])
    let found = try states.read("cache").doubles()
    #expect(found == [third, 1, 0, 0, 1, 2, 0, 0, third, 1, 0, 0, Double(Float16(1 + third)), 3, 0, 0])
  }

  /// Other readers of an update see the written values, and values read before keep the old content.
  @Test func othersSeeWhatWasWritten() throws {
    let engine = try EngineTests.engine(
      Self.cache(
        """
        tensor<fp32, [2, 4, 2]> before = cast(x = old, dtype = string("fp32"));
        tensor<fp32, [2, 4, 2]> between = cast(x = first, dtype = string("fp32"));
        """, ", before, between"))
    let states = try StateBuffers(types: engine.stateTypes)
    _ = try run(engine, states, [1, 1], at: 1)
    let results = try run(engine, states, [0.1, 8], at: 0)
    let tenth = Double(Float16(0.1))
    #expect(results[1] == [0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0])
    #expect(results[2] == [tenth, 8, 1, 1, 0, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0])
  }

  /// If the file updates in fp32, rounding follows the update. Only the state gets fp16 values.
  @Test(arguments: [false, true]) func updatesInSinglePrecision(isReadBeside: Bool) throws {
    let engine = try EngineTests.engine(
      """
      (state<tensor<fp16, [64, 2]>> s, tensor<fp32, [1, 2]> x, tensor<int32, [2]> begin, tensor<int32, [2]> end) {
        tensor<fp16, [64, 2]> old = read_state(input = s);
        tensor<fp32, [64, 2]> wide = cast(x = old, dtype = string("fp32"));
        tensor<fp32, [64, 2]> new = slice_update(x = wide, update = x, begin = begin, end = end);
        tensor<fp16, [64, 2]> half = cast(x = new, dtype = string("fp16"));
        write_state(input = s, data = half);
        tensor<fp32, [2]> y = reduce_sum(x = \(isReadBeside ? "new" : "x"), axes = tensor<int32, [1]>([0]), keep_dims = bool(false));
      } -> (y)
      """)
    let plan = try engine.plan(for: engine.inputTypes)
    let large = plan.steps.filter { step in
      step.choice.operation.type == "cast"
        && step.outputs.contains { (plan.slots[$0].type.tensor?.elementCount ?? 0) == 128 }
    }
    #expect(large.isEmpty == !isReadBeside)
    let states = try StateBuffers(types: engine.stateTypes)
    let y = try engine.run(
      [
        "x": .tensor(Tensor(float32: [0.1, 0.2], shape: [1, 2])), "begin": .int32s([3, 0]), "end": .int32s([4, 2]),
      ], states: states, shouldStop: { false }
    ) { try $0[0].value.tensor?.doubles() ?? [] }
    #expect(y == [Double(Float(0.1)), Double(Float(0.2))])
    #expect(try states.read("s").doubles()[6..<8] == [Double(Float16(0.1)), Double(Float16(0.2))])
  }

  /// A kernel narrows fp32 values before the state is written.
  @Test func whatIsWrittenIsNarrowedByAKernel() throws {
    let engine = try EngineTests.engine(
      """
      (state<tensor<fp16, [64]>> s, tensor<fp32, [64]> x) {
        tensor<fp16, [64]> half = cast(x = x, dtype = string("fp16"));
        tensor<fp16, [64]> old = read_state(input = s);
        tensor<fp16, [64]> new = add(x = old, y = half);
        write_state(input = s, data = new);
        tensor<fp32, [64]> y = cast(x = new, dtype = string("fp32"));
      } -> (y)
      """)
    let plan = try engine.plan(for: engine.inputTypes)
    let write = try #require(plan.steps.first { if case .writeState = $0.action { true } else { false } })
    #expect(write.stateData.flatMap { plan.slots[$0].type.tensor?.scalar } == .float16)
    let states = try StateBuffers(types: engine.stateTypes)
    for _ in 0..<3 {
      _ = try engine.run(
        ["x": .tensor(Tensor(float32: [Float](repeating: 0.1, count: 64), shape: [64]))], states: states,
        shouldStop: { false }
      ) { _ in }
    }
    var expected: Float16 = 0
    for _ in 0..<3 { expected = Float16(Float(expected) + Float(Float16(0.1))) }
    #expect(try states.read("s").doubles() == [Double](repeating: Double(expected), count: 64))
  }

  /// Programs of reads, updates, slices and writes in random order, generated from a seed. Values are small integers,
  /// so nothing is rounded.
  private static func program(seed: Int) -> String {
    var seed = UInt64(seed) &* 2_654_435_761 &+ 77
    func number(_ bound: Int) -> Int {
      seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(seed >> 33) % bound
    }
    var wholes: [String] = []
    var rows = ["x"]
    var lines: [String] = []
    for count in 0..<24 {
      let name = "v\(count)"
      func whole() -> String { wholes[number(wholes.count)] }
      func row() -> String { rows[max(0, rows.count - 1 - number(4))] }
      let at = number(3)
      let place = "begin = tensor<int32, [2]>([\(at), 0]), end = tensor<int32, [2]>([\(at + 1), 4])"
      switch wholes.isEmpty ? 0 : number(8) {
      case 0:
        lines.append("tensor<fp16, [3, 4]> \(name) = read_state(input = s);")
        wholes.append(name)
      case 1, 2:
        lines.append("tensor<fp16, [3, 4]> \(name) = slice_update(x = \(whole()), update = \(row()), \(place));")
        wholes.append(name)
      case 3, 4:
        lines.append("write_state(input = s, data = \(wholes.last ?? whole()));")
      case 5, 6:
        lines.append("tensor<fp16, [1, 4]> \(name) = slice_by_index(x = \(whole()), \(place));")
        rows.append(name)
      default:
        lines.append("tensor<fp16, [1, 4]> \(name) = sub(x = \(row()), y = \(row()));")
        rows.append(name)
      }
    }
    let results = Set([rows.last, wholes.last].compactMap { $0 }).sorted()
    return """
      (state<tensor<fp16, [3, 4]>> s, tensor<fp16, [1, 4]> x) {
        \(lines.joined(separator: "\n"))
      } -> (\(results.joined(separator: ", ")))
      """
  }

  @Test(arguments: 0..<60) func anyOrderGivesWhatOneOperationAfterTheOtherGives(seed: Int) throws {
    let text = Self.program(seed: seed)
    let engine = try EngineTests.engine(text)
    let body = engine.function.body
    let (planned, plain) = (try StateBuffers(types: engine.stateTypes), try StateBuffers(types: engine.stateTypes))
    for numbers in [[1, 2, 3, 4], [-2, 0, 5, 1], [3, 3, -1, 7]] as [[Float]] {
      let x = Value.tensor(try Tensor(float32: numbers, shape: [1, 4]).converted(to: .float16))
      let expected = try Interpreter(pool: engine.pool, states: plain).run(
        Block(inputs: [NamedType("x", x.type)], operations: body.operations, outputs: body.outputs), inputs: [x], [:])
      let found = try engine.run(["x": x], states: planned, shouldStop: { false }) {
        try $0.map { try $0.value.detached() }
      }
      for (wanted, other) in zip(expected, found) {
        #expect(try wanted.tensor?.doubles() == other.tensor?.doubles(), "in \(text)")
      }
      #expect(try plain.read("s").doubles() == planned.read("s").doubles(), "the state in \(text)")
    }
  }
}
