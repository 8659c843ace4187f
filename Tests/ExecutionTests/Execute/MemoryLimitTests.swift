import AllocationCount
import CoreMLBase
import CoreMLKernels
import Foundation
import MIL
import Testing

@testable import CoreMLExecution

/// A prediction that needs more memory than the limit throws an error, and the next one runs.
@Suite struct MemoryLimitTests {
  private static func limited<Result>(_ bytes: Int, _ body: () throws -> Result) rethrows -> Result {
    try MemoryBudget(limit: bytes).during(body)
  }

  private static func refused(_ body: () throws -> Void) -> MILError? {
    let error = #expect(throws: MILError.self) { try body() }
    #expect(error?.code == .outOfMemory, "\(String(describing: error))")
    return error
  }

  /// Empty rows and columns make a large matrix of zeros: an input of a few bytes, and a result of 40 GB.
  @Test func aLargeArenaIsRefusedByNameAndTheNextPredictionRuns() throws {
    let engine = try Self.limited(1 << 30) {
      try EngineTests.engine(
        """
        (tensor<fp32, [?, ?]> x, tensor<fp32, [?, ?]> y) { tensor<fp32, [?, ?]> z = matmul(x = x, y = y); } -> (z)
        """)
    }
    func run(_ rows: Int, _ depth: Int) throws -> Int? {
      let x = try Tensor.zeros(.float32, shape: [rows, depth])
      let y = try Tensor.zeros(.float32, shape: [depth, rows])
      return try EngineTests.run(engine, ["x": x, "y": y])["z"]?.count
    }
    let error = Self.refused { _ = try run(100_000, 0) }
    #expect(error?.message.contains("37.3 GB") == true && error?.message.contains("1.0 GB") == true)
    #expect(try run(3, 2) == 9)
    _ = Self.refused { _ = try run(120_000, 0) }
    #expect(try run(4, 2) == 16)
  }

  /// Without a limit of the runtime, the operating system refuses the allocation.
  @Test func withoutALimitTheMachineRefuses() throws {
    let engine = try EngineTests.engine(
      "(tensor<fp32, [?]> x, tensor<fp32, [?]> y) { tensor<fp32, [?]> z = concat(values = (x, y), axis = int32(0)); } -> (z)"
    )
    let types = ["x": TensorType(.float32, [15 << 30]), "y": TensorType(.float32, [1])]
    let plan = try engine.plan(for: types)
    guard MemoryBudget.machine.limit < 60 << 30 else { return }
    _ = Self.refused { _ = try Session(plan: plan) }
  }

  @Test(arguments: [
    "fill(shape = n, value = fp32(1))", "fill(shape = n, value = int32(1))",
    "tile(x = tensor<fp32, [1]>([1.0]), reps = n)", "range_1d(start = int32(0), end = e, step = int32(1))",
    "range_1d(start = fp32(0), end = f, step = fp32(1))",
  ])
  func runTimeShapesAreRefused(call: String) throws {
    let scalar = call.contains("int32(") ? "int32" : "fp32"
    let engine = try Self.limited(64 << 20) {
      try EngineTests.engine(
        """
        (tensor<int32, [1]> n) {
          int32 e = squeeze(x = n);
          fp32 f = cast(x = e, dtype = string("fp32"));
          tensor<\(scalar), [?]> a = \(call);
          tensor<\(scalar), [?]> z = add(x = a, y = a);
        } -> (z)
        """)
    }
    func run(_ count: Int) throws -> Int? {
      try EngineTests.run(engine, ["n": Tensor(int32: [count], shape: [1])])["z"]?.count
    }
    for count in [1 << 24, 1 << 30, Int(Int32.max)] {
      let error = Self.refused { _ = try run(count) }
      #expect(error?.operation != nil || error?.message.contains("needs") == true, "\(String(describing: error))")
    }
    #expect(try run(5) == 5)
  }

  /// The elements of a list use memory before anything writes them: 32 MB in one list, or 8 MB in each of three.
  @Test(arguments: [1, 3]) func listsAreRefused(lists: Int) throws {
    let makes = (0..<lists).map { index in
      """
      list<tensor<fp32, [3]>, ?> l\(index) = make_list(init_length = c, elem_shape = (int32(3)),
        dynamic_length = bool(true), dtype = string("fp32"));
      """
    }
    let lengths = (0..<lists).map { "int32 z\($0) = list_length(ls = l\($0));" }
    let engine = try Self.limited(16 << 20) {
      try EngineTests.engine(
        """
        (tensor<int32, [1]> n) { int32 c = squeeze(x = n); \(makes.joined()) \(lengths.joined()) }
          -> (\((0..<lists).map { "z\($0)" }.joined(separator: ", ")))
        """)
    }
    func run(_ count: Int) throws -> [Double]? {
      try EngineTests.run(engine, ["n": Tensor(int32: [count], shape: [1])])["z0"]
    }
    let count = 4_000_000 / lists
    #expect(try run(5) == [5])
    let error = Self.refused { _ = try run(count) }
    #expect(error?.message.contains("a list of \(count) elements needs") == true, "\(String(describing: error))")
    #expect(try run(100_000) == [100_000])
    engine.giveBackMemory()
    #expect(engine.budget.bytesHeld < 1 << 20)
  }

