import CoreMLKernels
import MIL

/// The operations between the product of queries and keys and its softmax.
struct AttentionScores {
  /// The index of the product's operation.
  let product: Int
  private(set) var scale = 1.0
  private(set) var masks: [(name: String, kind: AttentionShape.Mask.Kind, fill: Float, shape: [Int])] = []
  /// All operations, starting with the product.
  private(set) var operations: [Int]

  /// Matches the scores that `reader` reads by `name`. No other operation may read them.
  /// - Parameter steps: The maximum number of operations between the product and the softmax. Real networks have fewer.
  init?(_ name: String, reader: Int, _ walk: ViewWalk, _ all: ViewWalk.Operations, steps: Int = 16) {
    guard steps > 0, walk.uses.onlyReader(of: name) == reader, let index = walk.uses.maker(of: name),
      all[index].outputs.count == 1, let shape = walk.shape(name), shape.count >= 2
    else { return nil }
    let operation = all[index]
    func inner(_ parameter: String) -> AttentionScores? {
      guard let input = operation.binding(parameter)?.name, let own = walk.shape(input) else { return nil }
      guard operation.type == "reshape" ? own.suffix(2) == shape.suffix(2) : own == shape else { return nil }
      return AttentionScores(input, reader: index, walk, all, steps: steps - 1)
    }
    switch operation.type {
    case "matmul":
      (product, operations) = (index, [index])
      return
    case "reshape", "expand_dims", "squeeze":
      guard let input = operation.binding("x")?.name, let own = walk.shape(input), own.suffix(2) == shape.suffix(2),
        own.count >= 2, let scores = AttentionScores(input, reader: index, walk, all, steps: steps - 1)
      else { return nil }
      self = scores
    case "mul", "real_div":
      guard let (input, factor) = walk.scaling(operation),
        let scores = AttentionScores(input, reader: index, walk, all, steps: steps - 1), scores.masks.isEmpty
      else { return nil }
      self = scores
      scale *= factor
    case "add":
      guard
        let (mask, scores) = [("y", "x"), ("x", "y")].lazy.compactMap({ mask, own in
          inner(own).flatMap { scores in operation.binding(mask).map { ($0, scores) } }
        }).first
      else { return nil }
      self = scores
      guard add(mask, .add, 0, shape, walk) else { return nil }
    case "select":
      guard let condition = operation.binding("cond") else { return nil }
      if let scores = inner("a"), let fill = Self.uniform(walk.value("b", of: operation)) {
        self = scores
        guard add(condition, .keep, fill, shape, walk) else { return nil }
      } else if let scores = inner("b"), let fill = Self.uniform(walk.value("a", of: operation)) {
        self = scores
        guard add(condition, .drop, fill, shape, walk) else { return nil }
      } else {
        return nil
      }
    default: return nil
    }
    operations.append(index)
  }

  private mutating func add(
    _ mask: Binding, _ kind: AttentionShape.Mask.Kind, _ fill: Float, _ shape: [Int], _ walk: ViewWalk
  ) -> Bool {
    guard let name = mask.name, walk.type(of: name)?.tensor?.scalar == (kind == .add ? .float32 : .bool),
      masks.count < 3
    else { return false }
    masks.append((name, kind, fill, shape))
    return true
  }

  /// The value of a constant whose elements are all equal.
  private static func uniform(_ value: Value?) -> Float? {
    guard let tensor = value?.tensor, tensor.scalar == .float32, tensor.count > 0, tensor.count <= 1 << 20,
      let numbers = try? tensor.doubles(), let first = numbers.first, numbers.allSatisfy({ $0 == first })
    else { return nil }
    return Float(first)
  }
}
