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
  func callAsFunction(_ function: Function) -> Function {
    let walk = ViewWalk(function)
    var result = function
    var dropped: Set<Int> = []
    for (index, operation) in function.body.operations.enumerated() where !dropped.contains(index) {
      guard operation.type == "softmax" || operation.type == "scaled_dot_product_attention", operation.code == nil,
        let found = FoundAttention(index, walk, function.body.operations), dropped.isDisjoint(with: found.operations)
      else { continue }
      dropped.formUnion(found.operations)
      dropped.remove(found.last)
      result.body.operations[found.last] = found.operation
    }
    guard !dropped.isEmpty || result.body.operations.contains(where: { $0.type == AttentionForm.operationName }) else {
      return function
    }
    result.body.operations = result.body.operations.enumerated().filter { !dropped.contains($0.offset) }.map(\.element)
    return result
  }
}

/// One attention among a function's operations.
private struct FoundAttention {
  /// Every operation that it stands for; the last of them gives its result.
  private(set) var operations: [Int]
  private(set) var last: Int
  private(set) var operation: Operation

  /// - Parameter index: a softmax, or a whole attention.
  init?(_ index: Int, _ walk: ViewWalk, _ all: [Operation]) {
    guard
      let parts = all[index].type == "softmax"
        ? AttentionParts(softmax: index, walk, all) : AttentionParts(whole: index, walk, all),
      let operands = AttentionViews(parts, walk), var output = parts.output(walk)
    else { return nil }
    (operations, last) = (parts.operations, parts.last)
    // What moves the results on: as far as they can be written where they end up.
    var (at, reached) = (output, parts.result)
    while let next = walk.uses.onlyReader(of: reached), all[next].code == nil, let moved = at.after(all[next], walk) {
      (at, reached) = (moved, all[next].outputs[0].name)
      operations.append(next)
      guard let matrices = at.view.matrices, matrices.columnStep == 1 || matrices.rowStep == 1 else { continue }
      (output, last) = (at, next)
    }
    if let end = operations.firstIndex(of: last) { operations = Array(operations[...end]) }
    guard let matrices = output.view.matrices else { return nil }
    let form = AttentionForm(
      items: operands.items, length: parts.length, depth: parts.depth, width: parts.width, scale: operands.scale,
      query: operands.query, parts: operands.parts, masks: operands.masks, output: matrices, outputShape: output.shape)
    var inputs = form.arguments
    inputs["query"] = [.name(operands.queryName)]
    inputs["key"] = operands.keyNames.map { .name($0) }
    inputs["value"] = operands.valueNames.map { .name($0) }
    if !operands.maskNames.isEmpty { inputs["mask"] = operands.maskNames.map { .name($0) } }
    // What was only made for it is made no more, and stands behind it too.
    let passed = operands.passed.filter { walk.uses.onlyReader(of: $0) != nil }.compactMap { walk.maker(of: $0) }
    var origins: [String] = []
    for name in (passed + operations.sorted().map { all[$0] }).flatMap(\.named) where !origins.contains(name) {
      origins.append(name)
    }
    operation = Operation(
      AttentionForm.operationName, inputs: inputs, outputs: [all[last].outputs[0]], origins: origins)
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
