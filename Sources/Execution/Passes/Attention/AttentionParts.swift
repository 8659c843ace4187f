import CoreMLKernels
import MIL

/// The operations of an attention and its operands.
struct AttentionParts {
  /// One matrix per batch item. The last two axes of the value are rows and columns, or columns and rows if transposed.
  struct Operand {
    let name: String
    let isTransposed: Bool
  }

  let query: Operand
  let key: Operand
  let value: Operand
  let masks: [(name: String, kind: AttentionShape.Mask.Kind, fill: Float, shape: [Int])]
  let scale: Double
  /// The batch axes of the query-key product, and of the product with the values. Both have the same items in the same
  /// order.
  let batch: [Int]
  let valueBatch: [Int]
  let length: Int
  let sources: Int
  let depth: Int
  let width: Int
  let operations: [Int]
  let last: Int
  let result: String
  /// The result is [.., width, length].
  private let isResultTransposed: Bool

  /// Matches an attention around a softmax.
  init?(softmax index: Int, _ walk: ViewWalk, _ all: ViewWalk.Operations) {
    let softmax = all[index]
    guard let input = softmax.binding("x")?.name, let shape = walk.shape(input), shape.count >= 2,
      let axis = try? walk.call(softmax)?.axis("axis", default: -1, rank: shape.count), axis == shape.count - 1,
      let scores = AttentionScores(input, reader: index, walk, all)
    else { return nil }
    // From the softmax to the product with the values.
    var (shares, operations) = (softmax.outputs[0].name, scores.operations + [index])
    while let next = walk.uses.onlyReader(of: shares), ["reshape", "expand_dims", "squeeze"].contains(all[next].type),
      let own = walk.shape(all[next].outputs[0].name), own.count >= 2, own.suffix(2) == shape.suffix(2)
    {
      shares = all[next].outputs[0].name
      operations.append(next)
    }
    guard let second = walk.uses.onlyReader(of: shares), all[second].type == "matmul",
      let weights = walk.shape(shares), let result = walk.shape(all[second].outputs[0].name),
      let first = Matmul(all[scores.product], walk), let last = Matmul(all[second], walk)
    else { return nil }
    guard let product = walk.shape(all[scores.product].outputs[0].name), product.count >= 2,
      product.suffix(2) == weights.suffix(2), result.dropLast(2) == weights.dropLast(2)
    else { return nil }
    (length, sources) = (product[product.count - 2], product[product.count - 1])
    query = Operand(name: first.x, isTransposed: first.transposeX)
    key = Operand(name: first.y, isTransposed: !first.transposeY)
    if last.x == shares, !last.transposeX {
      (value, isResultTransposed) = (Operand(name: last.y, isTransposed: last.transposeY), false)
    } else if last.y == shares, last.transposeY {
      (value, isResultTransposed) = (Operand(name: last.x, isTransposed: !last.transposeX), true)
    } else {
      return nil
    }
    width = result[result.count - (isResultTransposed ? 2 : 1)]
    guard let queryShape = walk.shape(first.x) else { return nil }
    depth = queryShape[queryShape.count - (first.transposeX ? 2 : 1)]
    (masks, scale) = (scores.masks, scores.scale)
    (batch, valueBatch) = (Array(product.dropLast(2)), Array(result.dropLast(2)))
    self.operations = operations + [second]
    (self.last, self.result) = (second, all[second].outputs[0].name)
    guard batch.reduce(1, *) == valueBatch.reduce(1, *) else { return nil }
  }

  /// Matches a `scaled_dot_product_attention`.
  init?(whole index: Int, _ walk: ViewWalk, _ all: ViewWalk.Operations) {
    let operation = all[index]
    guard let query = operation.binding("query")?.name, let key = operation.binding("key")?.name,
      let value = operation.binding("value")?.name, let queries = walk.shape(query), let keys = walk.shape(key),
      let values = walk.shape(value), queries.count >= 3, queries.count == keys.count, queries.count == values.count,
      let type = walk.type(of: query)?.tensor?.scalar, type == .float32
    else { return nil }
    let rank = queries.count
    (self.query, self.key) = (Operand(name: query, isTransposed: false), Operand(name: key, isTransposed: false))
    self.value = Operand(name: value, isTransposed: false)
    (length, depth, sources, width) = (queries[rank - 2], queries[rank - 1], keys[rank - 2], values[rank - 1])
    (batch, scale) = (Array(queries.dropLast(2)), 1 / Double(depth).squareRoot())
    valueBatch = batch
    if operation.inputs["attn_mask"] != nil {
      guard let mask = operation.binding("attn_mask")?.name, let scalar = walk.type(of: mask)?.tensor?.scalar,
        scalar == .bool || scalar == .float32
      else { return nil }
      let isBool = scalar == .bool
      masks = [(mask, isBool ? .keep : .add, isBool ? -.infinity : 0, batch + [length, sources])]
    } else {
      masks = []
    }
    (operations, last, result, isResultTransposed) = ([index], index, operation.outputs[0].name, false)
  }

  /// The result of the last operation.
  func output(_ walk: ViewWalk) -> AttentionResult? {
    guard let shape = walk.shape(result) else { return nil }
    var view = StridedView(result, dense: shape)
    if isResultTransposed {
      guard let turned = view.transposed(Array(0..<shape.count - 2) + [shape.count - 1, shape.count - 2]) else {
        return nil
      }
      view = turned
    }
    return AttentionResult(shape: shape, view: view)
  }

  /// A product of fp32 matrices.
  private struct Matmul {
    let x: String
    let y: String
    let transposeX: Bool
    let transposeY: Bool

    init?(_ operation: Operation, _ walk: ViewWalk) {
      guard operation.code == nil, let x = operation.binding("x")?.name, let y = operation.binding("y")?.name, x != y,
        let call = walk.call(operation), let transposeX = try? call.bool("transpose_x", default: false),
        let transposeY = try? call.bool("transpose_y", default: false),
        [x, y].allSatisfy({ walk.type(of: $0)?.tensor?.scalar == .float32 && (walk.shape($0)?.count ?? 0) >= 2 })
      else { return nil }
      (self.x, self.y, self.transposeX, self.transposeY) = (x, y, transposeX, transposeY)
    }
  }
}
