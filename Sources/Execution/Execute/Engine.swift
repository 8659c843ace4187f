import CoreMLBase
import CoreMLKernels
import Foundation
import MIL

/// A function of a program, ready to run: plans by input shapes, sessions by plan. Safe to use from any number of threads.
///
/// What a device fails on that nobody named is computed on the CPU instead.
package final class Engine: @unchecked Sendable, MemoryHolder {  // mutable state is behind the lock
  package let function: Function
  package let devices: DeviceChoice
  package let pool: ThreadPool
  /// The model's weights in the forms that plans need, shared by all of them.
  package let weights: WeightStore
  /// What plans and predictions hold is taken from it: that of the work that makes the engine, or the machine's.
  package let budget: MemoryBudget
  /// Predictions that run at once; more wait.
  package let sessionLimit: Int
  let sessions: SessionPool
  private let health = DeviceHealth()
  private let twin = EngineOnCPU()
  private let lock = NSLock()
  private var plans: [PlanKey: PlanEntry] = [:]
  private var clock = 0
  private var clean: Function?
  /// The plan that was asked for last.
  private var recent: PlanEntry?
  private let planning = SingleFlight<PlanKey>()
  private let rowLock = NSLock()
  /// Nil before anybody asked.
  private var rowRunner: TabularRunner??

  /// Plans kept for the input shapes used last.
  private let maximumPlans: Int

  private struct PlanKey: Hashable {
    let shapes: [String: TensorType]
    /// Devices that it does without.
    let lost: Set<Int>
  }

  private final class PlanEntry {
    let plan: Plan
    let types: [String: TensorType]
    var lastUse = 0

    init(_ plan: Plan, _ types: [String: TensorType]) { (self.plan, self.types) = (plan, types) }

    /// Whether it is the plan for the types of some values; what is no tensor has none.
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
  ///   - weights: those of the model, where another engine has some of its functions too.
  ///   - sessionLimit: predictions that may run at once; nil for two a processor, and no fewer than four.
  ///   - maximumPlans: plans kept, one for each of the input shapes used last.
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

  /// The engine for the same function that leaves accelerators alone: this one where it has none.
  package var onCPU: Engine { twin.engine(like: self) }

  /// Every input but the states.
  package let inputs: [NamedType]

  /// Declared types of the tensor inputs, by name.
  package var inputTypes: [String: TensorType] {
    Dictionary(
      function.inputs.compactMap { input in input.type.tensor.map { (input.name, $0) } },
      uniquingKeysWith: { a, _ in a })
  }

  package let stateTypes: [String: TensorType]

  /// States of a prediction that begins and ends with them.
  package func freshStates() throws -> StateBuffers { try noStates ?? StateBuffers(types: stateTypes) }

  /// What all predictions of a model without states share.
  private let noStates: StateBuffers?

  // MARK: plans

  /// The plan for concrete input types: kept, or made now.
  package func plan(for inputs: [String: TensorType]) throws -> Plan {
    try budget.during { try entry(for: inputs).plan }
  }

  /// The plan that was asked for last.
  package var planUsedLast: Plan? { lock.withLock { plans.values.max { $0.lastUse < $1.lastUse }?.plan } }

  private func entry(for inputs: [String: TensorType]) throws -> PlanEntry {
    let lost = health.lost
    let key = PlanKey(shapes: inputs, lost: Set(lost.keys))
    // Several may ask at once: one makes the plan.
    return try planning.value(for: key) {
      lock.withLock { touch(key) }
    } make: {
      keep(PlanEntry(try makePlan(inputs, without: lost), inputs), for: key)
    }
  }

  /// The plan for some values. Where it is the one that was asked for last, no key is made to find it.
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

  /// Call with the lock held.
  private func touch(_ key: PlanKey) -> PlanEntry? {
    guard let entry = plans[key] else { return nil }
    clock += 1
    entry.lastUse = clock
    // A device may have been given up while the plan was made: whoever gave it up has cleared, or will clear, what is recent.
    if key.lost.count == health.lost.count { recent = entry }
    return entry
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

  /// The function with concrete types, as it is placed.
  package func specialised(for inputs: [String: TensorType]) throws -> Function {
    try decluttered().after(
      Specialize(pool: pool, inputs: inputs, recognisesLoops: devices.allowsFusion, weights: weights))
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

  // MARK: rows

  /// What runs single rows, and many, where the function is one of numbers and the CPU's alone; made when it is first asked for.
  ///
  /// - Throws: where it could not be made because the work was stopped or had too little memory; it may be made the next time.
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

  /// One prediction. `inputs` must match the function's inputs by name and element type; `read` gets the output values, which
  /// borrow memory that is only good until it returns. `writing` may give memory, as large as a type says, that an output is written to
  /// where the plan can: the value that `read` gets says by its storage whether it was.
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

  /// Gives a session its inputs, and memory of the caller's for its outputs.
  func bind(
    _ session: Session, _ inputs: [String: Value],
    _ memory: (_ output: String, _ type: TensorType) throws -> UnsafeMutableRawPointer?
  ) throws {
    for (name, value) in inputs { try session.set(name, value) }
    // What is read must not be written meanwhile.
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
      // A device may tell of a failure when states are written already: who repeats the prediction needs them as they were.
      try states.keptUnlessThrown(plan.isOnHost) {
        try pool.whileAtWork { try session.run(states: states, shouldStop: shouldStop) }
      }
      let result = try read(plan.outputs.map { ($0.name, try session.value($0.slot)) })
      // One that failed keeps what it was given as long as a device may read it, and is not used again.
      session.release()
      return result
    }
  }

  /// Sessions that wait for a prediction give way to what runs.
  package func giveBackMemory() {
    sessions.dropIdle()
    // One that is just being made holds the lock, and has none that idle.
    guard rowLock.try() else { return }
    let runner = rowRunner ?? nil
    rowLock.unlock()
    runner?.dropIdle()
  }

  /// Tells of a device's failure once, and again when the device is given up: then there are no more plans with it.
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
  /// Whether a concrete type is the tensor's; without making the tensor's own to compare it with.
  func isOf(_ type: TensorType) -> Bool {
    guard scalar == type.scalar, shape.count == type.shape.count else { return false }
    for axis in shape.indices where type.shape[axis].value != shape[axis] { return false }
    return true
  }
}

extension Value {
  /// The memory of a tensor.
  fileprivate var memory: Range<UnsafeRawPointer>? {
    tensor.map { $0.storage.pointer..<$0.storage.pointer + $0.byteCount }
  }
}
