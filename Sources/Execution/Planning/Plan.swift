import CoreMLBase
import CoreMLKernels
import MIL

/// The rows chosen for one function, one set of devices and one set of input shapes, with memory laid out: immutable, shared
/// by every session that runs it.
package final class Plan: Sendable {
  /// Where a value lives while the plan runs.
  package enum Storage: Sendable {
    /// At an offset of the session's arena on the slot's device.
    case arena(Int)
    /// In memory around a block, by number: it is read and never written, and stays where it is from run to run.
    case outer(Int)
    /// Never changes.
    case literal(Value)
    /// In memory that each run is given: one of `externals`.
    case external(Int)
    /// Nowhere: every kernel that has it has packed it.
    case packed
    /// In a slot of the session's environment: its shape or kind is only known at run time.
    case environment(Int)
  }

  /// Memory that is not the session's: an input where its caller has it, an output where the caller wants it, a state. States may be in the
  /// memory of a device other than the host.
  struct External: Sendable {
    enum Role: Sendable, Hashable {
      case input(String)
      case output(String)
      case state(String)
    }

    let role: Role
    /// The input's or output's slot.
    let slot: Int?
    let device: Int
  }

  package struct Slot: Sendable {
    package let name: String
    package let type: ValueType
    /// The number of the device: 0 is the host.
    let device: Int
    let layout: Layout
    let storage: Storage

    /// Bytes that it takes where it lies; 0 for what has no planned memory. Known before a run, for to find it out takes memory.
    let byteCount: Int

    init(name: String, type: ValueType, device: Int, layout: Layout, storage: Storage) {
      (self.name, self.type, self.device, self.layout, self.storage) = (name, type, device, layout, storage)
      byteCount = type.tensor.flatMap { layout.byteCount(of: $0) } ?? 0
    }
  }

  package struct Step: Sendable {
    package enum Action: Sendable {
      /// A kernel whose memory is planned.
      case kernel(PreparedKernel)
      /// An operation run outside of the plan: types, row and memory are found when its arguments are known.
      case evaluate
      /// A loop or a branch whose blocks have plans of their own.
      case control(ControlFlow)
      case readState(String)
      case writeState(String)
      /// Copies the input from the host to the step's device, or back.
      case upload
      case download
    }

    let label: String
    package let action: Action
    /// The device whose queue it stands in: the host's is the order of the steps, another's runs on its own.
    let device: Int
    /// Indices of `slots`, in the order of the site's operands.
    package let inputs: [Int]
    package let outputs: [Int]
    /// What nested blocks read from around them.
    let captured: [Int]
    /// Operands whose constants the kernel packed: it does not read their memory.
    let packed: Set<Int>
    /// Steps of other queues that must have ended before it begins.
    let waits: [Int]
    package let choice: Choice
  }

  /// How a step was decided: for `runtime plan --explain` and `MLComputePlan`.
  package struct Choice: Sendable {
    package let operation: Operation
    package let kernel: String
    package let device: DeviceKind
    /// Estimated seconds.
    package let cost: Double
    /// The arithmetic that the row does and the bytes that it moves; nil for what only run time knows.
    package var work: Work?
    package let refusals: [(kernel: String, reason: String)]
  }

  package let slots: [Slot]
  package let steps: [Step]
  let inputs: [String: Int]
  /// In the order of the function's outputs.
  let outputs: [(name: String, slot: Int)]
  let externals: [External]
  /// By device.
  package let arenaBytes: [Int]
  package let scratchBytes: [Int]
  let environmentCount: Int
  package let pool: ThreadPool
  /// The constants on each device that steps run on; nil for the host.
  let deviceConstants: [DeviceConstants?]
  /// No step is another device's.
  let isOnHost: Bool
  /// What a person should know of how the plan came to be: devices and kernels that were left out, and why.
  package let notes: [String]
  /// What the plan itself takes from a budget.
  private let memory: PlanningMemory?

  init(
    slots: [Slot], steps: [Step], inputs: [String: Int], outputs: [(name: String, slot: Int)],
    externals: [External], arenaBytes: [Int],
    scratchBytes: [Int], environmentCount: Int, pool: ThreadPool,
    deviceConstants: [DeviceConstants?], notes: [String], memory: PlanningMemory? = nil
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
  }
}

extension Plan.Step {
  /// The slot of what a step that writes a state writes.
  var stateData: Int? {
    guard case .writeState = action else { return nil }
    return zip(inputs, KernelProblem.order(of: choice.operation)).first { $1.parameter == "data" }?.0
  }
}
