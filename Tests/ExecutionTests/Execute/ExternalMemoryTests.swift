import MIL
import Testing

@testable import CoreMLExecution

/// Plans compute directly in the caller's memory of inputs, outputs and states.
@Suite struct ExternalMemoryTests {
  private func places(_ plan: Plan, _ type: String) -> [String] {
    plan.steps.filter { $0.choice.operation.type == type }.flatMap { $0.inputs + $0.outputs }.map {
      switch plan.slots[$0].storage {
      case .external(let number): "\(plan.externals[number].role)"
      case .arena: "arena"
      case .literal: "literal"
      case .packed: "packed"
      case .outer: "around"
      case .environment: "environment"
      }
    }
  }

  @Test func inputsAndOutputsAreReadAndWrittenWhereTheyAre() throws {
    let engine = try EngineTests.engine("(tensor<fp32, [4]> x) { tensor<fp32, [4]> y = relu(x = x); } -> (y)")
    let plan = try engine.plan(for: engine.inputTypes)
    #expect(places(plan, "relu") == [#"input("x")"#, #"output("y")"#])
    #expect(plan.arenaBytes == [0])
    let x = Tensor(float32: [-1, 2, -3, 4], shape: [4])
    let target = UnsafeMutableRawPointer.allocate(byteCount: 16, alignment: 4)
    defer { target.deallocate() }
    let isThere = try engine.run(
      ["x": .tensor(x)], states: StateBuffers(types: [:]), shouldStop: { false }, writing: { _, _ in target }
    ) { $0[0].value.tensor?.storage.pointer == UnsafeRawPointer(target) }
    #expect(isThere)
    #expect(Array(UnsafeRawBufferPointer(start: target, count: 16).bindMemory(to: Float.self)) == [0, 2, 0, 4])
    #expect(try x.doubles() == [-1, 2, -3, 4])
  }

  /// A plan never writes to the caller's inputs. An output does not overwrite an input that a later step reads.
  @Test func aCallersMemoryIsNeverOverwritten() throws {
    let engine = try EngineTests.engine(
      """
      (tensor<fp32, [4]> x) {
        tensor<fp32, [4]> a = relu(x = x);
        tensor<fp32, [4]> b = exp(x = x);
        tensor<fp32, [4]> y = add(x = a, y = b);
        tensor<fp32, [4]> z = sub(x = y, y = x);
      } -> (z, x)
      """)
    let x = Tensor(float32: [0, 0, 0, 0], shape: [4])
    let mine = UnsafeMutableRawPointer(mutating: x.storage.pointer)
    let result = try engine.run(
      ["x": .tensor(x)], states: StateBuffers(types: [:]), shouldStop: { false }, writing: { _, _ in mine }
    ) { try $0.map { try $0.value.tensor?.doubles() ?? [] } }
    #expect(result == [[1, 1, 1, 1], [0, 0, 0, 0]])
    #expect(try x.doubles() == [0, 0, 0, 0])
  }

  static let cache = """
    (state<tensor<fp32, [4, 2]>> cache, tensor<fp32, [1, 2]> row, tensor<int32, [2]> begin, tensor<int32, [2]> end) {
      tensor<fp32, [4, 2]> old = read_state(input = cache);
      tensor<fp32, [4, 2]> new = slice_update(x = old, update = row, begin = begin, end = end);
      write_state(input = cache, data = new);
      tensor<fp32, [4, 2]> all = read_state(input = cache);
      tensor<fp32, [2]> y = reduce_sum(x = all, axes = tensor<int32, [1]>([0]), keep_dims = bool(false));
    } -> (y)
    """

  /// The plan extends a cache in place: no step copies it.
  @Test func aCacheIsWrittenInPlace() throws {
    let engine = try EngineTests.engine(Self.cache)
    let plan = try engine.plan(for: engine.inputTypes)
    #expect(plan.arenaBytes[0] == 0)
    #expect(places(plan, "slice_update").filter { $0 == #"state("cache")"# }.count == 2)
    let states = try StateBuffers(types: engine.stateTypes)
    var sums: [[Double]] = []
    for row in 0..<3 {
      sums.append(
        try engine.run(
          [
            "row": .tensor(Tensor(float32: [Float(row + 1), 1], shape: [1, 2])),
            "begin": .int32s([row, 0]), "end": .int32s([row + 1, 2]),
          ], states: states, shouldStop: { false }
        ) { try $0[0].value.tensor?.doubles() ?? [] })
    }
    #expect(sums == [[1, 1], [3, 2], [6, 3]])
    #expect(try states.read("cache").doubles() == [1, 1, 2, 1, 3, 1, 0, 0])
  }

  /// A value that was read before a write keeps its content, however late it is used.
  @Test func whatWasReadBeforeAWriteStays() throws {
    let engine = try EngineTests.engine(
      """
      (state<tensor<fp32, [2]>> s, tensor<fp32, [2]> x) {
        tensor<fp32, [2]> old = read_state(input = s);
        tensor<fp32, [2]> new = add(x = old, y = x);
        write_state(input = s, data = new);
        tensor<fp32, [2]> y = sub(x = new, y = old);
        tensor<fp32, [2]> more = mul(x = new, y = new);
        write_state(input = s, data = more);
        tensor<fp32, [2]> last = read_state(input = s);
        tensor<fp32, [2]> z = add(x = last, y = new);
      } -> (y, z, old)
      """)
    let states = try StateBuffers(types: engine.stateTypes)
    try states.write("s", from: Tensor(float32: [1, 2], shape: [2]))
    let before = try states.read("s")
    let result = try engine.run(
      ["x": .tensor(Tensor(float32: [1, 1], shape: [2]))], states: states, shouldStop: { false }
    ) { try $0.map { try $0.value.tensor?.doubles() ?? [] } }
    #expect(result == [[1, 1], [6, 12], [1, 2]])
    #expect(try states.read("s").doubles() == [4, 9])
    // A value that was read from the state before keeps its content.
    #expect(try before.doubles() == [1, 2])
  }
}
