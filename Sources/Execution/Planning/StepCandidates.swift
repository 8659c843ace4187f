import CoreMLBase
import CoreMLKernels
import MIL

/// The candidates for one step of a plan: an operation, its operands and results, and all kernels of its device that
/// accept it.
struct StepCandidates {
  enum Action {
    case kernel(KernelOptions)
    case evaluate
    case readState(String)
    case writeState(String)
  }

  let operation: Operation
  let device: Int
  let action: Action
  let inputs: [Int]
  let outputs: [Int]
  let captured: [Int]
  /// The names that blocks use for their captured values.
  let capturedNames: [String]
  /// The states that blocks use.
  let states: [NamedType]
  var options: KernelOptions? {
    if case .kernel(let options) = action { return options }
    return nil
  }
}

/// The values (numbered) and step candidates of a function that is being planned, after lowering for its devices.
struct PlanCandidates {
  struct Slot {
    let name: String
    let type: ValueType
    let literal: Value?
    /// The constant, if the value never changes and its elements are stored as in the model file.
    var weight: StoredWeight?
    /// Whether its shape or kind is known only at run time.
    let isDynamic: Bool

    /// The value is a constant, which is available on every device.
    var isConstant: Bool { literal != nil || weight != nil }

    /// Whether it has no memory that a kernel could read: a literal list or string, or a value whose shape is only
    /// known at run time.
    fileprivate var isUnplanned: Bool {
      guard !isDynamic, case .tensor = type else { return true }
      return false
    }

    /// The value with another type or literal of the same kind.
    func changed(to type: ValueType, literal: Value? = nil) -> Slot {
      Slot(name: name, type: type, literal: literal, weight: weight, isDynamic: isDynamic)
    }
  }

  let devices: [PlanDevice]
  private let pool: ThreadPool
  private let memory: PlanningMemory?
  var slots: [Slot] = []
  /// The slots of the names that regions use for each other's values.
  private(set) var index: [String: Int] = [:]
  var drafts: [StepCandidates] = []

  /// Collects the step candidates of `regions`, which must be lowered. `inputs` are the function's inputs. `given` has
  /// the constants among them.
  init(
    _ regions: [Region], inputs: [NamedType], given: [String: StoredWeight] = [:], devices: [PlanDevice],
    pool: ThreadPool, memory: PlanningMemory? = nil
  ) throws {
    self.devices = devices
    self.pool = pool
    self.memory = memory
    for input in inputs {
      let slot = add(input.name, input.type)
      slots[slot].weight = given[input.name]
      index[input.name] = slot
    }
    for region in regions { try add(region) }
  }

  // MARK: values

  private mutating func add(_ name: String, _ type: ValueType, literal: Value? = nil) -> Int {
    var isPlanned = false
    if case .tensor(let tensor) = type { isPlanned = tensor.isConcrete && tensor.scalar != .string }
    slots.append(Slot(name: name, type: type, literal: literal, isDynamic: literal == nil && !isPlanned))
    return slots.count - 1
  }

  // MARK: regions

  /// The name bindings inside one region.
  struct Names {
    var scope = Scope()
    var stored = StoredConstants()
    var index: [String: Int] = [:]
  }

  /// The bindings of the region that was added last, and what each of its operations became.
  var names = Names()
  var places: [Place] = []

  enum Place {
    case constant(slot: Int)
    case weights
    case draft(Int)
  }

  private mutating func add(_ region: Region) throws {
    var names = Names()
    places = []
    names.scope.reserve(region.function.body.operations.count)
    for input in region.function.inputs {
      guard let slot = index[input.name] else {
        throw MILError(.invalidProgram, "'\(input.name)' is read before it is computed")
      }
      names.index[input.name] = slot
      names.scope.define(input.name, input.type)
      if let weight = slots[slot].weight { names.stored.define(input.name, weight) }
    }
    for operation in region.function.body.operations {
      try Cancellation.check()
      try add(operation, on: region.device, &names)
    }
    for (name, inner) in zip(region.outputs, region.function.body.outputs) {
      guard let slot = names.index[inner] else {
        throw MILError(.invalidProgram, "the output '\(name)' is not computed")
      }
      index[name] = slot
    }
    self.names = names
  }

