import MIL

/// One way to compute an operation on one kind of device.
///
/// Rows of an operation stand best first. `offer` accepts with a cost or throws a `Refusal` whose sentence is kept for
/// `runtime plan --explain`; any other error is a fault of the model and ends planning.
package struct KernelImplementation: Sendable {
  package let operations: [String]
  /// Unique within an operation, such as `conv.im2col`.
  package let name: String
  package let device: DeviceKind
  /// Whether the row takes sites with values of single and of half precision.
  package let mixesPrecisions: Bool
  package let match: @Sendable (KernelProblem) throws -> Candidate

  /// - Parameter mixesPrecisions: whether a row of OpenCL asks of each of its values if it is halves; others get no site with values of single
  ///   and of half precision.
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

/// What a row promises for a site.
package struct Candidate: Sendable {
  /// Fraction of the device's peak arithmetic in single precision that the kernel reaches on this site; above one where units for matrices do it.
  package var efficiency: Double
  /// Fraction of the device's bandwidth that it reaches.
  package var bandwidth = 1.0
  /// Bytes of scratch memory while it runs, booked when the plan is made.
  package var scratchBytes: Int
  /// The output is the same bytes as this slot: the kernel does nothing when memory is planned so.
  package var alias: Int?
  /// Slots whose memory the first output may take over while the kernel runs (same byte size).
  package var inPlace: [Int]
  /// Slots of constants that `prepare` packs: their memory is not needed while running.
  package var packed: Set<Int>
  /// The layouts of operands by slot, and of outputs by number, where they are not dense.
  package var takes: [Int: Layout] = [:]
  package var gives: [Int: Layout] = [:]
  /// Bytes that are copied from an operand to an output as they lie: where both can have them in one place, there is nothing to copy, and the
  /// kernel sees that they are there.
  package var runs: [Run] = []
  /// Seconds that one group of a GPU's work-items takes at least, however many there are beside it: steps that wait for memory one after the
  /// other. On a device whose launches take as long as those of `DeviceProfile.gpu`; others wait in proportion.
  package var latency = 0.0
  /// Times that the device is given something to do, where it is more than once.
  package var launches = 1
  /// Work when it differs from the operation's own (Winograd multiplies less, say).
  package var work: Work?
  /// Reads attributes, packs weights, and gives the kernel to run. Called once, when the row is chosen.
  package var prepare: @Sendable (Preparation) throws -> PreparedKernel

  /// An offer of a kernel that packs nothing.
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

  /// `count` bytes from `source` in an operand, from `target` in an output.
  package struct Run: Sendable, Hashable {
    package let operand: Int
    package let source: Int
    package let output: Int
    package let target: Int
    package let count: Int
  }

  package func layout(ofOperand slot: Int) -> Layout { takes[slot] ?? .dense }
  package func layout(ofOutput number: Int) -> Layout { gives[number] ?? .dense }

  /// Whether it takes and gives values as they lie outside of a plan.
  package var isDense: Bool {
    takes.values.allSatisfy { $0 == .dense } && gives.values.allSatisfy { $0 == .dense }
  }

  /// An offer of a CPU kernel that needs no preparation of its own.
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

/// A kernel ready to run any number of times, from any thread, on memory given each time.
package enum PreparedKernel: Sendable {
  case cpu(@Sendable (CPUFrame) throws -> Void, together: WeightPass? = nil)
  case openCL(@Sendable (OpenCLFrame) throws -> Void)
}
