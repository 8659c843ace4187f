import CoreMLBase
import CoreMLKernels
import MIL

/// The memory of a run over a fixed number of rows. Input and output addresses do not change, so a run executes only
/// kernels.
package final class TabularSession {
  package let rows: Int
  /// By input, with consecutive rows.
  package let inputs: [UnsafeMutableRawPointer]
  /// By output.
  package let outputs: [UnsafeRawPointer]
  private let session: Session
  private let memory: [TensorStorage]
  private let states: StateBuffers

  init(_ plan: Plan, _ form: TabularSignature, rows: Int) throws {
    self.rows = rows
    let session = try Session(plan: plan)
    let memory = try form.inputs.map { input in
      let bytes = (input.type.byteCount ?? 0).multipliedReportingOverflow(by: rows)
      guard !bytes.overflow else { throw RuntimeError(.evaluation, "'\(input.name)' is too large for \(rows) rows") }
      return try TensorStorage(byteCount: bytes.partialValue, for: "the input '\(input.name)'")
    }
    inputs = try memory.map { storage in
      guard let pointer = storage.mutablePointer else { throw RuntimeError(.evaluation, "an input has no memory") }
      return pointer
    }
    for (input, storage) in zip(form.inputs, memory) { session.keep(storage, asInput: input.name) }
    outputs = try plan.outputs.map { try session.memory(ofOutput: $0.slot) }
    states = try StateBuffers(types: [:])
    (self.session, self.memory) = (session, memory)
  }

  package func run() throws { try session.run(states: states, shouldStop: nil) }
}

extension Plan {
  /// Whether all steps are host kernels on planned memory that takes at most `bytes`.
  func isOfKernels(within bytes: Int) -> Bool {
    let isPlanned = outputs.allSatisfy { output in
      switch slots[output.slot].storage {
      case .arena, .external: true
      case .literal, .outer, .packed, .environment: false
      }
    }
    let isRun = steps.allSatisfy { step in
      if case .kernel(.cpu) = step.action { true } else { false }
    }
    let held = externals.reduce(0) { $0 + ($1.slot.map { slots[$0].byteCount } ?? 0) }
    return isOnHost && isPlanned && isRun && environmentCount == 0 && arenaBytes[0] + scratchBytes[0] + held <= bytes
  }
}
