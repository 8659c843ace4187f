import MIL

/// One way to compute an operation on one kind of device.
///
/// The kernels of an operation are ordered best first. `match` accepts a problem with a `Candidate` or throws a
/// `Refusal`, whose sentence is kept for `runtime plan --explain`. Any other error is a fault of the model and ends
/// planning.
package struct KernelImplementation: Sendable {
  package let operations: [String]
  /// Unique within an operation, for example `conv.im2col`.
  package let name: String
  package let device: DeviceKind
  /// Whether the kernel accepts problems that mix fp32 and fp16 values.
  package let mixesPrecisions: Bool
  package let match: @Sendable (KernelProblem) throws -> Candidate

  /// - Parameter mixesPrecisions: whether an OpenCL kernel checks for each of its values if it is fp16. Other OpenCL
  ///   kernels get no problem that mixes fp32 and fp16 values.
  package init(
    _ name: String, for operations: [String], on device: DeviceKind = .cpu, mixesPrecisions: Bool = false,
    match: @escaping @Sendable (KernelProblem) throws -> Candidate
  ) {
    self.operations = operations
    self.name = name
    self.device = device
    self.mixesPrecisions = mixesPrecisions
    guard device == .openCL, !mixesPrecisions else {
      self.match = match
      return
    }
    self.match = { problem in
      try problem.requireOnePrecision()
      return try match(problem)
    }
  }

  package init(
    _ name: String, for operation: String, on device: DeviceKind = .cpu, mixesPrecisions: Bool = false,
    match: @escaping @Sendable (KernelProblem) throws -> Candidate
  ) {
    self.init(name, for: [operation], on: device, mixesPrecisions: mixesPrecisions, match: match)
  }
}

/// A kernel's answer to a problem that it accepts: cost, memory and layouts.
package struct Candidate: Sendable {
  /// Fraction of the device's peak fp32 arithmetic that the kernel reaches on this problem. It is above one where
  /// matrix units do the arithmetic.
  package var efficiency: Double
  /// Fraction of the device's memory bandwidth that the kernel reaches.
  package var bandwidth = 1.0
  /// Bytes of scratch memory during a run, reserved when the plan is made.
  package var scratchBytes: Int
  /// The output has the same bytes as this slot. The kernel does nothing if the memory plan gives both the same
  /// address.
  package var alias: Int?
  /// Slots whose memory the first output may reuse while the kernel runs (same byte size).
  package var inPlace: [Int]
  /// Slots of constants that `prepare` packs: the running kernel does not need their memory.
  package var packed: Set<Int>
  /// The layouts of operands by slot, and of outputs by index. Missing entries are dense.
  package var takes: [Int: Layout] = [:]
  package var gives: [Int: Layout] = [:]
  /// Bytes that the kernel copies unchanged from an operand to an output. If the memory plan gives both the same
  /// address, the kernel detects it and copies nothing.
  package var runs: [Run] = []
  /// Least seconds of one GPU work-group, however many run concurrently: steps that wait for memory one after the
  /// other. The value holds for a device with the launch time of `DeviceProfile.gpu`; other devices scale it by their
  /// launch time.
  package var latency = 0.0
  /// Number of device launches.
  package var launches = 1
  /// Work when it differs from the operation's own. For example, Winograd multiplies less.
  package var work: Work?
  /// Reads attributes, packs weights, and returns the kernel to run. Called once, when the planner picks the kernel.
  package var prepare: @Sendable (Preparation) throws -> PreparedKernel

  /// A candidate whose kernel packs nothing.
  package init(
    efficiency: Double, scratchBytes: Int = 0, alias: Int? = nil, inPlace: [Int] = [], packed: Set<Int> = [],
    work: Work? = nil, prepare: @escaping @Sendable () throws -> PreparedKernel
  ) {
    self.init(
      efficiency: efficiency, scratchBytes: scratchBytes, alias: alias, inPlace: inPlace, packed: packed, work: work,
      prepare: { (_: Preparation) in try prepare() })
  }

  package init(
    efficiency: Double, scratchBytes: Int = 0, alias: Int? = nil, inPlace: [Int] = [], packed: Set<Int> = [],
    work: Work? = nil, prepare: @escaping @Sendable (Preparation) throws -> PreparedKernel
  ) {
    self.efficiency = efficiency
    self.scratchBytes = scratchBytes
    self.alias = alias
    self.inPlace = inPlace
    self.packed = packed
    self.work = work
    self.prepare = prepare
  }

  /// `count` bytes at offset `source` of an operand, which the kernel copies to offset `target` of an output.
  package struct Run: Sendable, Hashable {
    package let operand: Int
    package let source: Int
    package let output: Int
    package let target: Int
    package let count: Int
  }

  package func layout(ofOperand slot: Int) -> Layout { takes[slot] ?? .dense }
  package func layout(ofOutput number: Int) -> Layout { gives[number] ?? .dense }

  /// Whether all operands and outputs use the dense layout, as values outside of a plan do.
  package var isDense: Bool {
    takes.values.allSatisfy { $0 == .dense } && gives.values.allSatisfy { $0 == .dense }
  }

  /// A CPU kernel that needs no preparation of its own.
  package static func cpu(
    efficiency: Double, scratchBytes: Int = 0, inPlace: [Int] = [], together: WeightPass? = nil,
    _ run: @escaping @Sendable (CPUFrame) throws -> Void
  ) -> Candidate {
    Candidate(efficiency: efficiency, scratchBytes: scratchBytes, inPlace: inPlace) { .cpu(run, together: together) }
  }

  /// The output is the bytes of `slot` under another type.
  package static func alias(_ slot: Int, byteCount: Int) -> Candidate {
    Candidate(efficiency: 1, alias: slot, work: Work(flops: 0, bytes: 0)) {
      .cpu { frame in
        let source = frame.inputs[slot]
        if UnsafeRawPointer(frame.outputs[0]) != source {
          frame.outputs[0].copyMemory(from: source, byteCount: byteCount)
        }
      }
    }
  }
}

/// A kernel that is ready to run any number of times, from any thread. The caller passes the memory on each run.
package enum PreparedKernel: Sendable {
  case cpu(@Sendable (CPUFrame) throws -> Void, together: WeightPass? = nil)
  case openCL(@Sendable (OpenCLFrame) throws -> Void)
}
