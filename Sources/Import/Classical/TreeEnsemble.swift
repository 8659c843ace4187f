import CoreMLSpec
import MIL

struct TreeEnsembleImport {
  let program: FeatureProgram

  func regressor(_ message: Specification.TreeEnsembleRegressor) throws {
    let sums = try trees(message.treeEnsemble)
    try program.setPrediction(transformed(sums, message.postEvaluationTransform))
  }

  /// With a single dimension, the value is the probability of the second of two classes.
  func classifier(_ message: Specification.TreeEnsembleClassifier) throws {
    let labels = try ClassLabels.tensor(strings: message.stringClassLabels, int64s: message.int64ClassLabels)
    let transform = try message.postEvaluationTransform
    var values = try transformed(trees(message.treeEnsemble), transform)
    if try program.length(values) == 1, labels.count == 2 {
      guard transform != .classificationSoftMax else {
        throw program.error("a softmax of one dimension tells no classes apart")
      }
      values = try program.concat([program.emit("sub", ["x": .double(1), "y": .name(values)]), values])
    }
    try program.setClasses(values, labels: labels)
  }

  private func transformed(
    _ value: String, _ transform: Specification.TreeEnsemblePostEvaluationTransform
  ) throws -> String {
    switch transform {
    case .noTransform: return value
    case .regressionLogistic: return try program.emit("sigmoid", ["x": .name(value)])
    case .classificationSoftMax: return try program.emit("softmax", ["x": .name(value)])
    case .classificationSoftMaxWithZeroClassReference:
      let reference = program.builder.constant(.tensor(Tensor(float64: [0], shape: [1])), named: "reference_class")
      return try program.emit("softmax", ["x": .name(program.concat([reference, value]))])
    }
  }

  private func trees(_ message: Specification.TreeEnsembleParameters?) throws -> String {
    let x = try program.vector()
    guard let message else { throw program.error("it has no trees") }
    var tables = TreeNodeTables()
    do { try tables.read(message, features: program.length(x)) } catch let problem as TreeNodeTables.Problem {
      throw program.error(problem.sentence)
    }
    return try program.emit("ml.tree_ensemble", ["x": .name(x)].merging(tables.arguments()) { first, _ in first })
  }
}

/// The nodes of all trees as tables. Each tree starts with its root, and every child comes after its parent.
private struct TreeNodeTables {
  struct Problem: Error { let sentence: String }

  private struct Node {
    let behavior: TreeEnsemble.Behavior
    let feature: Int
    let value: Double
    let children: [UInt64]
    let missingTrue: Bool
    let leaf: [(index: Int, value: Double)]
  }

  private struct Tree {
    var nodes: [Node] = []
    var place: [UInt64: Int] = [:]
  }

  private var roots: [Int] = []
  private var nodes: [Node] = []
  private var children: [[Int]] = []
  private var base: [Double] = []

  mutating func read(_ message: Specification.TreeEnsembleParameters, features: Int?) throws {
    base = try message.basePredictionValue
    let dimensions = try message.numPredictionDimensions
    guard dimensions == UInt64(base.count), !base.isEmpty else {
      throw Problem(sentence: "it has \(dimensions) dimensions and \(base.count) base values")
    }
    var trees: [Tree] = []
    var order: [UInt64: Int] = [:]
    for message in try message.nodes {
      let (tree, node) = (try message.treeId, try message.nodeId)
      let number = order[tree] ?? trees.count
      if number == trees.count {
        order[tree] = number
        trees.append(Tree())
      }
      guard trees[number].place.updateValue(trees[number].nodes.count, forKey: node) == nil else {
        throw Problem(sentence: "tree \(tree) has two nodes \(node)")
      }
      trees[number].nodes.append(try self.node(message, features: features))
    }
    for (id, number) in order.sorted(by: { $0.value < $1.value }) { try append(trees[number], id) }
  }

  private func node(
    _ message: Specification.TreeEnsembleParameters.TreeNode, features: Int?
  ) throws -> Node {
    guard let behavior = TreeEnsemble.Behavior(rawValue: UInt8(truncatingIfNeeded: try message.nodeBehavior.rawValue))
    else { throw Problem(sentence: "node \(try message.nodeId) has an unknown behavior") }
    if behavior == .leaf {
      let entries = try message.evaluationInfo.map { entry in
        guard let index = Int(exactly: try entry.evaluationIndex), index < base.count else {
          throw Problem(
            sentence: "a leaf adds to the dimension \(try entry.evaluationIndex) of \(base.count)")
        }
        return (index, try entry.evaluationValue)
      }
      return Node(behavior: behavior, feature: 0, value: 0, children: [], missingTrue: false, leaf: entries)
    }
    guard let feature = Int(exactly: try message.branchFeatureIndex), feature < features ?? Int(Int32.max) else {
      throw Problem(
        sentence: "node \(try message.nodeId) asks for the feature \(try message.branchFeatureIndex)"
          + (features.map { " of \($0)" } ?? ""))
    }
    return Node(
      behavior: behavior, feature: feature, value: try message.branchFeatureValue,
      children: [try message.trueChildNodeId, try message.falseChildNodeId],
      missingTrue: try message.missingValueTracksTrueChild, leaf: [])
  }

  /// Appends a tree. Every node except the root has exactly one parent, so there are no cycles.
  private mutating func append(_ tree: Tree, _ id: UInt64) throws {
    var followed = Array(repeating: false, count: tree.nodes.count)
    let inner = try tree.nodes.map { node in
      try node.children.map { child -> Int in
        guard let place = tree.place[child] else {
          throw Problem(sentence: "a node of tree \(id) leads to node \(child), which is not there")
        }
        guard !followed[place] else { throw Problem(sentence: "two paths of tree \(id) lead to node \(child)") }
        followed[place] = true
        return place
      }
    }
    let starts = followed.indices.filter { !followed[$0] }
    guard starts.count == 1 else { throw Problem(sentence: "tree \(id) has \(starts.count) roots, expected one") }
    let first = nodes.count
    roots.append(first)
    var waiting = [(place: starts[0], parent: -1, side: 0)]
    while let (place, parent, side) = waiting.popLast() {
      if parent >= 0 { children[parent][side] = nodes.count }
      let own = nodes.count
      nodes.append(tree.nodes[place])
      children.append([0, 0])
      for (side, child) in inner[place].enumerated().reversed() { waiting.append((child, own, side)) }
    }
    guard nodes.count - first == tree.nodes.count else {
      throw Problem(sentence: "tree \(id) has nodes in a circle")
    }
  }

  func arguments() throws -> [String: Binding] {
    func ints(_ values: [Int]) -> Binding { .tensor(Tensor(int32: values, shape: [values.count])) }
    var begins = [0]
    for node in nodes { begins.append(begins[begins.count - 1] + node.leaf.count) }
    let leaves = nodes.flatMap(\.leaf)
    return [
      "roots": ints(roots),
      "behavior": .tensor(
        try Tensor(.uint8, shape: [nodes.count], doubles: nodes.map { Double($0.behavior.rawValue) })),
      "feature": ints(nodes.map(\.feature)), "value": .doubles(nodes.map(\.value)),
      "true_child": ints(children.map { $0[0] }), "false_child": ints(children.map { $0[1] }),
      "missing_true": .tensor(try Tensor(.uint8, shape: [nodes.count], doubles: nodes.map { $0.missingTrue ? 1 : 0 })),
      "leaf_begin": ints(begins), "leaf_index": ints(leaves.map(\.index)), "leaf_value": .doubles(leaves.map(\.value)),
      "base": .doubles(base),
    ]
  }
}
