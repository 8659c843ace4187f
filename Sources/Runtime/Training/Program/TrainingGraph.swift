import CoreMLBase
import MIL

/// A model's program as training sees it: the parameters and the loss that it names, what comes before the first parameter on the way to
/// the loss (computed once for an example), and what comes after (computed, and differentiated, in every step).
struct TrainingGraph {
  /// A parameter: the operation that names it, and the name of its value.
  struct Parameter {
    let index: Int
    let name: String
    let tensor: Tensor
  }

  let kind: LossKind
  let optimizer: OptimizerKind
  /// The training input that the loss names.
  let target: String
  let parameters: [Parameter]
  /// From the model's inputs to the values that the rest reads.
  let prefix: Function
  /// Values of the prefix, whether they depend on the example, and whether their shape is all that is read.
  let boundary: [(name: String, isOfExample: Bool, isShapeOnly: Bool)]
  /// From those values and the parameters to what the loss is taken of; types are not concrete.
  let operations: [MIL.Operation]
  let lossInput: String
  /// The types that the prefix's values are declared with.
  let types: [String: ValueType]

  /// Nil for a program without a loss.
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

/// Which operations lie on the way to a value, and which of them after a parameter.
private struct Ways {
  private let all: [MIL.Operation]
  private let maker: [String: Int]
  /// Operations that the value depends on.
  private let before: Set<Int>
  /// Operations whose results follow from shapes alone.
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
        throw RuntimeError(.invalidModel, "\(all[index].label) is no constant of numbers")
      }
      return TrainingGraph.Parameter(
        index: index, name: all[index].outputs[0].name, tensor: try tensor.converted(to: .float32))
    }
  }

  /// Everything that depends on one of `names`.
  func names(from names: Set<String>) -> Set<String> {
    var result = names
    for operation in all {
      let read = operation.inputNames + operation.blocks.flatMap { $0.capturedNames }
      if read.contains(where: result.contains) { result.formUnion(operation.outputs.map(\.name)) }
    }
    return result
  }

  /// Operations on the way that depend on a parameter, in order, and the other values that they read. What follows from shapes alone goes with
  /// them: shapes are other ones when many examples are computed at once.
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

  /// An operation stands after those that it reads: one walk tells of all.
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
