import CoreMLSpec
import MIL

/// Lowers `loop` to MIL's `while_loop`. The condition network runs before the loop and after each iteration, so the
/// blobs that it writes are visible inside and after the loop. The loop variables are a counter, the continue flag, and
/// the blobs that the networks write.
struct LoopLayers {
  let network: NetworkImport
  private var graph: NetworkGraph { network.graph }
  private var branches: BranchLayers { BranchLayers(network: network) }

  func loop(_ params: Specification.LoopLayerParams) throws {
    let plan = try LoopPlan(
      body: Array(graph.required(params.bodyNetwork, "bodyNetwork").layers)[...],
      condition: Array(params.conditionNetwork?.layers ?? Specification.NeuralNetwork().layers)[...],
      conditionName: params.conditionVar.isEmpty ? nil : params.conditionVar)
    var limit: String?
    if !graph.layer.inputs.isEmpty {
      limit = try graph.scalarInput(0)
    } else if try params.maxLoopIterations > 0 || plan.conditionName == nil {
      limit = graph.builder.constant(
        .int32(try graph.int(min(params.maxLoopIterations, UInt64(Int32.max)), "maxLoopIterations")))
    }
    let written = try NestedLayers.written(plan.body).union(NestedLayers.written(plan.condition)).sorted()
    let after = written.filter { network.isRead($0) }
    try inLoop(plan) { try network.lower(plan.condition) }
    let goesOn = try shouldContinue(plan)

    // A blob that exists before the loop, or is read after it, is a loop variable.
    var variables: [LoopVariable] = []
    for name in written {
      guard let blob = graph.blobs[name], blob.full != nil || blob.merged != nil else { continue }
      let value = try graph.full(blob, named: name)
      variables.append(LoopVariable(name: name, initial: value, type: try graph.builder.tensorType(of: value)))
    }
    let known = Set(variables.map(\.name))
    let body = try stableRound(plan, &variables, late: after.filter { !known.contains($0) })
    // A blob that only the loop writes has no value before it. Its initial value is never read by an iteration.
    for (name, type) in body.late {
      variables.append(LoopVariable(name: name, initial: try empty(type), type: type))
    }
    let names = try run(body, variables, goesOn, limit)
    for name in written { graph.define(name, Blob()) }
    for (variable, result) in zip(variables, names) { graph.define(variable.name, Blob(full: result, merged: nil)) }
  }

  struct LoopPlan {
    var body: NetworkImport.Layers
    var condition: NetworkImport.Layers
    var conditionName: String?
  }

  /// A blob that each iteration takes and returns.
  struct LoopVariable {
    var name: String
    var initial: String
    var type: TensorType
  }

  /// The value of a blob that only the loop writes if the loop never runs: zeros, or an empty axis where the size is
  /// unknown.
  private func empty(_ type: TensorType) throws -> String {
    try graph.emit("fill", ["shape": .ints(type.shape.map { $0.value ?? 0 }), "value": .float(0)])
  }

  private func inLoop(_ plan: LoopPlan, _ work: () throws -> Void) throws {
    var names = Set(try plan.body.flatMap { try NestedLayers.read($0) })
    for layer in plan.condition { names.formUnion(try NestedLayers.read(layer)) }
    if let name = plan.conditionName { names.insert(name) }
    try network.readingLater(names, work)
  }

  /// The current value of the condition, combined with the absence of a break.
  private func shouldContinue(_ plan: LoopPlan, _ end: String? = nil) throws -> String {
    var result: String?
    if let name = plan.conditionName {
      guard let blob = graph.blobs[name], blob.full != nil || blob.merged != nil else {
        throw graph.error(.invalidModel, "the condition's network does not give '\(name)'")
      }
      result = try branches.isNotZero(graph.full(blob, named: name))
    }
    guard let end else { return result ?? graph.builder.constant(.bool(true), named: "go") }
    let isOpen = try graph.emit("equal", ["x": .name(end), "y": .float(0)])
    return try result.map { try graph.emit("logical_and", ["x": .name($0), "y": .name(isOpen)]) } ?? isOpen
  }

  private static let counter = "\0counter"
  private static let going = "\0going"

