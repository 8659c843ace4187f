import CoreMLBase
import CoreMLKernels
import MIL

/// A plan that can be made again for other shapes without planning from the start: all that planning did, with what it
/// looked at.
///
/// An instance is the plan that planning from the start gives for its shapes, step by step and bit by bit; debug builds
/// compare the two. Where that is not certain, there is no instance.
// Sendable: `SpecializeRecord` has a lock, all else is immutable
final class PlanTemplate: @unchecked Sendable {
  private enum Stage {
    case specialize(Specialize, SpecializeRecord, source: Function, output: Function)
    case pass(PassRecord)
  }

  let plan: Plan
  private let planner: Planner
  private let first: Specialize
  private let source: Function
  private var stages: [Stage] = []
  private let lowered: Function
  private let candidates: CandidateRecord
  private let choices: [Int]
  private let prepared: [PreparedStep]
  /// Nil if layouts are chosen anew for other shapes.
  private let patch: PlanPatch?
  private let outputNames: [String]
  private let notes: [String]

  /// Plans a function for the host, and records how. Nil if the function has parts that cannot be recorded.
  ///
  /// - Parameters:
  ///   - source: The function before types are known.
  ///   - specialize: Gives it the types.
  init?(
    _ source: Function, _ specialize: Specialize, _ planner: Planner, outputNames: [String], notes: [String]
  ) throws {
    guard planner.devices.count == 1, source.isRecordable else { return nil }
    (self.planner, self.source, self.outputNames, self.notes) = (planner, source, outputNames, notes)
    first = specialize
    var fixed: Set<ObjectIdentifier> = []
    for operation in source.body.operations {
      for case .literal(.tensor(let tensor)) in operation.inputs.values.joined() {
        fixed.insert(ObjectIdentifier(tensor.storage))
      }
    }
    var stages: [Stage] = []
    func specialized(_ function: Function, _ pass: Specialize) throws -> Function {
      let record = SpecializeRecord()
      var pass = pass
      pass.record = record
      let output = try function.after(pass)
      pass.record = nil
      stages.append(.specialize(pass, record, source: function, output: output))
      return output
    }
    var function = try specialized(source, specialize)
    guard function.isRecordable else { return nil }
    for pass in planner.lower.passes(for: function, on: planner.devices[0]) {
      try Cancellation.check()
      if let pass = pass as? Specialize {
        function = try specialized(function, pass)
      } else {
        guard let record = try PassRecord(pass, on: function, fixed: fixed) else { return nil }
        stages.append(.pass(record))
        function = try record.output.verified(after: "\(type(of: pass))")
      }
    }
    (self.stages, lowered) = (stages, function)
    let memory = PlanningMemory()
    try memory.add(source)
    let candidates = try planner.candidates(
      [Region(device: 0, function: function)], inputs: function.inputs, memory: memory)
    var builder = try planner.builder(candidates, of: function, outputNames)
    plan = try builder.build(
      inputs: function.inputs.map(\.name), planner.pool, notes: notes, memory: memory,
      blocks: planner.forBlocks(memory), family: PlanFamily())
    self.candidates = CandidateRecord(candidates)
    (choices, prepared) = (builder.chosen, builder.prepared)
    patch = PlanPatch(plan, builder, candidates)
  }

  /// The plan for other input types. Nil if planning from the start could give another structure.
  func instance(for inputs: [String: TensorType]) throws -> Plan? {
    var pass = first
    pass.inputs = inputs
    var overlay = Overlay(
      inputs: source.inputs.map { input in
        inputs[input.name].map { NamedType(input.name, .tensor($0)) } ?? input
      })
    for (number, stage) in stages.enumerated() {
      try Cancellation.check()
      let next =
        switch stage {
        case .specialize(let own, let record, let source, let output):
          try record.replayed(overlay, of: source, in: output, number == 0 ? pass : own)
        case .pass(let record): try record.replayed(overlay)
        }
      guard let next else { return nil }
      overlay = next
    }
    guard let changes = try candidates.changes(overlay) else { return nil }
    let memory = PlanningMemory()
    try memory.add(affected: changes.drafts.count)
    if let patched = try patch?.applied(changes, memory: memory) { return patched }
    let (choices, prepared) = (choices, prepared)
    var builder = try planner.builder(candidates.applying(changes), of: lowered, outputNames) { draft, choice in
      changes.drafts[draft] != nil || choices[draft] != choice ? nil : prepared[draft]
    }
    return try builder.build(
      inputs: lowered.inputs.map(\.name), planner.pool, notes: notes, memory: memory, blocks: planner.forBlocks(memory))
  }
}

extension Function {
  /// Whether all values are tensors or states, and no operation has blocks or code of an application.
  fileprivate var isRecordable: Bool {
    inputs.allSatisfy { $0.type.isTensorOrState }
      && body.operations.allSatisfy { operation in
        operation.blocks.isEmpty && operation.code == nil && operation.outputs.allSatisfy { $0.type.isTensorOrState }
          && operation.inputs.values.allSatisfy { bindings in
            bindings.allSatisfy { binding in
              guard case .literal(let value) = binding else { return true }
              return value.tensor != nil
            }
          }
      }
  }
}

extension ValueType {
  fileprivate var isTensorOrState: Bool {
    switch self {
    case .tensor, .state: true
    case .list, .tuple, .dictionary: false
    }
  }
}