  @Test func aListThatGrowsIsRefused() throws {
    let engine = try Self.limited(16 << 20) {
      try EngineTests.engine(
        """
        (tensor<int32, [1]> n, tensor<fp32, [3]> x) {
          int32 i = squeeze(x = n);
          list<tensor<fp32, [3]>, ?> l = make_list(init_length = int32(1), elem_shape = (int32(3)),
            dynamic_length = bool(true), dtype = string("fp32"));
          list<tensor<fp32, [3]>, ?> w = list_write(ls = l, index = i, value = x);
          int32 z = list_length(ls = w);
        } -> (z)
        """)
    }
    func run(_ index: Int) throws -> [Double]? {
      let x = Tensor(float32: [1, 2, 3], shape: [3])
      return try EngineTests.run(engine, ["n": Tensor(int32: [index], shape: [1]), "x": x])["z"]
    }
    let error = Self.refused { _ = try run(4_000_000) }
    #expect(error?.message.contains("a list of 4000001 elements needs") == true, "\(String(describing: error))")
    #expect(try run(7) == [8])
  }

  /// Converting the elements of a tensor allocates one array, which the limit admitted, and no temporary arrays.
  @Test(
    .enabled(if: AllocationCount.isOn, "a sanitizer has its own allocator"),
    arguments: [ScalarType.int32, .float16, .uint4])
  func numbersAreReadIntoOneArray(_ scalar: ScalarType) throws {
    let tensor = try Tensor.zeros(scalar, shape: [1 << 12])
    func count<Element>(_ read: () throws -> [Element]) throws -> Int {
      _ = try read()
      return try AllocationCount.count { _ = try read() }
    }
    let one = try count(tensor.doubles)
    #expect(try count(tensor.ints) <= one)
    #expect(try count(tensor.floats) <= one)
    #expect(try count(tensor.bools) <= one)
  }

  /// The memory of idle sessions for other shapes is freed when a prediction needs it.
  @Test func idleSessionsGiveWay() throws {
    let engine = try Self.limited(12 << 20) {
      try EngineTests.engine("(tensor<fp32, [?]> x) { tensor<fp32, [?]> y = square(x = x); } -> (y)")
    }
    for count in [1 << 20, (1 << 20) + 1, (1 << 20) + 2, 1 << 20] {
      let input = try Tensor.zeros(.float32, shape: [count])
      let states = try StateBuffers(types: [:])
      let found = try engine.run(["x": .tensor(input)], states: states, shouldStop: { false }) {
        $0.first?.value.tensor?.count
      }
      #expect(found == count)
    }
    #expect(engine.budget.bytesHeld <= 12 << 20)
    engine.giveBackMemory()
    #expect(engine.budget.bytesHeld < 1 << 20)
  }

  /// Weights that preparing a model unpacks count towards the limit.
  @Test func unpackedWeightsAreCounted() throws {
    func engine(_ limit: Int) throws -> Engine {
      var function = try EngineTests.engine(
        """
        (tensor<fp16, [1, 4000000]> x) {
          tensor<fp16, [1, 4000000]> w = constexpr_affine_dequantize(quantized_data = int8(0), scale = fp16(0.1),
            zero_point = int8(0), axis = int32(0));
          tensor<fp16, [1, 4000000]> y = mul(x = x, y = w);
        } -> (y)
        """
      ).function
      function.body.operations[0].inputs["quantized_data"] = [
        .tensor(try Tensor.zeros(.int8, shape: [1, 4_000_000]))
      ]
      return Self.limited(limit) { Engine(function: function, devices: DeviceChoice(threads: 1)) }
    }
    // Four million fp32 elements, which the product reads from memory.
    _ = Self.refused { _ = try engine(12 << 20).plan(for: engine(12 << 20).inputTypes) }
    _ = try engine(2 << 30).plan(for: engine(2 << 30).inputTypes)
  }

  /// The scratch memory of attention over many keys is bounded in every kernel.
  @Test(arguments: [1 << 12, 1 << 17, 1 << 20, 1 << 24])
  func theScratchOfAttentionIsBounded(sources: Int) throws {
    let (query, key) = (TensorType(.float32, [1, 1024, 64]), TensorType(.float32, [1, sources, 64]))
    let operation = Operation(
      "scaled_dot_product_attention",
      inputs: ["query": [.name("q")], "key": [.name("k")], "value": [.name("v")]],
      outputs: [NamedType("y", .tensor(query))])
    let types: [String: [ValueType]] = ["query": [.tensor(query)], "key": [.tensor(key)], "value": [.tensor(key)]]
    let invocation = Invocation(operation: operation, inputTypes: types, values: types.mapValues { _ in [nil] })
    let problem = KernelProblem(invocation: invocation, outputs: [query], threads: 8, allowsLowPrecision: true)
    var accepted: [String] = []
    for row in KernelRegistry.implementations(for: operation.type, on: .cpu) where row.name != "reference" {
      do {
        let candidate = try row.match(problem)
        accepted.append(row.name)
        #expect(candidate.scratchBytes <= 8 * (130 << 20), "\(row.name): \(candidate.scratchBytes)")
      } catch let refusal as Refusal {
        // Not every processor supports bf16 products.
        if !row.name.hasSuffix(".bf16") { #expect(refusal.reason.contains("megabytes a thread")) }
      }
    }
    accepted.removeAll { $0.hasSuffix(".bf16") }
    #expect(accepted == (sources < 1 << 17 ? ["attention.packed"] : []) + ["attention.queries", "attention.tiled"])
  }
}
