import CoreMLBase
import CoreMLKernels
import CoreMLSpec
import MIL
import TestModels
import TestSupport
import Testing

@testable import CoreMLExecution
@testable import CoreMLImport

/// Single stages on an eight times larger input take about eight times as long. Measured in a whole plan, other costs
/// would hide quadratic growth except for very large files.
@Suite struct PassGrowthTests {
  /// Compares the seconds for 4,000 and 32,000 items. Quadratic work takes 64 times as long, and linear work 8 times.
  private static func expectInProportion(
    _ few: Int = 4_000, location: SourceLocation = #_sourceLocation, _ work: (Int) throws -> () throws -> Void
  ) throws {
    func seconds(_ count: Int) throws -> Double {
      let run = try work(count)
      let times = try (0..<3).map { _ in try ThreadTime.seconds(run) }
      return times.min() ?? 0
    }
    let (small, large) = (try seconds(few), try seconds(8 * few))
    #expect(
      large < 24 * max(small, 1e-3), "\(few) take \(small) s, \(8 * few) take \(large) s", sourceLocation: location)
  }

  private static let row = ValueType.tensor(TensorType(.float32, [2, 3]))

  /// The pass walks a block with the names of the outer scope and does not copy these names for each block.
  @Test func constantsOfBranchesWithinALoopAreHoisted() throws {
    try Self.expectInProportion { count in
      let branches = (0..<count).map { index in
        Operation(
          "cond", inputs: ["pred": [.name("p")]], outputs: [NamedType("a\(index + 1)", Self.row)],
          blocks: ["b", "c"].map { prefix in
            Block(
              operations: [
                Operation(
                  "sin", inputs: ["x": [.name("a\(index)")]], outputs: [NamedType("\(prefix)\(index)", Self.row)])
              ], outputs: ["\(prefix)\(index)"])
          })
      }
      let loop = Operation(
        "while_loop", inputs: ["loop_vars": [.name("x")]], outputs: [NamedType("y", Self.row)],
        blocks: [
          Block(inputs: [NamedType("a0", Self.row)], outputs: ["p"]),
          Block(inputs: [NamedType("a0", Self.row)], operations: branches, outputs: ["a\(count)"]),
        ])
      let function = Function(
        inputs: [NamedType("x", Self.row)], opset: "CoreML8", body: Block(operations: [loop], outputs: ["y"]))
      return { _ = try HoistConstants()(function) }
    }
  }

  @Test func memoryAroundABlockIsNumbered() throws {
    try Self.expectInProportion { count in
      let values = (0..<count).map {
        PlanCandidates.Slot(name: "a\($0)", type: Self.row, literal: nil, weight: nil, isDynamic: false)
      }
      let forms = (0..<count).map { LaidOutValue(value: $0, device: 0, layout: .dense) }
      return {
        let memory = try PlannedMemory(
          [], forms: forms, values: values, inputs: [], outputs: [], outer: Array(0..<count), deviceCount: 1,
          weights: WeightStore())
        guard case .outer(count - 1) = memory.slots[count - 1].storage else {
          Issue.record("the last is not around")
          return
        }
      }
    }
  }

  /// Values that live for one step, and values that all live to the end.
  @Test(arguments: [false, true]) func arenasAreLaidOut(areKept: Bool) throws {
    try Self.expectInProportion { count in
      let intervals = (0..<count).map {
        MemoryPlan.Interval(first: $0, last: areKept ? count : $0 + 1, bytes: 64 * ($0 % 7 + 1))
      }
      return {
        let plan = try MemoryPlan(intervals)
        #expect(plan.offsets.count == count)
      }
    }
  }

  /// The search finds an output of a classifier behind a chain of names for the same value.
  @Test func labelsAreFoundBehindAChainOfNames() throws {
    try Self.expectInProportion { count in
      let labels = Value.tensor(Tensor(strings: ["a", "b", "c"], shape: [3]))
      var operations = [
        Operation(
          "classify", inputs: ["probabilities": [.name("x")], "classes": [.literal(labels)]],
          outputs: [NamedType("n0", .open), NamedType("p", .open)]),
        Operation(
          "classify", inputs: ["probabilities": [.name("x")], "classes": [.literal(labels)]],
          outputs: [NamedType("other", .open), NamedType("q", .open)]),
      ]
      for index in 0..<count {
        operations.append(
          Operation("identity", inputs: ["x": [.name("n\(index)")]], outputs: [NamedType("n\(index + 1)", .open)]))
      }
      var function = Function(
        inputs: [NamedType("x", Self.row)], opset: "CoreML8",
        body: Block(operations: operations, outputs: ["n\(count)"]))
      function.featureOutputNames = ["label"]
      return { [function] in #expect(function.classLabels(of: "label")?.count == 3) }
    }
  }

  /// Results of a round whose memory other variables occupy: each is looked up once.
  @Test func loopsOfManyVariablesBegin() throws {
    try Self.expectInProportion(500) { count in
      let names = 0..<count
      func list(_ prefix: String, typed: Bool = true, from start: Int = 0) -> String {
        names.map { "\(typed ? "tensor<fp32, [2]> " : "")\(prefix)\(($0 + start) % count)" }.joined(separator: ", ")
      }
      let engine = try EngineTests.engine(
        """
        (tensor<fp32, [2]> x) {
          int32 n, \(list("y")) = while_loop(loop_vars = (int32(0), \(names.map { _ in "x" }.joined(separator: ", "))))
            block(int32 i, \(list("v"))) { bool m = less(x = i, y = int32(2)); } -> (m)
            block(int32 i, \(list("v"))) { int32 j = add(x = i, y = int32(1)); } -> (j, \(list("v", typed: false, from: 1)));
        } -> (y0)
        """)
      let plan = try engine.plan(for: engine.inputTypes)
      let flow = try #require(ControlFlowTests.flows(plan).first)
      let pair = ValueType.tensor(TensorType(.float32, [2]))
      let types = [.tensor(TensorType(.int32, [Int]()))] + names.map { _ in pair }
      let loop = try #require(try flow.loop(types, flow.captured.filter { !$0.isConstant }.map(\.type)))
      return { _ = try LoopSession(loop, outer: flow.captured.map { _ in nil }) }
    }
  }

  /// The outputs of a prediction are written to caller memory that does not overlap the inputs.
  @Test func manyOutputsAreBound() throws {
    try Self.expectInProportion(1_000) { count in
      let engine = try EngineTests.engine(PlanGrowthTests.text(.outputs, count))
      let inputs = ["x": Value.tensor(try .zeros(.float32, shape: [2, 3]))]
      _ = try engine.plan(for: engine.inputTypes)
      let memory = try TensorStorage(byteCount: count * 64)
      let target = try #require(memory.mutablePointer)
      return {
        var next = 0
        let states = try StateBuffers(types: [:])
        try withExtendedLifetime(memory) {
          try engine.run(
            inputs, states: states,
            writing: { _, _ in
              defer { next += 64 }
              return target + next
            }, read: { #expect($0.count == count) })
        }
      }
    }
  }

  /// Many numeric features that are inputs and outputs: no feature is searched for in the list of all others.
  @Test func manyFeaturesAreImported() throws {
    try Self.expectInProportion(1_000) { count in
      let features = (0..<count).map { FeatureModels.Feature.double("x\($0)") }
      let bytes = Bytes(FeatureModels.model(900, features, features))
      return { _ = try ModelImport.model(ModelFile(bytes)) }
    }
  }

  @Test func manyOutputsAreThoseOfRows() throws {
    try Self.expectInProportion { count in
      let names = (0..<count).map { "x\($0)" }
      let function = Function(
        inputs: names.map { NamedType($0, .tensor(TensorType(.float64, [Int]()))) }, opset: "CoreML8",
        body: Block(outputs: names))
      return { #expect(TabularSignature(function)?.outputs.count == count) }
    }
  }

  @Test func rangesOverlapWhereTheyHaveAByteInCommon() {
    func range(_ begin: Int, _ end: Int) -> Range<UnsafeRawPointer> {
      // The addresses are never dereferenced.
      UnsafeRawPointer(bitPattern: 4096 + begin)
        .unsafelyUnwrapped..<UnsafeRawPointer(bitPattern: 4096 + end)
        .unsafelyUnwrapped
    }
    var seed: UInt64 = 7
    func random(_ bound: Int) -> Int {
      seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(seed >> 33) % bound
    }
    for _ in 0..<300 {
      let ranges = (0..<random(8)).map { _ -> Range<UnsafeRawPointer> in
        let begin = random(60)
        return range(begin, begin + random(9))
      }
      let all = MemoryRanges(ranges)
      for begin in 0..<70 {
        let asked = range(begin, begin + random(5))
        #expect(all.overlaps(asked) == ranges.contains { $0.overlaps(asked) })
      }
    }
  }
}
