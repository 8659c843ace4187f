import CoreMLSpec
import MIL

/// `loop` as MIL's `while_loop`: the condition's network runs before the loop and after each round, so that what it writes is seen
/// inside and after the loop; the loop variables are a counter, whether to go on, and the blobs that the networks write.
extension NetworkImport {
  mutating func loop(_ params: Specification.LoopLayerParams) throws {
    let plan = try LoopPlan(
      body: Array(required(params.bodyNetwork, "bodyNetwork").layers)[...],
      condition: Array(params.conditionNetwork?.layers ?? Specification.NeuralNetwork().layers)[...],
      conditionName: params.conditionVar.isEmpty ? nil : params.conditionVar)
    var limit: String?
    if !layer.inputs.isEmpty {
      limit = try scalarInput(0)
    } else if try params.maxLoopIterations > 0 || plan.conditionName == nil {
      limit = builder.constant(.int32(try int(min(params.maxLoopIterations, UInt64(Int32.max)), "maxLoopIterations")))
    }
    let written = try Self.written(plan.body).union(Self.written(plan.condition)).sorted()
    let after = written.filter { isRead($0) }
    try inLoop(plan) { network in try network.lower(plan.condition) }
    let goesOn = try shouldContinue(plan)

    // A blob that exists before the loop, or is read after it, lives from round to round.
    var variables: [LoopVariable] = []
    for name in written {
      guard let blob = blobs[name], blob.full != nil || blob.merged != nil else { continue }
      let value = try full(blob, named: name)
      variables.append(LoopVariable(name: name, initial: value, type: try builder.tensorType(of: value)))
    }
    let known = Set(variables.map(\.name))
    let body = try stableRound(plan, &variables, late: after.filter { !known.contains($0) })
    // A blob that only the loop writes has no value before it, and no round reads the one it is given.
    for (name, type) in body.late {
      variables.append(LoopVariable(name: name, initial: try empty(type), type: type))
    }
    let names = try run(body, variables, goesOn, limit)
    for name in written { define(name, Blob()) }
    for (variable, result) in zip(variables, names) { define(variable.name, Blob(full: result, merged: nil)) }
  }

  struct LoopPlan {
    var body: Layers
    var condition: Layers
    var conditionName: String?
  }

  /// A blob that a round takes and gives.
  struct LoopVariable {
    var name: String
    var initial: String
    var type: TensorType
  }

  /// What a blob is that only the loop writes, should the loop not run at all: zeros, nothing where a size is not known.
  private mutating func empty(_ type: TensorType) throws -> String {
    try emit("fill", ["shape": .ints(type.shape.map { $0.value ?? 0 }), "value": .float(0)])
  }

  private mutating func inLoop(_ plan: LoopPlan, _ work: (inout NetworkImport) throws -> Void) throws {
    var names = Set(try plan.body.flatMap { try Self.read($0) })
    for layer in plan.condition { names.formUnion(try Self.read(layer)) }
    if let name = plan.conditionName { names.insert(name) }
    try readingLater(names) { try work(&$0) }
  }

  /// The condition's value as it is now, and no break.
  private mutating func shouldContinue(_ plan: LoopPlan, _ end: String? = nil) throws -> String {
    var result: String?
    if let name = plan.conditionName {
      guard let blob = blobs[name], blob.full != nil || blob.merged != nil else {
        throw error(.invalidModel, "the condition's network does not give '\(name)'")
      }
      result = try isNotZero(full(blob, named: name))
    }
    guard let end else { return result ?? builder.constant(.bool(true), named: "go") }
    let isOpen = try emit("equal", ["x": .name(end), "y": .float(0)])
    return try result.map { try emit("logical_and", ["x": .name($0), "y": .name(isOpen)]) } ?? isOpen
  }

  private static let counter = "\0counter"
  private static let going = "\0going"

  /// One round as a block's operations: from `variables` to their next values, and to those `late` blobs that it gives.
  private mutating func round(_ plan: LoopPlan, _ variables: [LoopVariable], late: [String]) throws -> Round {
    try nested { network in
      let counter = network.builder.input("counter", .tensor(TensorType(.int32, [Int]())))
      _ = network.builder.input("go", .tensor(TensorType(.bool, [Int]())))
      for variable in variables {
        let name = network.builder.input(variable.name, .tensor(variable.type))
        network.define(variable.name, Blob(full: name, merged: nil))
      }
      for flag in Flag.allCases { network.raise(flag, to: 0) }
      let count = try network.emit("add", ["x": .name(counter), "y": .int(1)])
      try network.inLoop(plan) { inner in
        try inner.lower(plan.body)
        try inner.lowerUnlessStopped(plan.condition, .end)
      }
      let going = try network.shouldContinue(plan, network.blobs[Flag.end.rawValue]?.full)
      network.define(Self.counter, Blob(full: count, merged: nil))
      network.define(Self.going, Blob(full: going, merged: nil))
      let result = try network.finished([Self.counter, Self.going] + variables.map(\.name) + late)
      let given = late.compactMap { name in result.types[name].map { (name, $0) } }
      for (name, type) in given { _ = network.builder.input(name, .tensor(type)) }
      return Round(inputs: network.builder.inputs, result: result, late: given)
    }
  }

  private struct Round {
    var inputs: [NamedType]
    var result: Nested
    var late: [(name: String, type: TensorType)]
  }

  /// A round whose variables keep their types: sizes that a round changes are unknown. That may change others, which settle in a few
  /// rounds (a length that stays known can be the rank of what is made of it), or else none is kept.
  private mutating func stableRound(
    _ plan: LoopPlan, _ variables: inout [LoopVariable], late: [String]
  ) throws -> Round {
    // Loops inside of loops are lowered as often as those around them: deep ones at once without sizes.
    var attempts = depth == 0 ? 4 : depth > 3 ? 0 : 1
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
          throw error(.unsupported, "'\(variable.name)' changes its rank from round to round")
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

  /// The `while_loop`; gives the names of the variables after it.
  private mutating func run(
    _ round: Round, _ variables: [LoopVariable], _ goesOn: String, _ limit: String?
  ) throws -> [String] {
    let names = [Self.counter, Self.going] + variables.map(\.name)
    let body = Block(
      inputs: round.inputs, operations: round.result.operations, outputs: names.compactMap { round.result.values[$0] })
    let test = try nested { network in
      let inputs = round.inputs.map { network.builder.input($0.name, $0.type) }
      guard inputs.count > 1 else { throw network.error(.invalidModel, "has no variables") }
      var result = try network.builder.add("identity", ["x": .name(inputs[1])], named: "go")
      if let limit {
        let isBelow = try network.emit("less", ["x": .name(inputs[0]), "y": .name(limit)])
        result = try network.emit("logical_and", ["x": .name(isBelow), "y": .name(result)])
      }
      return network.builder.block(outputs: [result])
    }
    let start = builder.constant(.int32(0), named: "counter")
    let initial = [start, goesOn] + variables.map(\.initial)
    let results = try emit("while_loop", all: ["loop_vars": initial.map { .name($0) }], blocks: [test, body])
    return Array(results.dropFirst(2))
  }
}
