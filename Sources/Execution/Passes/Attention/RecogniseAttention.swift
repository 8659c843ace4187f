import CoreMLKernels
import MIL

/// Finds attention however it is spelled, and makes one operation of it:
///
///     matmul(q, k) -> x scale -> masks -> softmax -> matmul(.., v)   |   scaled_dot_product_attention      =>  fused.attention
///
/// The scale may be of the queries, the keys or the scores; masks are sums and selections. Transposes, reshapes, slices, splits and repetitions
/// before and after become distances between rows: heads are read where their projection wrote them. Scores that anybody else
/// reads stay what they are.
struct RecogniseAttention: Pass {
  /// An attention that reads what another one takes with it is found in the round after: as many rounds as anybody puts in a row without
  /// a projection between them, and more.
  private static let rounds = 4

  /// Whether keys and values may come in parts, and as halves: where a few queries read them.
  private let takesParts: Bool
  /// Whether the device has a row for what was found.
  private let accepts: @Sendable (AttentionShape) -> Bool

  /// What the CPU's rows take.
  init() { (takesParts, accepts) = (true, { _ in true }) }

  init(for device: PlanDevice) {
    let context = device.context
    takesParts = context == nil
    accepts = { form in context.map { KernelRegistry.openCLTakes(form, on: $0) } ?? true }
  }

  func callAsFunction(_ function: Function) -> Function {
    var result = function
    for _ in 0..<Self.rounds {
      let (next, isDone) = round(result)
      result = next
      if isDone { break }
    }
    return result
  }

  private func round(_ function: Function) -> (Function, isDone: Bool) {
    let (walk, all) = (ViewWalk(function), function.body.operations)
    var result = function
    var (dropped, isDone, changed): (Set<Int>, Bool, Bool) = ([], true, false)
    // Values that are made no more, and those that what was found reads.
    var (gone, read): (Set<String>, Set<String>) = ([], [])
    for (index, operation) in all.enumerated() where !dropped.contains(index) {
      guard operation.type == "softmax" || operation.type == "scaled_dot_product_attention", operation.code == nil,
        let found = FoundAttention(index, walk, all, takesParts: takesParts, accepts),
        dropped.isDisjoint(with: found.operations)
      else { continue }
      let going = found.operations.filter { $0 != found.last }
      let names = going.flatMap { all[$0].outputs.map(\.name) }
      guard gone.isDisjoint(with: found.reads), read.isDisjoint(with: names) else {
        isDone = false
        continue
      }
      changed = true
      dropped.formUnion(going)
      gone.formUnion(names)
      read.formUnion(found.reads)
      result.body.operations[found.last] = found.operation
    }
    guard changed else { return (function, true) }
    result.body.operations = result.body.operations.enumerated().filter { !dropped.contains($0.offset) }.map(\.element)
    return (result, isDone)
  }
}

/// One attention among a function's operations.
private struct FoundAttention {
  /// Every operation that it stands for; the last of them gives its result.
  private(set) var operations: [Int]
  private(set) var last: Int
  private(set) var operation: Operation
  /// Values that it reads.
  private(set) var reads: [String]

  /// - Parameter index: a softmax, or a whole attention.
  init?(
    _ index: Int, _ walk: ViewWalk, _ all: [Operation], takesParts: Bool, _ accepts: (AttentionShape) -> Bool
  ) {
    guard
      let parts = all[index].type == "softmax"
        ? AttentionParts(softmax: index, walk, all) : AttentionParts(whole: index, walk, all),
      let operands = AttentionViews(parts, walk, takesParts: takesParts), var output = parts.output(walk)
    else { return nil }
    (operations, last) = (parts.operations, parts.last)
    // What moves the results on: as far as they can be written where they end up.
    var (at, reached) = (output, parts.result)
    while let next = walk.uses.onlyReader(of: reached), all[next].code == nil, let moved = at.after(all[next], walk) {
      (at, reached) = (moved, all[next].outputs[0].name)
      operations.append(next)
      guard let matrices = at.view.matrices, matrices.columnStep == 1 || matrices.rowStep == 1,
        matrices.fills(at.shape.reduce(1, *), rows: parts.length, columns: parts.width)
      else { continue }
      (output, last) = (at, next)
    }
    if let end = operations.firstIndex(of: last) { operations = Array(operations[...end]) }
    guard let matrices = output.view.matrices else { return nil }
    let form = AttentionShape(
      items: operands.items, length: parts.length, depth: parts.depth, width: parts.width, scale: operands.scale,
      query: operands.query, parts: operands.parts, masks: operands.masks, output: matrices, outputShape: output.shape)
    guard accepts(form) else { return nil }
    reads = [operands.queryName] + operands.keyNames + operands.valueNames + operands.maskNames
    var inputs = form.arguments
    inputs["query"] = [.name(operands.queryName)]
    inputs["key"] = operands.keyNames.map { .name($0) }
    inputs["value"] = operands.valueNames.map { .name($0) }
    if !operands.maskNames.isEmpty { inputs["mask"] = operands.maskNames.map { .name($0) } }
    // What was only made for it is made no more, and stands behind it too.
    let passed = operands.passed.filter { walk.uses.onlyReader(of: $0) != nil }.compactMap { walk.maker(of: $0) }
    var (origins, known): ([String], Set<String>) = ([], [])
    for name in (passed + operations.sorted().map { all[$0] }).flatMap(\.named) where known.insert(name).inserted {
      origins.append(name)
    }
    operation = Operation(
      AttentionShape.operationName, inputs: inputs, outputs: [all[last].outputs[0]], origins: origins)
  }
}

/// The results of an attention on their way: their shape, and where queries and columns lie in it.
struct AttentionResult {
  var shape: [Int]
  var view: StridedView

  /// After an operation that moves numbers, if it is one.
  func after(_ operation: Operation, _ walk: ViewWalk) -> AttentionResult? {
    guard operation.outputs.count == 1, let next = walk.shape(operation.outputs[0].name) else { return nil }
    switch operation.type {
    case "reshape", "expand_dims", "squeeze": return AttentionResult(shape: next, view: view)
    case "transpose":
      guard let perm = try? walk.call(operation)?.ints("perm"), let view = view.moved(shape, perm) else { return nil }
      return AttentionResult(shape: next, view: view)
    default: return nil
    }
  }
}
