import CoreMLKernels
import MIL

/// A device as planning sees it. The first of a plan's devices is always the host's CPU.
struct PlanDevice: Sendable {
  let kind: DeviceKind
  let profile: DeviceProfile
  /// The user named the device: whatever has a row there runs there, whatever it costs.
  var isNamed = false
}

/// One operation on its way to a step: what it reads and writes, and the best row on each device that takes it.
struct Draft {
  enum Action {
    /// Rows were asked: the pick of each device, by its number.
    case kernel([Choose.Pick?])
    case evaluate
    case readState(String)
    case writeState(String)
  }

  let operation: Operation
  let action: Action
  let inputs: [Int]
  let outputs: [Int]
  let captured: [Int]
  let refusals: [(row: String, reason: String)]

  func pick(on device: Int) -> Choose.Pick? {
    guard case .kernel(let picks) = action, picks.indices.contains(device) else { return nil }
    return picks[device]
  }
}

/// A function being planned: its values, numbered, and its operations as drafts.
struct Drafts {
  struct Slot {
    let name: String
    let type: ValueType
    let literal: Value?
    /// Its shape or kind is only known at run time.
    let isDynamic: Bool

    var byteCount: Int { type.tensor?.byteCount ?? 0 }
  }

  /// Operations that no kernel computes: the session copies between a state and a value.
  static let stateOperations: Set<String> = ["read_state", "write_state"]

  let devices: [PlanDevice]
  let threads: Int
  private let context: OpenCLContext?
  private(set) var slots: [Slot] = []
  private(set) var index: [String: Int] = [:]
  private(set) var drafts: [Draft] = []
  private var scope = Scope()

  init(_ function: Function, devices: [PlanDevice], threads: Int, context: OpenCLContext? = nil) throws {
    self.context = context
    self.devices = devices
    self.threads = threads
    for input in function.inputs { define(input.name, input.type) }
    for operation in function.body.operations {
      try Cancellation.check()
      try add(operation)
    }
  }

  // MARK: values

  private mutating func define(_ name: String, _ type: ValueType, literal: Value? = nil) {
    var isPlanned = false
    if case .tensor(let tensor) = type { isPlanned = tensor.isConcrete && tensor.scalar != .string }
    index[name] = slots.count
    slots.append(Slot(name: name, type: type, literal: literal, isDynamic: literal == nil && !isPlanned))
    scope.define(name, type, value: literal)
  }

  private mutating func slot(of binding: Binding, _ operation: Operation) throws -> Int {
    switch binding {
    case .name(let name):
      guard let slot = index[name] else {
        throw MILError(.invalidProgram, "it reads '\(name)', which is not defined", operation: operation.label)
      }
      return slot
    case .literal(let value):
      slots.append(Slot(name: "", type: value.type, literal: value, isDynamic: false))
      return slots.count - 1
    }
  }

  /// A literal list or string, or a value only run time shapes: not memory that a kernel can be given.
  private func isUnplanned(_ slot: Int) -> Bool {
    guard !slots[slot].isDynamic, case .tensor = slots[slot].type else { return true }
    return false
  }

  // MARK: operations

  private mutating func add(_ operation: Operation) throws {
    if operation.type == "const", let value = operation.constant, let output = operation.outputs.first {
      define(output.name, value.type, literal: value)
      return
    }
    var inputs: [Int] = []
    for (_, _, binding) in Site.order(of: operation) { inputs.append(try slot(of: binding, operation)) }
    let captured = Set(operation.blocks.flatMap(\.capturedNames)).sorted().compactMap { index[$0] }
    let before = scope
    for output in operation.outputs { define(output.name, output.type) }
    let outputs = operation.outputs.compactMap { index[$0.name] }
    let (action, refusals) = try action(operation, inputs, outputs, before)
    drafts.append(
      Draft(
        operation: operation, action: action, inputs: inputs, outputs: outputs, captured: captured, refusals: refusals))
  }

  private func action(
    _ operation: Operation, _ inputs: [Int], _ outputs: [Int], _ scope: Scope
  ) throws -> (Draft.Action, [(row: String, reason: String)]) {
    if Self.stateOperations.contains(operation.type) {
      guard case .name(let state)? = operation.inputs["input"]?.first else {
        throw MILError(.invalidArgument, "its state has no name", operation: operation.label)
      }
      return (operation.type == "read_state" ? .readState(state) : .writeState(state), [])
    }
    guard operation.blocks.isEmpty, !outputs.contains(where: { slots[$0].isDynamic }),
      !inputs.contains(where: isUnplanned)
    else {
      try requireComputable(operation)
      return (.evaluate, [])
    }
    let invocation = try scope.invocation(of: operation)
    let site = Site(
      invocation: invocation, outputs: outputs.compactMap { slots[$0].type.tensor }, threads: threads, openCL: context)
    let work = try Operations.definition(of: operation).work(invocation, outputs: outputs.map { slots[$0].type })
    var picks: [Choose.Pick?] = []
    var refusals: [(row: String, reason: String)] = []
    for device in devices {
      let (pick, refused) = try Choose(profile: device.profile, device: device.kind)(site, work: work)
      picks.append(pick)
      refusals += refused
    }
    guard picks.first.flatMap({ $0 }) != nil else {
      let reasons = refusals.map { "\($0.row): \($0.reason)" }.joined(separator: "; ")
      throw KernelError(
        .noKernel, "\(operation.label): no kernel computes '\(operation.type)'\(reasons.isEmpty ? "" : " (\(reasons))")"
      )
    }
    return (.kernel(picks), refusals)
  }

  private func requireComputable(_ operation: Operation) throws {
    guard KernelTable.computes(operation) || Interpreter.controlFlow.contains(operation.type) else {
      throw KernelError(.noKernel, "\(operation.label): no kernel computes '\(operation.type)'")
    }
    for inner in operation.blocks.flatMap(\.operations) where inner.type != "const" { try requireComputable(inner) }
  }
}
