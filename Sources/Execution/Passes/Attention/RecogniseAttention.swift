import CoreMLKernels
import MIL

/// Replaces attention in all its decompositions by one operation:
///
///     matmul(q, k) -> x scale -> masks -> softmax -> matmul(.., v)   =>  fused.attention
///     scaled_dot_product_attention                                   =>  fused.attention
///
/// The scale may apply to the queries, the keys or the scores. Masks are additions and selections. Transposes,
/// reshapes, slices, splits and repetitions before and after become strides, so heads are read where their projection
/// wrote them. If another operation reads the scores, the attention is not fused.
struct RecogniseAttention: Pass {
  /// An attention that reads values removed by another match is left for the next round. Networks do not chain this
  /// many attentions without a projection between them.
  private static let rounds = 4

  /// Whether keys and values may be concatenations in parts, and fp16. Applies to attentions with few queries.
  private let takesParts: Bool
  /// Whether the device has a kernel for the attention.
  private let accepts: @Sendable (AttentionShape) -> Bool

  /// Accepts what the CPU kernels support.
  init() { (takesParts, accepts) = (true, { _ in true }) }

  init(for device: PlanDevice) {
    let context = device.context
    takesParts = context == nil
    accepts = { form in context.map { KernelRegistry.openCLTakes(form, on: $0) } ?? true }
  }

  func callAsFunction(_ function: Function) -> Function {
    var result = function
    for number in 0..<Self.rounds {
      let (next, isDone) = round(result, isFirst: number == 0)
      result = next
      if isDone { break }
    }
    return result
  }

  /// The attention at an operation of a function.
  func found(at index: Int, _ walk: ViewWalk) -> FoundAttention? {
    FoundAttention(index, walk, walk.operations, takesParts: takesParts, accepts)
  }

  private func round(_ function: Function, isFirst: Bool) -> (Function, isDone: Bool) {
    let (walk, all) = (ViewWalk(function), function.body.operations)
    var result = function
    var (dropped, isDone, changed): (Set<Int>, Bool, Bool) = ([], true, false)
    // Values that no longer exist, and values that the matched attentions read.
    var (gone, read): (Set<String>, Set<String>) = ([], [])
    for (index, operation) in all.enumerated() where !dropped.contains(index) {
      guard operation.type == "softmax" || operation.type == "scaled_dot_product_attention", operation.code == nil,
        let found = isFirst
          ? PatternReads.search(at: index, { found(at: index, walk) }) : found(at: index, walk),
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
    result.remove(dropped)
    return (result, isDone)
  }
}

/// A matched attention among a function's operations.
struct FoundAttention {
  /// All operations that it replaces. The last one computes its result.
  private(set) var operations: [Int]
  private(set) var last: Int
  private(set) var operation: Operation
  /// The values that it reads.
  private(set) var reads: [String]

  /// Whether both replace the same operations, and differ at most in sizes and literals.
  func hasStructure(of other: FoundAttention) -> Bool {
    operations == other.operations && last == other.last && reads == other.reads
      && operation.hasStructure(of: other.operation)
  }

  /// - Parameter index: A softmax, or a `scaled_dot_product_attention`.
  fileprivate init?(
    _ index: Int, _ walk: ViewWalk, _ all: ViewWalk.Operations, takesParts: Bool, _ accepts: (AttentionShape) -> Bool
  ) {
    guard
      let parts = all[index].type == "softmax"
        ? AttentionParts(softmax: index, walk, all) : AttentionParts(whole: index, walk, all),
      let operands = AttentionViews(parts, walk, takesParts: takesParts), var output = parts.output(walk)
    else { return nil }
    (operations, last) = (parts.operations, parts.last)
    // Include operations that only move the results, as long as the kernel can write directly to the final layout.
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
    // Operations that only computed its operands are removed too, so their origins count.
    let passed = operands.passed.filter { walk.uses.onlyReader(of: $0) != nil }.compactMap { walk.maker(of: $0) }
    var (origins, known): ([String], Set<String>) = ([], [])
    for name in (passed + operations.sorted().map { all[$0] }).flatMap(\.named) where known.insert(name).inserted {
      origins.append(name)
    }
    operation = Operation(
      AttentionShape.operationName, inputs: inputs, outputs: [all[last].outputs[0]], origins: origins)
  }
}

/// The result of an attention while it is followed: its shape, and the positions of queries and columns in it.
struct AttentionResult {
  var shape: [Int]
  var view: StridedView

  /// The result after an operation that only moves elements; nil for any other operation.
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
