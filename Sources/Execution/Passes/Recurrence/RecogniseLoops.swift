import CoreMLKernels
import MIL

/// Replaces loops that compute a recurrent layer (`SequenceLoop`) by `lstm`, `gru` or `rnn`, and reads of the loop's
/// arrays by the sequence. A loop that does not match exactly is unchanged.
///
/// It runs operation by operation during type inference. The layers of a network are consecutive loops, and a loop can
/// be matched only when the length of the previous loop's result is known.
struct RecogniseLoops {
  private let function: Function
  private let pool: ThreadPool
  private let weights: WeightStore
  /// The index in `kept` of the operation that defines each name. Covers the first `seen` operations.
  private var makers: [String: Int] = [:]
  private var seen = 0
  private var names: FreshNames?
  /// Arrays that replaced loops would have written: the sequence in them, and whether the first row is an initial one.
  private var arrays: [String: (sequence: String, rounds: Int, keepsFirst: Bool)] = [:]

  init(_ function: Function, pool: ThreadPool, weights: WeightStore) {
    self.function = function
    self.pool = pool
    self.weights = weights
  }

  /// The replacement of an operation, or the operation itself. `kept` has the operations before it.
  ///
  /// - Throws: Only if the work was cancelled or ran out of memory.
  mutating func replacement(
    of operation: Operation, after kept: [Operation], _ scope: inout Scope, _ stored: StoredConstants
  ) throws -> [Operation] {
    guard operation.type == "while_loop" else {
      return arrays.isEmpty ? [operation] : Self.given(operation.named, to: read(operation, scope))
    }
    for index in seen..<max(seen, kept.count) {
      for output in kept[index].outputs { makers[output.name] = index }
    }
    seen = kept.count
    // A loop that cannot be read as a recurrence is unchanged.
    let found = try unlessRefused { try layer(of: operation, after: kept, scope, stored) }
    guard let operations = found, Self.areSound(operations, &scope) else { return [operation] }
    return Self.given(operation.allOrigins, to: operations)
  }

  /// The operations of a loop's recurrent layer.
  private mutating func layer(
    of operation: Operation, after kept: [Operation], _ scope: Scope, _ stored: StoredConstants
  ) throws -> [Operation] {
    let makers = makers
    let surroundings = LoopSurroundings(scope: scope, stored: stored.weights, pool: pool) { name in
      makers[name].map { kept[$0] }
    }
    return try operations(SequenceLoop(operation, surroundings, pool: pool), for: operation, surroundings)
  }

  private static func given(_ origins: [String], to operations: [Operation]) -> [Operation] {
    operations.map { operation in
      guard operation.origins.isEmpty, operation.type != "const" else { return operation }
      var operation = operation
      operation.origins = origins
      return operation
    }
  }

  /// Whether the types of all operations are valid.
  private static func areSound(_ operations: [Operation], _ scope: inout Scope) -> Bool {
    scope.enter()
    defer { scope.leave() }
    for operation in operations {
      if let value = operation.constant, let output = operation.outputs.first {
        scope.define(output.name, value.type, value: value)
        continue
      }
      guard let types = try? scope.outputTypes(of: operation), types.count >= operation.outputs.count else {
        return false
      }
      for (output, type) in zip(operation.outputs, types) { scope.define(output.name, type) }
    }
    return true
  }

  private mutating func fresh(_ hint: String) -> String {
    var fresh = names ?? FreshNames(function)
    // Release the stored copy first. A second reference would force a copy of all names for each new one.
    names = nil
    defer { names = fresh }
    return fresh.name(hint)
  }

  // MARK: the layer

