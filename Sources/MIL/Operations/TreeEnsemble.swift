extension Operations {
  static let treeEnsemble: [OperationDefinition] = [
    // `base` plus the values of the leaves that each row of x reaches, one leaf a tree (TreeEnsemble.proto).
    //
    // Nodes of all trees stand in common tables: `behavior` (0 x <= value, 1 <, 2 >=, 3 >, 4 ==, 5 !=, 6 leaf), `feature` and
    // `value` of a branch, and the places of the nodes that follow, which are greater than the branch's own. NaN goes to
    // the true child where `missing_true` says so, else to the false one. A leaf adds `leaf_value` to the dimension `leaf_index`,
    // for its entries `leaf_begin[node] ..< leaf_begin[node + 1]`.
    OperationDefinition(
      "ml.tree_ensemble",
      ["x", "roots"].map { .required($0) } + TreeEnsemble.nodeTables.map { .required($0) }
        + ["leaf_begin", "leaf_index", "leaf_value", "base"].map { .required($0) },
      work: { call, _ in
        let trees = (try? call.tensor("roots").elementCount) ?? 1
        let nodes = (try? call.tensor("behavior").elementCount) ?? 1
        let rows = (try? call.rows("x").lead.reduce(1) { $0 * ($1.value ?? 1) }) ?? 1
        return Work(
          flops: 4 * Double(rows) * Double(trees) * max(1, (Double(nodes) / Double(max(trees, 1))).squareRoot()))
      }
    ) { call in
      let lead = try call.rows("x").lead
      let nodes = try call.shape("behavior")
      for name in TreeEnsemble.nodeTables where try !call.shape(name).elementsEqual(nodes, by: { $0.agrees(with: $1) })
      {
        throw call.error(
          .invalidShape, "'\(name)' is \(try call.tensor(name)), 'behavior' \(try call.tensor("behavior"))")
      }
      for name in ["roots", "behavior", "leaf_begin", "leaf_index", "leaf_value", "base"] {
        guard try call.shape(name).count == 1 else {
          throw call.error(.invalidShape, "'\(name)' must have one axis, it is \(try call.tensor(name))")
        }
      }
      return [.tensor(TensorType(.float64, lead + (try call.shape("base"))))]
    }
  ]
}

package enum TreeEnsemble {
  /// Parameters with an entry for each node.
  static let nodeTables = ["behavior", "feature", "value", "true_child", "false_child", "missing_true"]

  /// What a node asks of its feature.
  package enum Behavior: UInt8, Sendable {
    case lessThanEqual = 0
    case lessThan, greaterThanEqual, greaterThan, equal, notEqual, leaf
  }
}
