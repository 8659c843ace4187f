import CoreMLBase
import CoreMLKernels
import MIL

/// The constants that kernels read on a device, shared by all sessions of a plan. Plans for other shapes share them
/// too.
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

/// The part of a session on one device: a queue, an arena, scratch memory, and the memory of each step.
final class DeviceSession {
  let queue: OpenCLQueue
  private let arena: OpenCLBuffer
  private let scratch: OpenCLBuffer
  private let plan: Plan
  private let device: Int
  private let constants: DeviceConstants
  private var frames: [Int: OpenCLFrame] = [:]
  /// The external memory of the current run, and the operands and outputs stored in it, by external memory number.
  private var externals: [Int: OpenCLMemory] = [:]
  private var bound: [Int: [(step: Int, operand: Int?, output: Int?)]] = [:]
  /// Enqueued commands may still be running.
  private(set) var isBusy = false
  /// Whether all enqueued commands have been waited for.
  private var isSettled = true
  /// Times the kernels; nil if they are not timed.
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

  /// Binds external memory to `memory` until further notice.
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

  /// Copies between the memory of a state and that of a value.
  func move(_ slot: Int, state: OpenCLMemory, isRead: Bool) throws {
    guard let memory = try memory(slot) ?? constants[slot] else {
      throw RuntimeError(.evaluation, "a state's value has no memory on the device")
    }
    try queue.context.requireAlive()
    begin()
    if isRead { try queue.copy(state, to: memory) } else { try queue.copy(memory, to: state) }
  }

  /// The arena range of a planned value, or the external memory that holds it.
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

  /// Copies `bytes` to the slot's memory. Without `wait`, they must stay unchanged until the queue has been waited for.
  func upload(_ bytes: UnsafeRawBufferPointer, to slot: Int, wait: Bool) throws {
    guard let memory = try memory(slot) else { throw RuntimeError(.evaluation, "a copy has no memory on the device") }
    try queue.context.requireAlive()
    if wait { try settle() }
    begin()
    try queue.write(bytes, to: memory, wait: wait)
  }

  /// Waits for enqueued commands before it writes host memory, because a caller whose prediction is cancelled may free
  /// that memory.
  func download(_ slot: Int, into bytes: UnsafeMutableRawBufferPointer) throws {
    guard let memory = try memory(slot) else { throw RuntimeError(.evaluation, "a copy has no memory on the device") }
    try settle()
    try queue.read(memory, into: bytes)
  }

  /// Waits for all enqueued commands and throws their errors.
  func finish() throws {
    try settle()
    try queue.finish()
    isBusy = false
  }

  private func begin() { (isBusy, isSettled) = (true, false) }

  /// Waits for all enqueued commands in a way that supports cancellation and detects hung devices.
  private func settle() throws {
    let cancellation = Cancellation.current
    guard !isSettled, cancellation != nil || queue.patience != nil else { return }
    guard try queue.hasEnded(unless: { cancellation?.isCancelled == true }) else {
      throw RuntimeError(.cancelled, "the prediction was stopped while \(queue.device.id) was at work")
    }
    isSettled = true
  }
}
