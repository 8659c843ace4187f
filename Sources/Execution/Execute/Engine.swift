import CoreMLKernels
import Foundation
import MIL

/// A function of a program, ready to run: plans by input shapes, sessions by plan. Safe to use from any number of threads.
package final class Engine: @unchecked Sendable, MemoryHolder {  // mutable state is behind the lock
  package let function: Function
  package let devices: DeviceChoice
  package let pool: ThreadPool
  /// The model's weights in the forms that plans need, shared by all of them.
  package let weights: WeightStore
  /// What plans and predictions hold is taken from it: that of the work that makes the engine.
  package let budget = MemoryBudget.current
  private let lock = NSLock()
  private var plans: [PlanKey: PlanEntry] = [:]
  private var clock = 0
  private var clean: Function?
  private let planning = SingleFlight<PlanKey>()

  /// Plans kept for the input shapes used last.
  private static let maximumPlans = 8
  /// Sessions of a plan kept for the predictions to come.
  private static let maximumIdle = 16

  private struct PlanKey: Hashable {
    let shapes: [String: TensorType]
  }

  private final class PlanEntry {
    let plan: Plan
    var idle: [Session] = []
    var lastUse = 0
    init(_ plan: Plan) { self.plan = plan }
  }

  /// - Parameter weights: those of the model, where another engine has some of its functions too.
  package init(function: Function, devices: DeviceChoice, weights: WeightStore = WeightStore()) {
    self.function = function
    self.weights = weights
    self.devices = devices
    pool = ThreadPool(threads: devices.threads)
    budget.add(self)
  }

  /// Every input but the states.
  package var inputs: [NamedType] {
    function.inputs.filter { input in
      if case .state = input.type { return false }
      return true
    }
  }

  /// Declared types of the tensor inputs, by name.
  package var inputTypes: [String: TensorType] {
    Dictionary(
      function.inputs.compactMap { input in input.type.tensor.map { (input.name, $0) } },
      uniquingKeysWith: { a, _ in a })
  }

  package var stateTypes: [String: TensorType] {
    Dictionary(
      function.inputs.compactMap { input in
        if case .state(let type) = input.type { return (input.name, type) }
        return nil
      }, uniquingKeysWith: { a, _ in a })
  }

  // MARK: plans

  /// The plan for concrete input types: kept, or made now.
  package func plan(for inputs: [String: TensorType]) throws -> Plan { try budget.during { try entry(for: inputs).plan } }

  /// The plan that was asked for last.
  package var planUsedLast: Plan? { lock.withLock { plans.values.max { $0.lastUse < $1.lastUse }?.plan } }

  private func entry(for inputs: [String: TensorType]) throws -> PlanEntry {
    let key = PlanKey(shapes: inputs)
    // Several may ask at once: one makes the plan.
    return try planning.value(for: key) {
      lock.withLock { touch(key) }
    } make: {
      keep(PlanEntry(try makePlan(inputs)), for: key)
    }
  }

  private func keep(_ made: PlanEntry, for key: PlanKey) -> PlanEntry {
    lock.withLock {
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
    try planner.plan(specialised(for: inputs), outputNames: function.featureOutputNames)
  }

  private var planner: Planner {
    Planner(pool: pool, devices: devices.devices, allowsFusion: devices.allowsFusion, weights: weights)
  }

  /// The function with concrete types, as it is placed.
  package func specialised(for inputs: [String: TensorType]) throws -> Function {
    try decluttered().after(Specialize(pool: pool, inputs: inputs, recognisesLoops: devices.allowsFusion))
  }

  /// The function as it is planned: in regions, each in the arithmetic of its device, and fused.
  package func regions(for inputs: [String: TensorType]) throws -> [Region] {
    try planner.regions(of: specialised(for: inputs))
  }

  /// The function without what no prediction needs, made once.
  private func decluttered() throws -> Function {
    if let made = lock.withLock({ clean }) { return made }
    let made = try function.after(Declutter())
    return lock.withLock {
      clean = clean ?? made
      return clean ?? made
    }
  }

  // MARK: predictions

  /// One prediction. `inputs` must match the function's inputs by name and element type; `read` gets the output values, which
  /// borrow memory that is only good until it returns. `writing` may give memory, as large as a type says, that an output is written to
  /// where the plan can: the value that `read` gets says by its storage whether it was.
  package func run<Result>(
    _ inputs: [String: Value], states: StateBuffers, shouldStop: () -> Bool,
    writing memory: (_ output: String, _ type: TensorType) throws -> UnsafeMutableRawPointer? = { _, _ in nil },
    read: ([(name: String, value: Value)]) throws -> Result
  ) throws -> Result {
    try budget.during {
      let entry = try entry(for: inputs.compactMapValues { $0.tensor?.type })
      let session = try lock.withLock { entry.idle.popLast() } ?? Session(plan: entry.plan)
      for (name, value) in inputs { try session.set(name, value) }
      for output in entry.plan.outputs {
        guard let type = entry.plan.slots[output.slot].type.tensor, type.isConcrete,
          let target = try memory(output.name, type), !inputs.values.contains(where: { $0.overlaps(target, type) })
        else { continue }
        _ = session.bindOutput(output.name, to: target)
      }
      // A session whose run failed is not used again: its devices may still be at work.
      try session.run(states: states, shouldStop: shouldStop)
      defer {
        session.release()
        lock.withLock { if entry.idle.count < Self.maximumIdle { entry.idle.append(session) } }
      }
      return try read(entry.plan.outputs.map { ($0.name, try session.value($0.slot)) })
    }
  }

  /// Sessions that wait for a prediction give way to what runs.
  package func giveBackMemory() {
    // They are freed when the lock is no longer held.
    let idle = lock.withLock {
      let idle = plans.values.flatMap(\.idle)
      for entry in plans.values { entry.idle = [] }
      return idle
    }
    withExtendedLifetime(idle) {}
  }
}

extension Value {
  /// Whether a tensor's memory has a byte in common with what a tensor of `type` takes at `target`: what is read must not be written
  /// meanwhile.
  fileprivate func overlaps(_ target: UnsafeMutableRawPointer, _ type: TensorType) -> Bool {
    guard let tensor, let bytes = type.byteCount else { return false }
    return tensor.storage.pointer < UnsafeRawPointer(target + bytes)
      && UnsafeRawPointer(target) < tensor.storage.pointer + tensor.byteCount
  }
}