  /// One iteration as a block: from `variables` to their next values and to those `late` blobs that it writes.
  private func round(_ plan: LoopPlan, _ variables: [LoopVariable], late: [String]) throws -> Round {
    try network.nested {
      let counter = graph.builder.input("counter", .tensor(TensorType(.int32, [Int]())))
      _ = graph.builder.input("go", .tensor(TensorType(.bool, [Int]())))
      for variable in variables {
        let name = graph.builder.input(variable.name, .tensor(variable.type))
        graph.define(variable.name, Blob(full: name, merged: nil))
      }
      for flag in BranchLayers.Flag.allCases { branches.raise(flag, to: 0) }
      let count = try graph.emit("add", ["x": .name(counter), "y": .int(1)])
      try inLoop(plan) {
        try network.lower(plan.body)
        try branches.lowerUnlessStopped(plan.condition, .end)
      }
      let going = try shouldContinue(plan, graph.blobs[BranchLayers.Flag.end.rawValue]?.full)
      graph.define(Self.counter, Blob(full: count, merged: nil))
      graph.define(Self.going, Blob(full: going, merged: nil))
      let result = try branches.finished([Self.counter, Self.going] + variables.map(\.name) + late)
      let given = late.compactMap { name in result.types[name].map { (name, $0) } }
      for (name, type) in given { _ = graph.builder.input(name, .tensor(type)) }
      return Round(inputs: graph.builder.inputs, result: result, late: given)
    }
  }

  private struct Round {
    var inputs: [NamedType]
    var result: BranchLayers.Nested
    var late: [(name: String, type: TensorType)]
  }

  /// An iteration whose variables keep their types; sizes that an iteration changes are unknown. An unknown size may
  /// make others unknown, which settles after a few attempts. For example, a known length can be the rank of a value
  /// made from it. If it does not settle, all sizes are unknown.
  private func stableRound(
    _ plan: LoopPlan, _ variables: inout [LoopVariable], late: [String]
  ) throws -> Round {
    // A nested loop is lowered again for each attempt of the outer loops. So deeply nested loops use unknown sizes at
    // once.
    var attempts = network.depth == 0 ? 4 : network.depth > 3 ? 0 : 1
    while true {
      if attempts <= 0 {
        for index in variables.indices {
          variables[index].type.shape = variables[index].type.shape.map { _ in .unknown }
        }
      }
      let round = try self.round(plan, variables, late: late)
      var isStable = true
      for index in variables.indices {
        let variable = variables[index]
        guard let type = round.result.types[variable.name], type.rank == variable.type.rank,
          type.scalar == variable.type.scalar
        else {
          throw graph.error(.unsupported, "'\(variable.name)' changes its rank from round to round")
        }
        for axis in type.shape.indices
        where variable.type.shape[axis].isKnown && type.shape[axis] != variable.type.shape[axis] {
          variables[index].type.shape[axis] = .unknown
          isStable = false
        }
      }
      if isStable { return round }
      attempts -= 1
    }
  }

  /// Emits the `while_loop` and returns the names of the variables after it.
  private func run(
    _ round: Round, _ variables: [LoopVariable], _ goesOn: String, _ limit: String?
  ) throws -> [String] {
    let names = [Self.counter, Self.going] + variables.map(\.name)
    let body = Block(
      inputs: round.inputs, operations: round.result.operations, outputs: names.compactMap { round.result.values[$0] })
    let test = try network.nested {
      let inputs = round.inputs.map { graph.builder.input($0.name, $0.type) }
      guard inputs.count > 1 else { throw graph.error(.invalidModel, "has no variables") }
      var result = try graph.builder.add("identity", ["x": .name(inputs[1])], named: "go")
      if let limit {
        let isBelow = try graph.emit("less", ["x": .name(inputs[0]), "y": .name(limit)])
        result = try graph.emit("logical_and", ["x": .name(isBelow), "y": .name(result)])
      }
      return graph.builder.block(outputs: [result])
    }
    let start = graph.builder.constant(.int32(0), named: "counter")
    let initial = [start, goesOn] + variables.map(\.initial)
    let results = try graph.emit("while_loop", all: ["loop_vars": initial.map { .name($0) }], blocks: [test, body])
    return Array(results.dropFirst(2))
  }
}