  private mutating func add(_ operation: Operation, on device: Int, _ names: inout Names) throws {
    if operation.type == "const", let value = operation.constant, let output = operation.outputs.first {
      let slot = add(output.name, value.type, literal: value)
      names.index[output.name] = slot
      places.append(.constant(slot: slot))
      names.scope.define(output.name, value.type, value: value)
      return
    }
    if operation.isConstexpr,
      let weights = try names.stored.take(operation, names.scope.invocation(of: operation))
    {
      for (output, weight) in zip(operation.outputs, weights) {
        let slot = add(output.name, .tensor(weight.type))
        slots[slot].weight = weight
        names.index[output.name] = slot
        names.scope.define(output.name, .tensor(weight.type))
      }
      places.append(.weights)
      return
    }
    var inputs: [Int] = []
    for (_, _, binding) in KernelProblem.order(of: operation) { inputs.append(try slot(of: binding, operation, names)) }
    let read = Set(operation.blocks.flatMap(\.capturedNames)).sorted().filter { names.index[$0] != nil }
    let states = read.compactMap { name in names.scope.types[name].map { NamedType(name, $0) } }.filter(\.type.isState)
    let stateNames = Set(states.map(\.name))
    let capturedNames = read.filter { !stateNames.contains($0) }
    let captured = capturedNames.compactMap { names.index[$0] }
    let outputs = operation.outputs.map { add($0.name, $0.type) }
    let action = try action(
      operation, device, inputs.map { slots[$0] }, outputs.map { slots[$0] }, names.stored.weights)
    for (output, slot) in zip(operation.outputs, outputs) {
      names.index[output.name] = slot
      names.scope.define(output.name, output.type)
    }
    places.append(.draft(drafts.count))
    drafts.append(
      StepCandidates(
        operation: operation, device: device, action: action, inputs: inputs, outputs: outputs, captured: captured,
        capturedNames: capturedNames, states: states))
  }

  private mutating func slot(of binding: Binding, _ operation: Operation, _ names: Names) throws -> Int {
    switch binding {
    case .name(let name):
      guard let slot = names.index[name] else {
        throw MILError(.invalidProgram, "it reads '\(name)', which is not defined", operation: operation.label)
      }
      return slot
    case .literal(let value): return add("", value.type, literal: value)
    }
  }

  // MARK: operations

  /// - Parameters:
  ///   - inputs: The operands in the order of the problem.
  ///   - stored: Operands that are stored as in the model file, by name.
  func action(
    _ operation: Operation, _ device: Int, _ inputs: [Slot], _ outputs: [Slot], _ stored: [String: StoredWeight]
  ) throws -> StepCandidates.Action {
    if Planner.stateOperations.contains(operation.type) {
      guard case .name(let state)? = operation.inputs["input"]?.first else {
        throw MILError(.invalidArgument, "its state has no name", operation: operation.label)
      }
      return operation.type == "read_state" ? .readState(state) : .writeState(state)
    }
    guard operation.blocks.isEmpty, !outputs.contains(where: \.isDynamic),
      !inputs.contains(where: \.isUnplanned)
    else {
      try requireComputable(operation)
      try memory?.addDraft(kernels: 0)
      return .evaluate
    }
    let invocation = Invocation(operation, inputs)
    let problem = KernelProblem(
      invocation: invocation, outputs: outputs.compactMap(\.type.tensor), threads: pool.threads,
      openCL: devices[device].context, allowsLowPrecision: devices[device].allowsLowPrecision, weights: stored)
    let work = try Operations.definition(of: operation).work(invocation, outputs: outputs.map(\.type))
    var options = try KernelOptions(problem, work: work, on: devices[device].kind, profile: devices[device].profile)
    if let timings = devices[device].timings {
      try options.time(
        at: problem, by: timings, pool, mayMeasure: KernelTimings.isOpening || devices[device].timesWhatIsMet)
    }
    try memory?.addDraft(kernels: options.all.count + options.refusals.count)
    guard !options.all.isEmpty else {
      let reasons = options.refusals.map { "\($0.kernel): \($0.reason)" }.joined(separator: "; ")
      let sentence =
        "\(operation.label): no kernel computes '\(operation.type)'\(reasons.isEmpty ? "" : " (\(reasons))")"
      let error = KernelError(.noKernel, sentence)
      guard device == 0 else {
        throw DeviceFailure(device: device, operation: operation, cause: error, isRefusal: true)
      }
      throw error
    }
    return .kernel(devices[device].forcedKernel.map(options.forcing) ?? options)
  }

  private func requireComputable(_ operation: Operation) throws {
    guard KernelRegistry.computes(operation) || Interpreter.controlFlow.contains(operation.type) else {
      throw KernelError(.noKernel, "\(operation.label): no kernel computes '\(operation.type)'")
    }
    for inner in operation.blocks.flatMap(\.operations) where inner.type != "const" && inner.stateName == nil {
      try requireComputable(inner)
    }
  }
}

extension ValueType {
  var isState: Bool {
    if case .state = self { return true }
    return false
  }
}

extension Invocation {
  /// - Parameter operands: The operands in the order of the problem.
  fileprivate init(_ operation: Operation, _ operands: [PlanCandidates.Slot]) {
    var types: [String: [ValueType]] = [:]
    var values: [String: [Value?]] = [:]
    var first = 0
    for (parameter, bindings) in operation.inputs.sorted(by: { $0.key < $1.key }) {
      let own = operands[first..<first + bindings.count]
      types[parameter] = own.map(\.type)
      values[parameter] = own.map(\.literal)
      first += bindings.count
    }
    self.init(operation: operation, inputTypes: types, values: values)
  }
}
