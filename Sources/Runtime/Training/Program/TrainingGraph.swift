import CoreMLBase
import MIL

/// A model's program split for training. It contains the parameters, the loss, and two parts: the prefix before the
/// first parameter, and the operations from there to the loss. The prefix is computed once for an example. The
/// operations after it are computed and differentiated in every step.
struct TrainingGraph {
  /// A parameter: the index of its operation, the name of its value, and its initial tensor in fp32.
  struct Parameter {
    let index: Int
    let name: String
    let tensor: Tensor
  }

  let kind: LossKind
  let optimizer: OptimizerKind
  /// The training input that contains the target of the loss.
  let target: String
  let parameters: [Parameter]
  /// Computes the values that the rest reads from the model's inputs.
  let prefix: Function
  /// The values of the prefix that the rest reads: whether they depend on the example, and whether only their shape is
  /// read.
  let boundary: [(name: String, isOfExample: Bool, isShapeOnly: Bool)]
  /// The operations from those values and the parameters to the input of the loss. Their types are not concrete.
  let operations: [MIL.Operation]
  let lossInput: String
  /// The declared types of the prefix's values.
  let types: [String: ValueType]

  /// Returns nil for a program without a loss.
  init?(_ function: Function) throws {
    let all = function.body.operations
    let losses = all.filter { $0.type == "train.loss" }
    guard let loss = losses.first else { return nil }
    guard losses.count == 1 else {
      throw RuntimeError(.unsupported, "the model has \(losses.count) losses, training takes one")
    }
    var scope = Scope()
    for input in function.inputs { scope.define(input.name, input.type) }
    for operation in all {
      for output in operation.outputs { scope.define(output.name, output.type, value: operation.constant) }
    }
    let call = try scope.invocation(of: loss)
    (kind, optimizer, target) = (try LossKind(call), try OptimizerKind(call), try call.string("target"))
    guard let input = loss.inputs["x"]?.first?.name else {
      throw RuntimeError(.invalidModel, "\(loss.label) is taken of a constant")
    }
    lossInput = input
    let ways = Ways(all, to: input)
    parameters = try ways.parameters(function.constants)
    guard !parameters.isEmpty else {
      throw RuntimeError(.unsupported, "the model's loss depends on no parameter that is marked as updatable")
    }
    let split = ways.split()
    operations = split.after
    types = function.types
    let ofExample = ways.names(from: Set(function.inputs.map(\.name)))
    let read = Set(split.after.filter { $0.type != "shape" }.flatMap(\.inputNames) + [input])
    boundary = split.boundary.map { ($0, ofExample.contains($0), !read.contains($0)) }
    var front = function
    front.body.outputs = split.boundary
    front.featureOutputNames = split.boundary
    front.body.operations.removeAll { $0.type == "train.loss" }
    front = try front.after(RemoveDeadCode())
    let used = Set(front.body.operations.flatMap(\.inputNames) + split.boundary)
    front.inputs.removeAll { !used.contains($0.name) }
    prefix = front
  }
}

/// Finds the operations on which a value depends, and those of them that depend on a parameter.
private struct Ways {
  private let all: [MIL.Operation]
  private let maker: [String: Int]
  /// The indices of the operations on which the value depends.
  private let before: Set<Int>
  /// The indices of the operations whose results depend only on shapes.
  private let ofShapes: Set<Int>

  init(_ all: [MIL.Operation], to value: String) {
    self.all = all
    var maker: [String: Int] = [:]
    for (index, operation) in all.enumerated() { for output in operation.outputs { maker[output.name] = index } }
    var (before, open) = (Set<Int>(), [value])
    while let name = open.popLast() {
      guard let index = maker[name], before.insert(index).inserted else { continue }
      open += all[index].inputNames + all[index].blocks.flatMap { $0.capturedNames }
    }
    self.maker = maker
    self.before = before
    ofShapes = Self.following(all, maker)
  }

  func parameters(_ constants: [String: Value]) throws -> [TrainingGraph.Parameter] {
    try before.sorted().filter { all[$0].type == "train.parameter" }.map { index in
      guard let tensor = all[index].value("x", constants)?.tensor, tensor.scalar.isFloat else {
        throw RuntimeError(.invalidModel, "\(all[index].label) is not a floating-point constant")
      }
      return TrainingGraph.Parameter(
        index: index, name: all[index].outputs[0].name, tensor: try tensor.converted(to: .float32))
    }
  }

  /// The names of all values that depend on one of `names`.
  func names(from names: Set<String>) -> Set<String> {
    var result = names
    for operation in all {
      let read = operation.inputNames + operation.blocks.flatMap { $0.capturedNames }
      if read.contains(where: result.contains) { result.formUnion(operation.outputs.map(\.name)) }
    }
    return result
  }

  /// Returns the operations on the path that depend on a parameter, in order, and the names of the other values that
  /// they read. Operations that depend only on shapes are included, because shapes differ when several examples are
  /// computed at once.
  func split() -> (after: [MIL.Operation], boundary: [String]) {
    let trained = names(from: Set(before.filter { all[$0].type == "train.parameter" }.map { all[$0].outputs[0].name }))
    var after = Set(before.filter { all[$0].outputs.contains { trained.contains($0.name) } })
    var boundary: [String] = []
    var open = after.sorted().flatMap { all[$0].inputNames }
    var seen: Set<String> = []
    while let name = open.popLast() {
      guard !trained.contains(name), seen.insert(name).inserted else { continue }
      guard let index = maker[name] else {
        boundary.append(name)
        continue
      }
      if all[index].constant != nil {
        after.insert(index)
      } else if ofShapes.contains(index) {
        after.insert(index)
        open += all[index].inputNames
      } else {
        boundary.append(name)
      }
    }
    let kept = after.sorted().map { all[$0] }.filter { $0.type != "train.parameter" }
    return (kept, boundary.sorted())
  }

  /// Operations come after those that they read, so one pass is sufficient.
  private static func following(_ all: [MIL.Operation], _ maker: [String: Int]) -> Set<Int> {
    var found: Set<Int> = []
    for (index, operation) in all.enumerated() {
      if operation.type == "shape" {
        found.insert(index)
        continue
      }
      guard operation.blocks.isEmpty, Operations.all[operation.type]?.isPure == true else { continue }
      let makers = operation.inputNames.map { maker[$0] }
      let read = makers.compactMap { $0 }.filter { all[$0].constant == nil }
      if makers.count == makers.compactMap({ $0 }).count, !read.isEmpty, read.allSatisfy(found.contains) {
        found.insert(index)
      }
    }
    return found
  }
}
