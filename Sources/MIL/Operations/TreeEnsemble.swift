enum TreeEnsembleOperations {
  static let all: [OperationDefinition] = [
    // `base` plus the values of the leaves that each row of x reaches, one per tree (TreeEnsemble.proto).
    //
    // The nodes of all trees share the tables `behavior`, `feature`, `value`, `true_child` and `false_child`. The
    // behaviors are 0 x <= value, 1 <, 2 >=, 3 >, 4 ==, 5 !=, and 6 leaf. Children have greater indices than their
    // parent. NaN goes to the true child if `missing_true` is set, else to the false one. A leaf has the entries
    // `leaf_begin[node] ..< leaf_begin[node + 1]`; each adds `leaf_value` to the dimension `leaf_index`.
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
  /// Parameters with one entry per node.
  static let nodeTables = ["behavior", "feature", "value", "true_child", "false_child", "missing_true"]

  /// The comparison of a node.
  package enum Behavior: UInt8, Sendable {
    case lessThanEqual = 0
    case lessThan, greaterThanEqual, greaterThan, equal, notEqual, leaf
  }
}
