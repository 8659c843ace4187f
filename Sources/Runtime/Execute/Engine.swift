import CoreMLKernels
import Foundation
import MIL

/// A function of a program, ready to run: plans by input shapes, sessions by plan. Safe to use from any number of threads.
final class Engine: @unchecked Sendable {  // mutable state is behind the lock
  let function: Function
  let devices: DeviceChoice
  let pool: ThreadPool
  private let lock = NSLock()
  private var plans: [PlanKey: PlanEntry] = [:]
  private var clock = 0

  /// Plans kept for the input shapes used last.
  private static let maximumPlans = 8

  private struct PlanKey: Hashable {
    let shapes: [String: TensorType]
  }

  private final class PlanEntry {
    let plan: Plan
    var idle: [Session] = []
    var lastUse = 0
    init(_ plan: Plan) { self.plan = plan }
  }

  init(function: Function, devices: DeviceChoice) {
    self.function = function
    self.devices = devices
    pool = ThreadPool(threads: devices.threads)
  }

  /// Every input but the states.
  var inputs: [NamedType] {
    function.inputs.filter { input in
      if case .state = input.type { return false }
      return true
    }
  }

  /// Declared types of the tensor inputs, by name.
  var inputTypes: [String: TensorType] {
    Dictionary(
      function.inputs.compactMap { input in input.type.tensor.map { (input.name, $0) } },
      uniquingKeysWith: { a, _ in a })
  }

  var stateTypes: [String: TensorType] {
    Dictionary(
      function.inputs.compactMap { input in
        if case .state(let type) = input.type { return (input.name, type) }
        return nil
      }, uniquingKeysWith: { a, _ in a })
  }

  // MARK: plans

  /// The plan for concrete input types: kept, or made now.
  func plan(for inputs: [String: TensorType]) throws -> Plan { try entry(for: inputs).plan }

  /// The plan that was asked for last.
  var planUsedLast: Plan? { lock.withLock { plans.values.max { $0.lastUse < $1.lastUse }?.plan } }

  private func entry(for inputs: [String: TensorType]) throws -> PlanEntry {
    let key = PlanKey(shapes: inputs)
    if let entry = lock.withLock({ touch(key) }) { return entry }
    let made = PlanEntry(try makePlan(inputs))
    return lock.withLock {
      if let entry = touch(key) { return entry }
      if plans.count >= Self.maximumPlans, let oldest = plans.min(by: { $0.value.lastUse < $1.value.lastUse }) {
        plans[oldest.key] = nil
      }
      plans[key] = made
      return touch(key) ?? made
    }
  }

  /// Call with the lock held.
  private func touch(_ key: PlanKey) -> PlanEntry? {
    clock += 1
    plans[key]?.lastUse = clock
    return plans[key]
  }

  private func makePlan(_ inputs: [String: TensorType]) throws -> Plan {
    let optimised = try optimised(for: inputs)
    return try Planner.plan(
      optimised, outputNames: function.featureOutputNames, pool: pool, devices: devices.devices,
      context: devices.context)
  }

  /// The function as it is planned: specialised to input types, in the arithmetic of the device, fused.
  func optimised(for inputs: [String: TensorType]) throws -> Function {
    var function = self.function
    function.body.operations.removeAll { $0.type == "train.loss" }
    function = try WidenHalf()(function)
    function = try Specialize(pool: pool, recognisesLoops: devices.allowsFusion)(function, inputs: inputs)
    if devices.allowsFusion {
      function = try FoldChannelAffine()(function)
      function = FuseEpilogue(on: devices.devices.map(\.kind))(function)
    }
    function = RemoveDeadCode()(function)
    return function
  }

  // MARK: predictions

  /// One prediction. `inputs` must match the function's inputs by name and element type; `read` gets the output values, which
  /// borrow memory that is only good until it returns.
  func run<Result>(
    _ inputs: [String: Value], states: StateBuffers, shouldStop: () -> Bool,
    read: ([(name: String, value: Value)]) throws -> Result
  ) throws -> Result {
    let entry = try entry(for: inputs.compactMapValues { $0.tensor?.type })
    let session = try lock.withLock { entry.idle.popLast() } ?? Session(plan: entry.plan)
    defer { lock.withLock { if entry.idle.count < 16 { entry.idle.append(session) } } }
    for (name, value) in inputs { session.set(name, value) }
    try session.run(states: states, shouldStop: shouldStop)
    return try read(entry.plan.outputs.map { ($0.name, try session.value($0.slot)) })
  }
}
