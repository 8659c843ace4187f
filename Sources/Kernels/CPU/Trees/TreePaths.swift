import CKernels
import MIL

/// Trees as the C kernel takes them. A branch is `x <= value`. Its two children are adjacent, and the nodes of a level
/// are contiguous.
///
/// The other order comparisons need another value or exchanged children. Equality comparisons are not supported.
struct TreePaths: Sendable {
  private var nodes: [ck_tree_node] = []
  private var missingFirst: [UInt8] = []
  private var roots: [UInt32] = []
  private var depths: [UInt32] = []
  private var entries: [UInt32] = []
  private let entryIndex: [UInt32]
  private let entryValue: [Double]
  private let base: [Double]
  private let features: Int
  private let isSimple: Bool

  init(_ tables: TreeTables, features: Int) throws {
    guard features > tables.largestFeature, features < Int(Int32.max) else {
      throw Refusal("a tree asks for the feature \(tables.largestFeature), and there are \(features)")
    }
    guard max(tables.behavior.count, tables.leafIndex.count) < Int(Int32.max) else {
      throw Refusal("the trees have \(tables.behavior.count) nodes, more than can be packed")
    }
    (base, self.features) = (tables.base, features)
    (entryIndex, entryValue) = (tables.leafIndex.map { UInt32($0) }, tables.leafValue)
    isSimple =
      base.count == 1
      && tables.behavior.indices.allSatisfy {
        tables.behavior[$0] != .leaf || tables.leafBegin[$0 + 1] - tables.leafBegin[$0] == 1
      }
    try Self.requireTrees(tables)
    nodes.reserveCapacity(tables.behavior.count)
    // The table's node for each packed node.
    var sources: [Int] = []
    sources.reserveCapacity(tables.behavior.count)
    for root in tables.roots { try append(tables, root, &sources) }
    if !isSimple {
      entries = sources.flatMap { [UInt32(tables.leafBegin[$0]), UInt32(tables.leafBegin[$0 + 1])] }
    }
  }

  /// Checks that every node has at most one parent, so that the children of each branch can be adjacent.
  private static func requireTrees(_ tables: TreeTables) throws {
    var isTaken = Array(repeating: false, count: tables.behavior.count)
    func take(_ node: Int) throws {
      guard !isTaken[node] else { throw Refusal("two paths lead to node \(node)") }
      isTaken[node] = true
    }
    for root in tables.roots { try take(root) }
    for node in tables.behavior.indices where tables.behavior[node] != .leaf {
      try take(tables.trueChild[node])
      try take(tables.falseChild[node])
    }
  }

  /// Appends a tree, level by level.
  private mutating func append(_ tables: TreeTables, _ root: Int, _ sources: inout [Int]) throws {
    let start = sources.count
    roots.append(UInt32(start))
    sources.append(root)
    var (depth, levelEnd): (UInt32, Int) = (0, sources.count)
    var place = start
    while place < sources.count {
      if place == levelEnd { (depth, levelEnd) = (depth + 1, sources.count) }
      let node = sources[place]
      if tables.behavior[node] == .leaf {
        nodes.append(
          ck_tree_node(
            value: isSimple ? tables.leafValue[tables.leafBegin[node]] : 0, feature: UInt32(features),
            child: UInt32(place)))
        missingFirst.append(0)
      } else {
        let (value, isFirstTrue) = try Self.branch(tables.behavior[node], tables.value[node])
        nodes.append(
          ck_tree_node(value: value, feature: UInt32(tables.feature[node]), child: UInt32(sources.count)))
        missingFirst.append(tables.missingTrue[node] == isFirstTrue ? 1 : 0)
        let (whenTrue, whenFalse) = (tables.trueChild[node], tables.falseChild[node])
        sources += isFirstTrue ? [whenTrue, whenFalse] : [whenFalse, whenTrue]
      }
      place += 1
    }
    depths.append(depth)
  }

  /// A comparison as `x <= value`, and whether its first child is the one for true.
  static func branch(
    _ behavior: TreeEnsemble.Behavior, _ value: Double
  ) throws -> (value: Double, isFirstTrue: Bool) {
    let below = value.nextDown
    switch behavior {
    case .lessThanEqual where !value.isNaN: return (value, true)
    case .greaterThan where !value.isNaN: return (value, false)
    case .lessThan where below < value: return (below, true)
    case .greaterThanEqual where below < value: return (below, false)
    default: throw Refusal("the comparison \(behavior) \(value) of a branch is not an order")
    }
  }

  /// Bytes of scratch memory of a run over `rows` rows.
  func room(_ rows: Int) -> Int {
    var trees = ck_trees()
    trees.features = features
    return ck_trees_room(&trees, rows) * MemoryLayout<Double>.stride
  }

  /// The trees at fixed addresses for a kernel.
  func placed() throws -> PlacedEnsemble<ck_trees> {
    var trees = ck_trees()
    (trees.features, trees.trees) = (features, roots.count)
    let tables = PlacedTables()
    (trees.nodes, trees.roots) = (try tables.place(nodes), try tables.place(roots))
    trees.depths = try tables.place(depths)
    trees.missing_first = try tables.place(missingFirst)
    if !isSimple {
      trees.entries = try tables.place(entries)
      trees.entry_index = try tables.place(entryIndex)
      trees.entry_value = try tables.place(entryValue)
    }
    return PlacedEnsemble(trees, base: base, tables: tables)
  }
}

extension PlacedEnsemble where Trees == ck_trees {
  func run(
    features x: UnsafePointer<Double>, rows: Int, room: UnsafeMutablePointer<Double>,
    sums: UnsafeMutablePointer<Double>
  ) {
    sum(rows: rows, into: sums) { ck_trees_rows_f64($0, x, rows, $1, room, sums) }
  }
}