  private mutating func operations(
    _ loop: SequenceLoop, for source: Operation, _ surroundings: LoopSurroundings
  ) throws -> [Operation] {
    guard let variables = source.inputs["loop_vars"], let base = source.outputs.first?.name else { return [source] }
    let keepsSequence = loop.results.contains { result in
      if case .array(.tensor) = result { return true }
      if case .array(.list) = result { return true }
      return false
    }
    let layer = try RecurrentOperation(loop.cell, keepsSequence: keepsSequence, weights)
    var result: [Operation] = []
    var inputs = layer.inputs
    inputs["x"] = [try self.sequence(loop, layer, base, surroundings, &result)]
    for (name, initial) in zip(["initial_h", "initial_c"], loop.initial) {
      inputs[name] = [try self.initial(initial, loop, layer, variables[initial.variable], surroundings, &result)]
    }
    let outputs = (["sequence"] + ["state", "memory"].prefix(loop.initial.count)).map { fresh("\(base)_\($0)") }
    result.append(Operation(layer.type, inputs: inputs, outputs: outputs.map { NamedType($0, .open) }))
    for (number, output) in source.outputs.enumerated() {
      let variable = variables[number]
      switch loop.results[number] {
      case .counter:
        let isVector = surroundings.type(of: variable)?.tensor?.rank == 1
        result.append(.const(output.name, isVector ? .int32s([loop.rounds]) : .int32(loop.rounds)))
      case .unchanged: result.append(Self.operation("identity", ["x": variable], output.name))
      case .state(let place):
        let scalar = surroundings.type(of: variable)?.tensor?.scalar ?? layer.scalar
        result.append(Self.cast(outputs[1 + place], layer.scalar, to: scalar, named: output.name))
      case .array(let array):
        result += try self.array(array, loop, layer, variable, outputs, output.name, surroundings)
      }
    }
    return result
  }

  /// The sequence, cut to the loop's length and cast to the type of the weights.
  private mutating func sequence(
    _ loop: SequenceLoop, _ layer: RecurrentOperation, _ base: String, _ surroundings: LoopSurroundings,
    _ result: inout [Operation]
  ) throws -> Binding {
    guard let type = surroundings.type(of: loop.sequence)?.tensor, let sizes = type.concreteShape, sizes.count == 3
    else {
      throw LoopRefusal("the sequence has no known shape")
    }
    var source = loop.sequence
    if sizes[0] != loop.rounds {
      let name = fresh("\(base)_input")
      result.append(Self.firstRows(loop.rounds, of: source, sizes, name))
      source = .name(name)
    }
    guard type.scalar != layer.scalar else { return source }
    let name = fresh("\(base)_input")
    result.append(
      Self.operation("cast", ["x": source, "dtype": .string(layer.scalar.rawValue)], name))
    return .name(name)
  }

  /// The initial state, [batch, width], cast to the type of the weights.
  private mutating func initial(
    _ initial: SequenceLoop.Initial, _ loop: SequenceLoop, _ layer: RecurrentOperation, _ variable: Binding,
    _ surroundings: LoopSurroundings, _ result: inout [Operation]
  ) throws -> Binding {
    guard let type = surroundings.type(of: variable)?.tensor, let sizes = type.concreteShape else {
      throw LoopRefusal("a state has no known shape")
    }
    let base = variable.name ?? layer.type
    var source = variable
    if initial.isFirstRow {
      let (row, name) = (fresh("\(base)_row"), fresh("\(base)_first"))
      result.append(Self.firstRows(1, of: variable, sizes, row))
      result.append(Self.operation("squeeze", ["x": .name(row), "axes": .ints([0])], name))
      source = .name(name)
    }
    guard type.scalar != layer.scalar else { return source }
    let name = fresh("\(base)_first")
    result.append(
      Self.operation("cast", ["x": source, "dtype": .string(layer.scalar.rawValue)], name))
    return .name(name)
  }

  // MARK: arrays

