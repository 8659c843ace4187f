import CoreMLBase
import CoreMLKernels
import MIL

/// The kernels chosen for one function, one set of devices and one set of input shapes, with memory laid out. A plan is
/// immutable and shared by all sessions that run it.
package final class Plan: Sendable {
  /// Where a value is stored while the plan runs.
  package enum Storage: Sendable {
    /// At an offset of the session's arena on the slot's device.
    case arena(Int)
    /// In a captured value of an outer scope, by number. It is only read, and its address does not change between runs.
    case outer(Int)
    /// A constant.
    case literal(Value)
    /// In memory that the caller supplies for each run: one of `externals`.
    case external(Int)
    /// Not stored: every kernel that reads it has packed it.
    case packed
    /// In a slot of the session's environment, since its shape or kind is only known at run time.
    case environment(Int)

    /// Whether both are the same external memory, or neither is external.
    func hasSameBinding(as other: Storage) -> Bool {
      switch (self, other) {
      case (.external(let a), .external(let b)): a == b
      case (.external, _), (_, .external): false
      default: true
      }
    }
  }

  /// Memory that the session does not own: a caller's input or output buffer, or a state. Only states may be in the
  /// memory of a device other than the host.
  struct External: Sendable {
    enum Role: Sendable, Hashable {
      case input(String)
      case output(String)
      case state(String)
    }

    let role: Role
    /// The slot of the input or output; nil for a state.
    let slot: Int?
    let device: Int
  }

  /// A class, since the plans of a template share most of their slots and steps.
  package final class Slot: Sendable {
    package let name: String
    package let type: ValueType
    /// The device number; 0 is the host.
    let device: Int
    let layout: Layout
    let storage: Storage

    /// Size in bytes in this layout; 0 for values without planned memory. Computed in advance, since computing it
    /// allocates memory.
    let byteCount: Int

    init(name: String, type: ValueType, device: Int, layout: Layout, storage: Storage) {
      (self.name, self.type, self.device, self.layout, self.storage) = (name, type, device, layout, storage)
      byteCount = type.tensor.flatMap { layout.byteCount(of: $0) } ?? 0
    }
  }

  package final class Step: Sendable {
    package enum Action: Sendable {
      /// A kernel with planned memory.
      case kernel(PreparedKernel)
      /// An operation that is evaluated outside of the plan. Types, kernel and memory are determined when its arguments
      /// are known.
      case evaluate
      /// A loop or conditional whose blocks have plans of their own.
      case control(ControlFlow)
      case readState(String)
      case writeState(String)
      /// Copies a value from the host to the step's device (`upload`), or back (`download`).
      case upload
      case download
    }

    let label: String
    package let action: Action
    /// The device whose queue runs the step. Host steps run in the order of `steps`; other queues run asynchronously.
    let device: Int
    /// Indices into `slots`, in the order of the problem's operands.
    package let inputs: [Int]
    package let outputs: [Int]
    /// Captured values that nested blocks read from the outer scope.
    let captured: [Int]
    /// Operands that the kernel has packed. It does not read their memory.
    let packed: Set<Int>
    /// Steps on other queues that must complete before this one starts.
    let waits: [Int]
    package let choice: Choice

    init(
      label: String, action: Action, device: Int, inputs: [Int], outputs: [Int], captured: [Int], packed: Set<Int>,
      waits: [Int], choice: Choice
    ) {
      (self.label, self.action, self.device) = (label, action, device)
      (self.inputs, self.outputs, self.captured) = (inputs, outputs, captured)
      (self.packed, self.waits, self.choice) = (packed, waits, choice)
    }

    /// The step with the kernel for other shapes.
    convenience init(_ other: Step, _ prepared: PreparedStep) {
      self.init(
        label: other.label, action: prepared.action, device: other.device, inputs: other.inputs, outputs: other.outputs,
        captured: other.captured, packed: prepared.candidate?.packed ?? [], waits: other.waits, choice: prepared.choice)
    }
  }

  /// How a step was chosen, for `runtime plan --explain` and `MLComputePlan`.
  package struct Choice: Sendable {
    package let operation: Operation
    package let kernel: String
    package let device: DeviceKind
    /// Estimated seconds.
    package let cost: Double
    /// The arithmetic and memory traffic of the kernel; nil if only known at run time.
    package var work: Work?
    let rejected: RejectedKernels?
    package var refusals: [(kernel: String, reason: String)] { rejected?.reasons ?? [] }
  }

  package let slots: [Slot]
  package let steps: [Step]
  let inputs: [String: Int]
  /// In the order of the function's outputs.
  let outputs: [(name: String, slot: Int)]
  let externals: [External]
  /// Bytes by device.
  package let arenaBytes: [Int]
  package let scratchBytes: [Int]
  let environmentCount: Int
  package let pool: ThreadPool
  /// The constants on each device that runs steps; nil for the host.
  let deviceConstants: [DeviceConstants?]
  /// True if all steps run on the host.
  let isOnHost: Bool
  /// Messages for the user about how the plan was made: devices and kernels that were left out, and why.
  package let notes: [String]
  /// The memory of the plan itself, reserved from a budget.
  private let memory: PlanningMemory?
  /// Plans of one family have the same steps, values and features, but for sizes, kernels and offsets.
  let family: PlanFamily?

  init(
    slots: [Slot], steps: [Step], inputs: [String: Int], outputs: [(name: String, slot: Int)],
    externals: [External], arenaBytes: [Int],
    scratchBytes: [Int], environmentCount: Int, pool: ThreadPool,
    deviceConstants: [DeviceConstants?], notes: [String], memory: PlanningMemory? = nil,
    family: PlanFamily? = nil
  ) {
    self.slots = slots
    self.steps = steps
    self.inputs = inputs
    self.outputs = outputs
    self.externals = externals
    self.arenaBytes = arenaBytes
    self.scratchBytes = scratchBytes
    self.environmentCount = environmentCount
    self.pool = pool
    self.deviceConstants = deviceConstants
    isOnHost = deviceConstants.allSatisfy { $0 == nil }
    self.notes = notes
    self.memory = memory
    self.family = family
  }
}

/// The identity of a template's plans.
final class PlanFamily: Sendable {}

extension Plan.Step {
  /// The slot of the data that a state-writing step writes; nil for other steps.
  var stateData: Int? {
    guard case .writeState = action else { return nil }
    return zip(inputs, KernelProblem.order(of: choice.operation)).first { $1.parameter == "data" }?.0
  }
}
