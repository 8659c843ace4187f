import CoreMLBase
import CoreMLKernels
import MIL

/// What every session of a plan shares on a device: the constants that its kernels read, which plans of other shapes share too.
final class DeviceConstants: Sendable {
  let context: OpenCLContext
  let patience: Double?
  private let memory: [Int: OpenCLMemory]

  init(
    _ context: OpenCLContext, device: Int, patience: Double?, constants: [Int: StoredWeight], steps: [Plan.Step],
    _ weights: WeightStore
  ) throws {
    (self.context, self.patience) = (context, patience)
    var memory: [Int: OpenCLMemory] = [:]
    for step in steps where step.device == device {
      switch step.action {
      case .kernel, .writeState: break
      default: continue
      }
      for (operand, slot) in step.inputs.enumerated() {
        guard let constant = constants[slot], memory[slot] == nil, !step.packed.contains(operand),
          constant.count > 0
        else { continue }
        memory[slot] = try weights.memory(of: constant, on: context)
      }
    }
    self.memory = memory
  }

  subscript(slot: Int) -> OpenCLMemory? { memory[slot] }
}

/// A device's side of a session: a queue, an arena, scratch, and the memory of each of its steps.
final class DeviceSession {
  let queue: OpenCLQueue
  private let arena: OpenCLBuffer
  private let scratch: OpenCLBuffer
  private let plan: Plan
  private let device: Int
  private let constants: DeviceConstants
  private var frames: [Int: OpenCLFrame] = [:]
  /// Memory that each run is given, and the operands and outputs that lie in it, by external memory.
  private var externals: [Int: OpenCLMemory] = [:]
  private var bound: [Int: [(step: Int, operand: Int?, output: Int?)]] = [:]
  /// Commands may be at work that nobody has waited for.
  private(set) var isBusy = false
  /// Whether everything enqueued has been waited for.
  private var isSettled = true
  /// What times the kernels, where somebody does.
  private let clock = DeviceClock.current

  init(_ plan: Plan, _ constants: DeviceConstants, device: Int) throws {
    self.plan = plan
    self.device = device
    self.constants = constants
    queue = try constants.context.makeQueue(profiling: clock != nil, patience: constants.patience)
    arena = try constants.context.makeBuffer(byteCount: max(plan.arenaBytes[device], 64))
    scratch = try constants.context.makeBuffer(byteCount: max(plan.scratchBytes[device], 64))
    let nothing = try scratch.memory(byteOffset: 0, byteCount: 0)
    for (number, step) in plan.steps.enumerated() where step.device == device {
      guard case .kernel = step.action else { continue }
      frames[number] = OpenCLFrame(
        queue: queue, inputs: try step.inputs.map { try memory($0) ?? constants[$0] ?? nothing },
        outputs: try step.outputs.map { try memory($0) ?? nothing }, scratch: scratch.memory)
      for (operand, slot) in step.inputs.enumerated() { note(slot, (number, operand, nil)) }
      for (output, slot) in step.outputs.enumerated() { note(slot, (number, nil, output)) }
    }
  }

  private func note(_ slot: Int, _ place: (step: Int, operand: Int?, output: Int?)) {
    guard plan.slots[slot].device == device, case .external(let number) = plan.slots[slot].storage else { return }
    bound[number, default: []].append(place)
  }

  /// Lets external memory be `memory` from now on.
  func bind(_ external: Int, to memory: OpenCLMemory) throws {
    if let known = externals[external], known.buffer === memory.buffer, known.byteOffset == memory.byteOffset { return }
    externals[external] = memory
    for (step, operand, output) in bound[external] ?? [] {
      guard let frame = frames[step] else { continue }
      var (inputs, outputs) = (frame.inputs, frame.outputs)
      if let operand { inputs[operand] = memory }
      if let output { outputs[output] = memory }
      frames[step] = OpenCLFrame(queue: queue, inputs: inputs, outputs: outputs, scratch: frame.scratch)
    }
  }

  /// Copies between a state's memory and a value's.
  func move(_ slot: Int, state: OpenCLMemory, isRead: Bool) throws {
    guard let memory = try memory(slot) ?? constants[slot] else {
      throw RuntimeError(.evaluation, "a state's value has no memory on the device")
    }
    try queue.context.requireAlive()
    begin()
    if isRead { try queue.copy(state, to: memory) } else { try queue.copy(memory, to: state) }
  }

  /// The range of a planned value in the arena, or the external memory that it lies in.
  func memory(_ slot: Int) throws -> OpenCLMemory? {
    guard plan.slots[slot].device == device else { return nil }
    switch plan.slots[slot].storage {
    case .arena(let offset): return try arena.memory(byteOffset: offset, byteCount: plan.slots[slot].byteCount)
    case .external(let number): return externals[number]
    default: return nil
    }
  }

  func run(_ kernel: @Sendable (OpenCLFrame) throws -> Void, step: Int) throws {
    guard let frame = frames[step] else { throw RuntimeError(.evaluation, "step \(step) has no memory on the device") }
    try queue.context.requireAlive()
    begin()
    try kernel(frame)
    try clock?.time(step, of: plan, on: queue)
  }

  /// Without `wait`, the bytes stay as they are until the queue has been waited for.
  func upload(_ bytes: UnsafeRawBufferPointer, to slot: Int, wait: Bool) throws {
    guard let memory = try memory(slot) else { throw RuntimeError(.evaluation, "a copy has no memory on the device") }
    try queue.context.requireAlive()
    if wait { try settle() }
    begin()
    try queue.write(bytes, to: memory, wait: wait)
  }

  /// Nothing is written to the host's memory before what is enqueued has ended: who stops waiting for it may free that memory.
  func download(_ slot: Int, into bytes: UnsafeMutableRawBufferPointer) throws {
    guard let memory = try memory(slot) else { throw RuntimeError(.evaluation, "a copy has no memory on the device") }
    try settle()
    try queue.read(memory, into: bytes)
  }

  /// Waits for everything enqueued, and tells of faults.
  func finish() throws {
    try settle()
    try queue.finish()
    isBusy = false
  }

  private func begin() { (isBusy, isSettled) = (true, false) }

  /// Waits for everything enqueued where the work can be stopped meanwhile, or the device be taken for hung.
  private func settle() throws {
    let cancellation = Cancellation.current
    guard !isSettled, cancellation != nil || queue.patience != nil else { return }
    guard try queue.hasEnded(unless: { cancellation?.isCancelled == true }) else {
      throw RuntimeError(.cancelled, "the prediction was stopped while \(queue.device.id) was at work")
    }
    isSettled = true
  }
}
