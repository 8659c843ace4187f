import CoreMLBase
import CoreMLKernels
import Foundation
import MIL

/// An executable function of a program. It holds plans by input shapes, and sessions by plan. Thread-safe.
///
/// If a device fails that the caller did not name, the CPU computes the prediction instead.
package final class Engine: @unchecked Sendable, MemoryHolder {  // mutable state is behind the lock
  package let function: Function
  package let devices: DeviceChoice
  package let pool: ThreadPool
  /// The model's weights in the forms that plans need, shared by all plans.
  package let weights: WeightStore
  /// The budget for the memory of plans and predictions: that of the task that creates the engine, or the machine's.
  package let budget: MemoryBudget
  /// The number of predictions that run concurrently. Further ones wait.
  package let sessionLimit: Int
  let sessions: SessionPool
  private let health = DeviceHealth()
  private let twin = EngineOnCPU()
  private let lock = NSLock()
  private var plans: [PlanKey: PlanEntry] = [:]
  private var clock = 0
  private var clean: Function?
  /// The plan that was requested last.
  private var recent: PlanEntry?
  private let planning = SingleFlight<PlanKey>()
  let templates = PlanTemplates()
  private let rowLock = NSLock()
  /// Nil before the first request.
  private var rowRunner: TabularRunner??

  /// The number of plans to keep, one for each of the most recently used input shapes.
  private let maximumPlans: Int

  private struct PlanKey: Hashable {
    let shapes: [String: TensorType]
    /// Devices that the plan does not use.
    let lost: Set<Int>
  }

  private final class PlanEntry {
    let plan: Plan
    let types: [String: TensorType]
    var lastUse = 0

    init(_ plan: Plan, _ types: [String: TensorType]) { (self.plan, self.types) = (plan, types) }

    /// Whether the plan is for the types of `values`. Values that are not tensors do not matter.
    func isFor(_ values: [String: Value]) -> Bool {
      var tensors = 0
      for (name, value) in values {
        guard let tensor = value.tensor else { continue }
        tensors += 1
        guard let type = types[name], tensor.isOf(type) else { return false }
      }
      return tensors == types.count
    }
  }

  /// - Parameters:
  ///   - weights: The weights of the model, if other engines run functions of the same model.
  ///   - sessionLimit: Predictions that may run concurrently; nil for two per processor, but at least four.
  ///   - maximumPlans: The number of plans to keep, one for each of the most recently used input shapes.
  package init(
    function: Function, devices: DeviceChoice, weights: WeightStore = WeightStore(), sessionLimit: Int? = nil,
    maximumPlans: Int = 8
  ) {
    self.function = function
    self.maximumPlans = max(maximumPlans, 1)
    self.weights = weights
    self.devices = devices
    budget = MemoryBudget.given ?? devices.deviceManager.memory
    pool = devices.deviceManager.pool(threads: devices.threads)
    self.sessionLimit = max(sessionLimit ?? max(2 * devices.deviceManager.processors, 4), 1)
    sessions = SessionPool(limit: self.sessionLimit)
    inputs = function.inputs.filter { !$0.type.isState }
    stateTypes = function.stateTypes
    noStates = stateTypes.isEmpty ? try? StateBuffers(types: [:]) : nil
    budget.add(self)
  }

  /// An engine for the same function that does not use accelerators. It is this engine if it has none.
  package var onCPU: Engine { twin.engine(like: self) }

  /// All inputs except the states.
  package let inputs: [NamedType]

  /// Declared types of the tensor inputs, by name.
  package var inputTypes: [String: TensorType] {
    Dictionary(
      function.inputs.compactMap { input in input.type.tensor.map { (input.name, $0) } },
      uniquingKeysWith: { a, _ in a })
  }

  package let stateTypes: [String: TensorType]

  /// States that live for one prediction only.
  package func freshStates() throws -> StateBuffers { try noStates ?? StateBuffers(types: stateTypes) }

  /// The empty states that all predictions of a stateless model share.
  private let noStates: StateBuffers?

  // MARK: plans

  /// The plan for concrete input types, from the cache or newly made.
  package func plan(for inputs: [String: TensorType]) throws -> Plan {
    try budget.during { try entry(for: inputs).plan }
  }

  /// The plan that was requested last.
  package var planUsedLast: Plan? { lock.withLock { plans.values.max { $0.lastUse < $1.lastUse }?.plan } }

  private func entry(for inputs: [String: TensorType]) throws -> PlanEntry {
    let lost = health.lost
    let key = PlanKey(shapes: inputs, lost: Set(lost.keys))
    // Of several concurrent requests, one makes the plan.
    return try planning.value(for: key) {
      lock.withLock { touch(key) }
    } make: {
      let plan = try lost.isEmpty ? templated(inputs) : makePlan(inputs, without: lost)
      return keep(PlanEntry(plan, inputs), for: key)
    }
  }

  /// The plan for the types of `values`. The plan that was requested last is found without constructing a key.
  func plan(for values: [String: Value]) throws -> Plan {
    if let recent = lock.withLock({ recent }), recent.isFor(values) { return recent.plan }
    return try entry(for: values.compactMapValues { $0.tensor?.type }).plan
  }

  private func keep(_ made: PlanEntry, for key: PlanKey) -> PlanEntry {
    let (entry, dropped) = lock.withLock { () -> (PlanEntry, Plan?) in
      var dropped: Plan?
      if plans.count >= maximumPlans, let oldest = plans.min(by: { $0.value.lastUse < $1.value.lastUse }) {
        dropped = plans.removeValue(forKey: oldest.key)?.plan
      }
      plans[key] = made
      return (touch(key) ?? made, dropped)
    }
    if let dropped { sessions.dropIdle(of: dropped) }
    return entry
  }

  /// Must be called with the lock held.
  private func touch(_ key: PlanKey) -> PlanEntry? {
    guard let entry = plans[key] else { return nil }
    clock += 1
    entry.lastUse = clock
    // A device may have been given up while the plan was made. The thread that gave it up clears `recent`, so do not
    // set it here.
    if key.lost.count == health.lost.count { recent = entry }
    return entry
  }

  /// A plan from a template that fits, or made from the start.
  private func templated(_ inputs: [String: TensorType]) throws -> Plan {
    guard devices.devices.count == 1 else { return try makePlan(inputs, without: [:]) }
    return try templates.plan(for: inputs) {
      try makePlan(inputs, without: [:])
    } template: {
      try PlanTemplate(
        decluttered(), specialize(inputs), planner, outputNames: function.featureOutputNames, notes: devices.notes)
    }
  }

  private func makePlan(_ inputs: [String: TensorType], without lost: [Int: String]) throws -> Plan {
    try planner.plan(
      specialised(for: inputs), outputNames: function.featureOutputNames, without: lost, notes: devices.notes)
  }

  private var planner: Planner {
    Planner(
      pool: pool, devices: devices.devices, allowsFusion: devices.allowsFusion, weights: weights,
      deviceManager: devices.deviceManager)
  }

  /// The function with concrete types, before device placement.
  package func specialised(for inputs: [String: TensorType]) throws -> Function {
    try decluttered().after(specialize(inputs))
  }

  private func specialize(_ inputs: [String: TensorType]) -> Specialize {
    Specialize(pool: pool, inputs: inputs, recognisesLoops: devices.allowsFusion, weights: weights)
  }

  /// The planned function: cut into regions, each lowered to the arithmetic of its device and fused.
  package func regions(for inputs: [String: TensorType]) throws -> [Region] {
    try planner.regions(of: specialised(for: inputs))
  }

  /// The function without operations that no prediction needs. Computed once.
  private func decluttered() throws -> Function {
    if let made = lock.withLock({ clean }) { return made }
    let made = try function.after(Declutter())
    return lock.withLock {
      clean = clean ?? made
      return clean ?? made
    }
  }

  // MARK: tabular data

  /// The runner for single rows and batches of tabular data. It exists only for numeric functions that run on the CPU.
  /// Created at the first request.
  ///
  /// - Throws: If the work was cancelled or ran out of memory. A later call may succeed.
  package func rows() throws -> TabularRunner? {
    rowLock.lock()
    defer { rowLock.unlock() }
    if let known = rowRunner { return known }
    let made = try budget.during { () -> TabularRunner? in
      guard devices.isOnCPU, stateTypes.isEmpty, let function = try unlessRefused(decluttered) else { return nil }
      return try TabularRunner(
        function,
        TabularPlanning(
          planner: planner, budget: budget, sessionLimit: sessionLimit, processors: devices.deviceManager.processors,
          pool: pool, weights: weights, recognisesLoops: devices.allowsFusion))
    }
    rowRunner = .some(made)
    return made
  }

  // MARK: predictions

  /// Runs one prediction.
  ///
  /// - Parameters:
  ///   - inputs: Must match the function's inputs by name and element type.
  ///   - memory: May supply a buffer, as large as the type requires, for an output. The plan writes the output there if
  ///     it can. The storage of the value passed to `read` tells whether it did.
  ///   - read: Receives the output values. They borrow memory that is valid only until `read` returns.
  package func run<Result>(
    _ inputs: [String: Value], states: StateBuffers, shouldStop: (() -> Bool)? = nil,
    writing memory: (_ output: String, _ type: TensorType) throws -> UnsafeMutableRawPointer? = { _, _ in nil },
    read: ([(name: String, value: Value)]) throws -> Result
  ) throws -> Result {
    try budget.during {
      do {
        let result = try attempt(inputs, states, shouldStop, memory, read)
        if !devices.isOnCPU { health.succeeded() }
        return result
      } catch let failure as DeviceFailure {
        let device = devices.devices[failure.device]
        guard !device.isNamed else { throw failure.cause }
        note(failure, on: device)
        return try onCPU.run(inputs, states: states, shouldStop: shouldStop, writing: memory, read: read)
      }
    }
  }

  /// Binds a session's inputs, and the caller's buffers for its outputs.
  func bind(
    _ session: Session, _ inputs: [String: Value],
    _ memory: (_ output: String, _ type: TensorType) throws -> UnsafeMutableRawPointer?
  ) throws {
    for (name, value) in inputs { try session.set(name, value) }
    // Output buffers must not overlap inputs.
    let given = MemoryRanges(inputs.values.compactMap(\.memory))
    let plan = session.plan
    for output in plan.outputs {
      guard let type = plan.slots[output.slot].type.tensor, type.isConcrete, let bytes = type.byteCount,
        let target = try memory(output.name, type),
        !given.overlaps(UnsafeRawPointer(target)..<UnsafeRawPointer(target + bytes))
      else { continue }
      _ = session.bindOutput(output.name, to: target)
    }
  }

  private func attempt<Result>(
    _ inputs: [String: Value], _ states: StateBuffers, _ shouldStop: (() -> Bool)?,
    _ memory: (_ output: String, _ type: TensorType) throws -> UnsafeMutableRawPointer?,
    _ read: ([(name: String, value: Value)]) throws -> Result
  ) throws -> Result {
    let plan = try plan(for: inputs)
    return try sessions.with(plan, shouldStop: shouldStop) { session in
      try bind(session, inputs, memory)
      // A device may report a failure after states have been written. A retry needs their old contents.
      try states.keptUnlessThrown(plan.isOnHost) {
        try pool.whileAtWork { try session.run(states: states, shouldStop: shouldStop) }
      }
      let result = try read(plan.outputs.map { ($0.name, try session.value($0.slot)) })
      // A session that failed keeps its bindings while a device may read them, and is not reused.
      session.release()
      return result
    }
  }

  /// Frees idle sessions, so that running predictions get their memory.
  package func giveBackMemory() {
    sessions.dropIdle()
    // While a runner is being created, the lock is held and there are no idle sessions.
    guard rowLock.try() else { return }
    let runner = rowRunner ?? nil
    rowLock.unlock()
    runner?.dropIdle()
  }

  /// Logs a device's first failure, and the point at which the device is given up. After that, no plan uses the device.
  private func note(_ failure: DeviceFailure, on device: PlanDevice) {
    let name = device.context.map { "\($0.device.id) (\($0.device.name))" } ?? "device \(failure.device)"
    switch health.failed(failure.device, failure.reason, isFinal: failure.isFinal) {
    case .first: devices.deviceManager.warn("\(name) failed in a prediction, which the CPU computes: \(failure.reason)")
    case .again: break
    case .givenUp:
      devices.deviceManager.warn("\(name) is given up for a model: \(failure.reason)")
      lock.withLock { (plans, recent) = ([:], nil) }
      sessions.dropIdle()
    }
  }
}

extension Tensor {
  /// Whether the tensor has a concrete type. It does not construct the tensor's own type for the comparison.
  func isOf(_ type: TensorType) -> Bool {
    guard scalar == type.scalar, shape.count == type.shape.count else { return false }
    for axis in shape.indices where type.shape[axis].value != shape[axis] { return false }
    return true
  }
}

extension Value {
  /// The address range of a tensor; nil for other values.
  fileprivate var memory: Range<UnsafeRawPointer>? {
    tensor.map { $0.storage.pointer..<$0.storage.pointer + $0.byteCount }
  }
}
