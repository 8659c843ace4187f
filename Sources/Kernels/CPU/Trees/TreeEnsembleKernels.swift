import CKernels
import MIL

/// Trees with constant tables, which are checked and packed once.
enum TreeEnsembleKernels {
  static let all: [KernelImplementation] = [
    KernelImplementation("tree_ensemble.full.int8", for: "ml.tree_ensemble") { problem in
      guard ck_int8_supported() else { throw Refusal("the processor has no look-up of 128 bytes") }
      let (slot, tables, features, rows) = try trees(problem)
      let trees = try UInt8Trees(TreeTables(problem.invocation), features: features)
      let dimensions = problem.outputs[0].shape.last?.value ?? 0
      return Candidate(efficiency: 0.35, packed: tables) {
        let placed = try trees.placed()
        return .cpu { frame in
          let (x, sums) = (frame.input(slot, as: Double.self), frame.output(0, as: Double.self))
          guard rows > blockRows else { return placed.run(features: x, rows: rows, sums: sums) }
          frame.pool.run((rows + blockRows - 1) / blockRows) { items in
            let row = items.lowerBound * blockRows
            placed.run(
              features: x + row * features, rows: min(items.count * blockRows, rows - row),
              sums: sums + row * dimensions)
          }
        }
      }
    },
    KernelImplementation("tree_ensemble.full", for: "ml.tree_ensemble") { problem in
      let (slot, tables, features, rows) = try trees(problem)
      guard rows >= 16 else { throw Refusal("fewer than 16 rows do not pay for ranks") }
      let trees = try FullTrees(TreeTables(problem.invocation), features: features)
      // Threads process blocks of rows, each with its own scratch memory.
      let blocks = (rows + blockRows - 1) / blockRows
      let dimensions = problem.outputs[0].shape.last?.value ?? 0
      let room = (trees.room + 63) / 64 * 64
      return Candidate(efficiency: 0.3, scratchBytes: blocks * room, packed: tables) {
        let placed = try trees.placed()
        return .cpu { frame in
          let (x, sums) = (frame.input(slot, as: Double.self), frame.output(0, as: Double.self))
          frame.pool.run(blocks) { items in
            for item in items {
              let row = item * blockRows
              placed.run(
                features: x + row * features, rows: min(blockRows, rows - row), room: frame.scratch + item * room,
                sums: sums + row * dimensions)
            }
          }
        }
      }
    },
    KernelImplementation("tree_ensemble.paths", for: "ml.tree_ensemble") { problem in
      let (slot, tables, features, rows) = try trees(problem)
      let trees = try TreePaths(TreeTables(problem.invocation), features: features)
      return Candidate(efficiency: 0.1, scratchBytes: trees.room(rows), packed: tables) {
        let placed = try trees.placed()
        return .cpu {
          placed.run(
            features: $0.input(slot), rows: rows, room: $0.scratch.assumingMemoryBound(to: Double.self),
            sums: $0.output())
        }
      }
    },
    KernelImplementation("tree_ensemble.packed", for: "ml.tree_ensemble") { problem in
      let (slot, tables, features, rows) = try trees(problem)
      let dimensions = problem.outputs[0].shape.last?.value ?? 0
      return Candidate(efficiency: 0.05, packed: tables) {
        let trees = try PackedTrees(TreeTables(problem.invocation), features: features)
        return .cpu { frame in
          for row in 0..<rows {
            trees.run(
              features: frame.input(slot, as: Double.self) + row * features,
              sums: frame.output(0, as: Double.self) + row * dimensions)
          }
        }
      }
    },
  ]

  /// Rows that a thread processes at a time.
  private static let blockRows = 2 * Int(CK_TREE_ROWS)

  /// The slot of the features, the slots of the tree tables, and the number of features and rows.
  private static func trees(_ problem: KernelProblem) throws -> (slot: Int, tables: Set<Int>, features: Int, rows: Int)
  {
    let sizes = try problem.sizes("x")
    guard let features = sizes.last else { throw Refusal("'x' has no axis") }
    let slot = try problem.slot("x")
    let tables = problem.operands.indices.filter { $0 != slot }
    for table in tables where !problem.operands[table].isConstant {
      throw Refusal("'\(problem.operands[table].parameter)' is not a constant")
    }
    return (slot, Set(tables), features, sizes.dropLast().reduce(1, *))
  }
}

/// Trees with any comparisons, evaluated path by path. A branch is one 24-byte record.
private struct PackedTrees: Sendable {
  private struct Node {
    let value: Double
    let feature: Int32
    /// The child for true. For a leaf, the index of its first entry.
    let first: Int32
    /// The child for false. For a leaf, the index after its last entry.
    let second: Int32
    let behavior: TreeEnsemble.Behavior
    let missingTrue: Bool
  }

  private let nodes: [Node]
  private let roots: [Int32]
  private let leafIndex: [Int32]
  private let leafValue: [Double]
  private let base: [Double]

  init(_ tables: TreeTables, features: Int) throws {
    guard features > tables.largestFeature else {
      throw KernelError(
        .invalidInput, "a tree asks for the feature \(tables.largestFeature), and there are \(features)")
    }
    guard max(tables.behavior.count, tables.leafIndex.count) < Int(Int32.max) else {
      throw KernelError(.invalidInput, "the trees have \(tables.behavior.count) nodes, more than can be packed")
    }
    nodes = tables.behavior.indices.map { node in
      let isLeaf = tables.behavior[node] == .leaf
      return Node(
        value: tables.value[node], feature: isLeaf ? 0 : Int32(tables.feature[node]),
        first: Int32(isLeaf ? tables.leafBegin[node] : tables.trueChild[node]),
        second: Int32(isLeaf ? tables.leafBegin[node + 1] : tables.falseChild[node]),
        behavior: tables.behavior[node], missingTrue: tables.missingTrue[node])
    }
    roots = tables.roots.map { Int32($0) }
    leafIndex = tables.leafIndex.map { Int32($0) }
    (leafValue, base) = (tables.leafValue, tables.base)
  }

  func run(features x: UnsafePointer<Double>, sums: UnsafeMutablePointer<Double>) {
    for index in base.indices { sums[index] = base[index] }
    nodes.withUnsafeBufferPointer { nodes in
      for tree in roots.indices {
        var node = nodes[Int(roots[tree])]
        while node.behavior != .leaf {
          let goesTrue = Self.holds(x[Int(node.feature)], node)
          node = nodes[Int(goesTrue ? node.first : node.second)]
        }
        for entry in Int(node.first)..<Int(node.second) { sums[Int(leafIndex[entry])] += leafValue[entry] }
      }
    }
  }

  @inline(__always) private static func holds(_ x: Double, _ node: Node) -> Bool {
    if x.isNaN { return node.missingTrue }
    switch node.behavior {
    case .lessThanEqual: return x <= node.value
    case .lessThan: return x < node.value
    case .greaterThanEqual: return x >= node.value
    case .greaterThan: return x > node.value
    case .equal: return x == node.value
    case .notEqual: return x != node.value
    case .leaf: return false
    }
  }
}
