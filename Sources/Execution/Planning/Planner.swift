import CoreMLKernels
import MIL

/// Turns a specialised function into a plan. Each operation is assigned a device, each region is lowered for its
/// device, each operation gets a kernel, and each value gets storage.
///
/// If a device fails (a kernel does not compile, memory runs out), its operations move to other devices and the plan
/// gets a note. If the caller named the device, the failure is an error instead.
package struct Planner {
  let pool: ThreadPool
  let devices: [PlanDevice]
  let lower: Lower
  /// The weights of the model, shared by its plans.
  let weights: WeightStore
  /// Receives a warning for each device that is left out; nil for no warnings.
  private let deviceManager: DeviceManager?
  /// The nesting depth of the function in control flow.
  private var depth = 0
  /// The memory reserved by the enclosing plan; nil outside of control flow.
  private var memory: PlanningMemory?

  /// Blocks nested deeper than this have no plans, because planning would process them once for each enclosing block.
  private static let maximumDepth = 6

  /// Operations without a kernel, because the session itself copies between a state and a value.
  package static let stateOperations: Set<String> = ["read_state", "write_state"]

  /// The number of operations that may fail on a device before it is left out altogether.
  private static let patience = 4

  init(
    pool: ThreadPool, devices: [PlanDevice], allowsFusion: Bool, weights: WeightStore,
    deviceManager: DeviceManager? = nil
  ) {
    self.weights = weights
    self.pool = pool
    self.deviceManager = deviceManager
    self.devices = devices
    lower = Lower(pool: pool, allowsFusion: allowsFusion)
  }

  /// The function cut into regions in execution order, each lowered for its device.
  func regions(of function: Function) throws -> [Region] { try regions(of: function, without: Excluded()).regions }

  /// Makes the plan of a function.
  ///
  /// - Parameters:
  ///   - outputNames: Feature names, in the order of the function's outputs.
  ///   - outer: For a block, the inputs that it reads directly from the outer scope.
  ///   - given: Inputs that are constants.
  ///   - lost: Devices that must not be used, with reasons.
  ///   - notes: Notes to put before those that planning adds.
  func plan(
    _ function: Function, outputNames: [String], outer: Set<String>? = nil, given: [String: StoredWeight] = [:],
    without lost: [Int: String] = [:], notes: [String] = []
  ) throws -> Plan {
    var excluded = Excluded()
    excluded.notes = notes
    for (device, reason) in lost.sorted(by: { $0.key < $1.key }) { excluded.lose(device, devices[device], reason) }
    while true {
      do {
        let plan = try attempt(function, outputNames, outer, given, excluded)
        for (device, note) in excluded.latest { deviceManager?.warn(note, about: devices[device].name(device)) }
        return plan
      } catch let failure as DeviceFailure {
        guard !devices[failure.device].isNamed || failure.isRefusal else { throw failure.cause }
        excluded.add(failure, of: function, devices[failure.device], patience: Self.patience)
      }
    }
  }

  // MARK: stages

  private func regions(of function: Function, without excluded: Excluded) throws -> (regions: [Region], notes: [String])
  {
    let place = try placed(function, without: excluded)
    let regions = try Regions.cut(function, devices: place.devices).map { region in
      var region = region
      region.function = try lower(region.function, for: devices[region.device])
      return region
    }
    return (regions, place.notes)
  }

  /// The device of each operation. If the host is the only device, no costs are computed.
  private func placed(
    _ function: Function, without excluded: Excluded
  ) throws -> (devices: [Int], notes: [String]) {
    guard devices.count > 1 else { return (function.body.operations.map { _ in 0 }, []) }
    let workload = try Workload(
      function, devices: devices, threads: pool.threads, excluded: excluded.operations, lost: excluded.devices)
    let placement = DevicePlacement(workload, devices: devices)
    for (device, note) in placement.emptied {
      deviceManager?.warn(
        "\(note), so it runs no part of the model", about: "the memory of \(devices[device].name(device))")
    }
    var numbers = placement.device
    // A state is stored in one place: on the device of all operations that use it, or else on the host.
    for (_, users) in workload.states where Set(users.map { numbers[$0] }).count > 1 {
      for user in users where function.body.operations[user].stateName != nil { numbers[user] = 0 }
    }
    return (numbers, placement.notes)
  }

  private func attempt(
    _ function: Function, _ outputNames: [String], _ outer: Set<String>?, _ given: [String: StoredWeight],
    _ excluded: Excluded
  ) throws -> Plan {
    let memory = memory ?? PlanningMemory()
    try memory.add(function)
    let (regions, notes) = try regions(of: function, without: excluded)
    let drafts = try candidates(regions, inputs: function.inputs, given: given, memory: memory)
    for device in devices { device.timings?.save() }
    var builder = try builder(drafts, of: function, outputNames)
    return try builder.build(
      inputs: function.inputs.map(\.name), outer: outer, pool, notes: excluded.notes + notes, memory: memory,
      blocks: depth < Self.maximumDepth ? forBlocks(memory) : nil)
  }

  // MARK: parts that templates share

  func candidates(
    _ regions: [Region], inputs: [NamedType], given: [String: StoredWeight] = [:], memory: PlanningMemory
  ) throws -> PlanCandidates {
    try PlanCandidates(regions, inputs: inputs, given: given, devices: devices, pool: pool, memory: memory)
  }

  func builder(
    _ candidates: PlanCandidates, of function: Function, _ outputNames: [String],
    reusing: @escaping (_ draft: Int, _ choice: Int) -> PreparedStep? = { _, _ in nil }
  ) throws -> PlanBuilder {
    let outputs = try zip(outputNames, function.body.outputs).map { name, value -> (name: String, slot: Int) in
      guard let slot = candidates.index[value] else {
        throw MILError(.invalidProgram, "the output '\(name)' is not computed")
      }
      return (name, slot)
    }
    return try PlanBuilder(candidates, outputs: outputs, Preparation(weights: weights), reusing: reusing)
  }

  /// Plans blocks, which run on the host.
  func forBlocks(_ memory: PlanningMemory) -> Planner {
    var blocks = Planner(
      pool: pool, devices: Array(devices.prefix(1)), allowsFusion: lower.allowsFusion, weights: weights)
    (blocks.depth, blocks.memory) = (depth + 1, memory)
    return blocks
  }
}

/// Operations and devices that failed while a plan is being made.
private struct Excluded {
  /// The first output names of failed operations, by device.
  var operations: [Int: Set<String>] = [:]
  var devices: Set<Int> = []
  var notes: [String] = []
  /// The latest note about each failed device.
  var latest: [Int: String] = [:]

  mutating func add(_ failure: DeviceFailure, of function: Function, _ device: PlanDevice, patience: Int) {
    let what = device.name(failure.device)
    let names = Set((failure.operation?.named ?? []) + (failure.operation?.outputs.map(\.name) ?? []))
    let blamed = function.body.operations.compactMap { $0.outputs.first?.name }.filter(names.contains)
    let known = operations[failure.device, default: []]
    if !blamed.isEmpty, !known.isSuperset(of: blamed), known.count < patience || failure.isRefusal {
      operations[failure.device, default: []].formUnion(blamed)
      notes.append("\(what) does not run \(failure.operation?.label ?? ""): \(failure.reason)")
    } else {
      lose(failure.device, device, failure.reason)
    }
    if !failure.isRefusal { latest[failure.device] = notes.last }
  }

  mutating func lose(_ number: Int, _ device: PlanDevice, _ reason: String) {
    devices.insert(number)
    notes.append("\(device.name(number)) is left out: \(reason)")
  }
}
