import AllocationCount
import CoreMLBase
import CoreMLKernels
import MIL
import Testing

@testable import CoreMLExecution
@testable import CoreMLImport

/// The cost of planning grows linearly with the number of operations. The tests count allocated bytes and allocator
/// calls for four times the operations. A pass that copies or lists everything for each operation needs far more than
/// four times as much.
@Suite struct OperationGrowthTests {
  /// Linear work costs four times as much, and quadratic work sixteen times. Groups of limited length are in between.
  private static let most = 8.0

  private struct Cost {
    var bytes = 0.0
    var calls = 0.0
  }

  /// The cost of each pass in the order in which a device runs them, and the resulting function.
  private static func passes(_ function: Function) throws -> [(name: String, cost: Cost)] {
    var function = function
    var costs: [(name: String, cost: Cost)] = []
    let device = PlanDevice(kind: .cpu, profile: .cpu(threads: 1))
    let pool = ThreadPool(threads: 1)
    let names = function.f16Names
    var all: [any Pass] = [RemoveIdentities(), RemoveDeadCode(), Declutter(), HoistConstants(), Specialize(pool: pool)]
    all +=
      [
        WidenF16(), Specialize(pool: pool, foldsF16: true),
        UpdateStatesAsStored(f16: names), CastStates(), CanonicalizeQuantizedConvolution(on: .cpu),
        SplitNearestNeighbors(on: .cpu), CanonicalizeChannelAffine(on: .cpu), FoldPadding(), FoldChannelAffine(),
        RecogniseAttention(for: device), FuseProjections(f16: names), SplitProduct(on: .cpu),
        FuseNormalizations(on: .cpu, threads: 1), FuseActivations(on: .cpu), FuseBounds(), KeepInt8(on: .cpu),
        FuseQuantization(on: .cpu), TransposeToReshape(), FuseEpilogue(on: .cpu), FuseAffine(on: .cpu),
        PropagateQuantization(on: .cpu), FusePointwise(on: .cpu), RemoveDeadCode(),
      ] as [any Pass]
    for pass in all {
      var cost = Cost()
      var result = function
      cost.calls = Double(
        try AllocationCount.count {
          cost.bytes = Double(try AllocationCount.bytes { result = try pass(function) })
        })
      costs.append(("\(type(of: pass))", cost))
      function = result
    }
    return costs
  }

  private static func expectLinear(_ name: String, _ few: Cost, _ many: Cost, _ what: String) {
    // A pass without matches has a small cost for the function itself. Fusion may reduce short chains to very few
    // operations.
    let floor = (bytes: 24_576.0, calls: 256.0)
    #expect(
      many.bytes <= most * max(few.bytes, floor.bytes),
      "\(name), \(what): \(Int(few.bytes)) bytes, \(Int(many.bytes)) for four times the operations")
    #expect(
      many.calls <= most * max(few.calls, floor.calls),
      "\(name), \(what): \(Int(few.calls)) allocations, \(Int(many.calls)) for four times the operations")
  }

  static let kinds = LargeFunctionKinds.all.keys.sorted()

  @Test(.enabled(if: AllocationCount.isOn), arguments: kinds)
  func passesGrowWithTheOperations(_ kind: String) throws {
    for shape in LargeFunctions.Shape.allCases {
      // A walk along views has a maximum length. Both counts have to reach it.
      let count = shape == .views ? 80 : 40
      let (few, many) = (
        try Self.passes(LargeFunctions.function(kind, shape, count)),
        try Self.passes(LargeFunctions.function(kind, shape, 4 * count))
      )
      for (first, second) in zip(few, many) {
        Self.expectLinear(first.name, first.cost, second.cost, "\(shape.rawValue) of \(kind)")
      }
    }
  }

  @Test(.enabled(if: AllocationCount.isOn), arguments: LargeFunctions.Shape.allCases)
  func plansGrowWithTheOperations(_ shape: LargeFunctions.Shape) throws {
    for kind in ["relu", "add", "concat and slice", "split and concat", "conv relu", "quantized conv", "stored weight"]
    {
      let costs = try [40, 160].map { count in
        let engine = Engine(
          function: try LargeFunctions.function(kind, shape, count), devices: DeviceChoice(threads: 1))
        var cost = Cost()
        cost.calls = Double(
          try AllocationCount.count {
            cost.bytes = Double(try AllocationCount.bytes { _ = try engine.plan(for: engine.inputTypes) })
          })
        return cost
      }
      Self.expectLinear("planning", costs[0], costs[1], "\(shape.rawValue) of \(kind)")
    }
  }

  // MARK: memory

  private static func engine(_ kind: String, _ count: Int, within limit: Int) throws -> (Engine, MemoryBudget) {
    let budget = MemoryBudget(limit: limit)
    let function = try LargeFunctions.function(kind, .chain, count)
    return (budget.during { Engine(function: function, devices: DeviceChoice(threads: 1)) }, budget)
  }

  /// Planning under a small memory limit throws at once and frees everything that it reserved.
  @Test func aLimitOfMemoryHoldsForPlanning() throws {
    let (engine, budget) = try Self.engine("softmax", 1500, within: 4 << 20)
    let error = #expect(throws: MILError.self) { try engine.plan(for: engine.inputTypes) }
    #expect(error?.code == .outOfMemory && error?.message.contains("planning the model's operations") == true)
    #expect(budget.bytesHeld == 0)
    // A fused chain needs little memory.
    let (fused, _) = try Self.engine("relu", 1500, within: 4 << 20)
    #expect(try fused.plan(for: fused.inputTypes).steps.count < 4)
  }

  /// A plan holds its reservation and releases it when the plan is freed.
  @Test(arguments: ["softmax", "conv", "concat and slice"])
  func whatAPlanTakesIsGivenBack(_ kind: String) throws {
    var (engine, budget): (Engine?, MemoryBudget) = try Self.engine(kind, 800, within: 1 << 30)
    let types = try #require(engine?.inputTypes)
    _ = try engine?.plan(for: types)
    #expect(budget.bytesHeld > 800 * 4096)
    engine = nil
    #expect(budget.bytesHeld == 0)
  }
}