  /// Builds the array that the loop would have left, for operations that read it.
  private mutating func array(
    _ array: SequenceLoop.ArrayResult, _ loop: SequenceLoop, _ layer: RecurrentOperation, _ initial: Binding,
    _ outputs: [String], _ name: String, _ surroundings: LoopSurroundings
  ) throws -> [Operation] {
    var result: [Operation] = []
    func typed(_ value: String, _ scalar: ScalarType) -> String {
      guard scalar != layer.scalar else { return value }
      let wide = fresh("\(name)_\(scalar.rawValue)")
      result.append(Self.cast(value, layer.scalar, to: scalar, named: wide))
      return wide
    }
    switch array {
    case .tensor(let keepsFirst):
      guard let type = surroundings.type(of: initial)?.tensor, let sizes = type.concreteShape else {
        throw LoopRefusal("an array has no known shape")
      }
      let sequence = typed(outputs[0], type.scalar)
      arrays[name] = (sequence, loop.rounds, keepsFirst)
      guard keepsFirst else { return result + [Self.operation("identity", ["x": .name(sequence)], name)] }
      let row = fresh("\(name)_row")
      result.append(Self.firstRows(1, of: initial, sizes, row))
      let joined = Operation(
        "concat",
        inputs: ["values": [.name(row), .name(sequence)], "axis": [.int(0)], "interleave": [.bool(false)]],
        outputs: [NamedType(name, .open)])
      return result + [joined]
    case .list, .lastInList:
      guard case .list(.tensor(let element), _)? = surroundings.type(of: initial) else {
        throw LoopRefusal("a list holds no tensors")
      }
      var sequence = outputs[1]
      var count = 1
      if case .list = array { (sequence, count) = (outputs[0], loop.rounds) }
      sequence = typed(sequence, element.scalar)
      if case .lastInList = array {
        let row = fresh("\(name)_row")
        result.append(Self.operation("expand_dims", ["x": .name(sequence), "axes": .ints([0])], row))
        sequence = row
      }
      arrays[name] = (sequence, count, false)
      let empty = fresh("\(name)_empty")
      result.append(
        Operation(
          "make_list",
          inputs: [
            "init_length": [.int(count)], "elem_shape": [.int(loop.batch), .int(layer.width)],
            "dynamic_length": [.bool(true)], "dtype": [.string(element.scalar.rawValue)],
          ], outputs: [NamedType(empty, .open)]))
      result.append(
        Self.operation(
          "list_scatter",
          ["ls": .name(empty), "indices": .ints(Array(0..<count)), "value": .name(sequence)], name))
      return result
    }
  }

  /// The replacement of a read from an array. It is the sequence if the operation reads exactly that.
  private mutating func read(_ operation: Operation, _ scope: Scope) -> [Operation] {
    guard let output = operation.outputs.first,
      let name = (operation.binding("x") ?? operation.binding("ls"))?.name, let array = arrays[name],
      let call = try? scope.invocation(of: operation)
    else { return [operation] }
    switch operation.type {
    case "list_gather":
      guard let indices = try? call.ints("indices"), indices == Array(0..<array.rounds) else { return [operation] }
      return [Self.operation("identity", ["x": .name(array.sequence)], output.name)]
    case "list_length": return [.const(output.name, .int32(array.rounds))]
    case "slice_by_index":
      guard array.keepsFirst, let sizes = try? call.sizes("x"), let axes = try? call.slices(of: sizes),
        axes.first == SliceAxis(begin: 1, stride: 1, count: array.rounds),
        zip(axes, sizes).dropFirst().allSatisfy({ $0 == SliceAxis(begin: 0, stride: 1, count: $1) })
      else { return [operation] }
      return [Self.operation("identity", ["x": .name(array.sequence)], output.name)]
    case "cast":
      // Cast the sequence for its readers. The array is cast too, in case it has other readers.
      let typed = fresh("\(array.sequence)_cast")
      arrays[output.name] = (typed, array.rounds, array.keepsFirst)
      var inputs = operation.inputs
      inputs["x"] = [.name(array.sequence)]
      return [Operation("cast", inputs: inputs, outputs: [NamedType(typed, .open)]), operation]
    default: return [operation]
    }
  }

  // MARK: operations

  private static func operation(_ type: String, _ inputs: [String: Binding], _ name: String) -> Operation {
    Operation(type, inputs: inputs.mapValues { [$0] }, outputs: [NamedType(name, .open)])
  }

  private static func cast(_ value: String, _ before: ScalarType, to scalar: ScalarType, named name: String)
    -> Operation
  {
    before == scalar
      ? operation("identity", ["x": .name(value)], name)
      : operation("cast", ["x": .name(value), "dtype": .string(scalar.rawValue)], name)
  }

  private static func firstRows(_ count: Int, of tensor: Binding, _ sizes: [Int], _ name: String) -> Operation {
    operation(
      "slice_by_index",
      ["x": tensor, "begin": .ints(sizes.map { _ in 0 }), "end": .ints([count] + sizes.dropFirst())], name)
  }
}

extension Operation {
  /// The origins of the operation and of all operations in its blocks.
  fileprivate var allOrigins: [String] {
    blocks.flatMap(\.operations).filter { $0.type != "const" }.reduce(into: named) { $0 += $1.allOrigins }
  }
}
