import MIL

enum TreeEnsembleReference {
  static let all: [Reference] = [
    Reference.numeric("ml.tree_ensemble") { call in
      let trees = try TreeTables(call.invocation)
      return try call.byRow("x") { x in
        guard x.count > trees.largestFeature else {
          throw call.invocation.error(
            .invalidShape, "'x' has \(x.count) features, a node asks for the feature \(trees.largestFeature)")
        }
        var sums = trees.base
        for root in trees.roots {
          var node = root
          while trees.behavior[node] != .leaf {
            let value = x[trees.feature[node]]
            let goesTrue = value.isNaN ? trees.missingTrue[node] : trees.holds(value, node)
            node = goesTrue ? trees.trueChild[node] : trees.falseChild[node]
          }
          for entry in trees.leafBegin[node]..<trees.leafBegin[node + 1] {
            sums[trees.leafIndex[entry]] += trees.leafValue[entry]
          }
        }
        return sums
      }
    }
  ]
}

/// The tables of a tree ensemble, validated: every index is inside of its table, and every path ends.
struct TreeTables: Sendable {
  let roots: [Int]
  let behavior: [TreeEnsemble.Behavior]
  let feature: [Int]
  let value: [Double]
  let trueChild: [Int]
  let falseChild: [Int]
  let missingTrue: [Bool]
  let leafBegin: [Int]
  let leafIndex: [Int]
  let leafValue: [Double]
  let base: [Double]
  /// The greatest feature index of any branch. -1 if there are no branches.
  let largestFeature: Int

  init(_ call: Invocation) throws {
    func ints(_ name: String) throws -> [Int] { try call.ints(name) }
    func require(_ isSound: Bool, _ sentence: @autoclosure () -> String) throws {
      guard isSound else { throw call.error(.invalidArgument, sentence()) }
    }
    roots = try ints("roots")
    behavior = try ints("behavior").map { code in
      guard let known = UInt8(exactly: code).flatMap(TreeEnsemble.Behavior.init) else {
        throw call.error(.invalidArgument, "'behavior' has the unknown code \(code)")
      }
      return known
    }
    (feature, value) = (try ints("feature"), try call.doubles("value"))
    (trueChild, falseChild) = (try ints("true_child"), try ints("false_child"))
    missingTrue = try call.constant("missing_true").bools()
    (leafBegin, leafIndex) = (try ints("leaf_begin"), try ints("leaf_index"))
    (leafValue, base) = (try call.doubles("leaf_value"), try call.doubles("base"))
    let (count, entries, dimensions) = (behavior.count, leafIndex.count, base.count)
    try require(
      [feature.count, value.count, trueChild.count, falseChild.count, missingTrue.count].allSatisfy { $0 == count },
      "the tables of nodes have unequal lengths")
    try require(roots.allSatisfy { $0 >= 0 && $0 < count }, "a root is none of the \(count) nodes")
    try require(
      leafBegin.count == count + 1 && leafBegin.first == 0 && leafBegin.last == entries
        && zip(leafBegin, leafBegin.dropFirst()).allSatisfy { $0 <= $1 } && leafValue.count == entries,
      "'leaf_begin' does not divide the \(entries) entries of leaves among \(count) nodes")
    try require(
      leafIndex.allSatisfy { $0 >= 0 && $0 < dimensions }, "a leaf adds to none of the \(dimensions) dimensions")
    var largest = -1
    for node in 0..<count where behavior[node] != .leaf {
      try require(
        trueChild[node] > node && falseChild[node] > node && max(trueChild[node], falseChild[node]) < count
          && feature[node] >= 0, "node \(node) of \(count) has a child that does not stand after it, or no feature")
      largest = max(largest, feature[node])
    }
    largestFeature = largest
  }

  func holds(_ x: Double, _ node: Int) -> Bool {
    switch behavior[node] {
    case .lessThanEqual: x <= value[node]
    case .lessThan: x < value[node]
    case .greaterThanEqual: x >= value[node]
    case .greaterThan: x > value[node]
    case .equal: x == value[node]
    case .notEqual: x != value[node]
    case .leaf: false
    }
  }
}
