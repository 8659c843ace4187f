import CKernels
import MIL

/// Trees that are padded to full trees. Their branches compare ranks: the thresholds of each feature, numbered in
/// increasing order.
struct FullTrees {
  private(set) var depths: [UInt8] = []
  private(set) var testBegin: [UInt32] = []
  private(set) var leafBegin: [UInt32] = []
  private(set) var dimension: [UInt32] = []
  private(set) var tests: [ck_tree_test] = []
  private(set) var leaves: [Double] = []
  private(set) var slots: [(feature: Int, missingSecond: Bool, values: [Double])] = []
  let base: [Double]
  private let features: Int

  /// Limit for the growth of a tree, in nodes for each original node.
  private static let growth = 6
  /// Limit for the largest feature index, for each node.
  private static let spread = 16

  /// - Parameter admit: throws for slots that the caller cannot use, before the trees are padded.
  init(
    _ tables: TreeTables, features: Int,
    admit: ([(feature: Int, missingSecond: Bool, values: [Double])]) throws -> Void = { _ in }
  ) throws {
    guard features > tables.largestFeature else {
      throw Refusal("a tree asks for the feature \(tables.largestFeature), and there are \(features)")
    }
    (base, self.features) = (tables.base, features)
    var size = 0
    let depths = try tables.roots.map { root in
      let depth = try Self.depth(tables, root)
      size += 2 << depth
      return depth
    }
    guard size <= Self.growth * tables.behavior.count + 1024 else {
      throw Refusal("filled up, the trees would have \(size) nodes in place of \(tables.behavior.count)")
    }
    let branches = try tables.behavior.indices.map { node in
      tables.behavior[node] == .leaf ? nil : try Branch(tables, node)
    }
    let slotOf = try number(branches, tables.largestFeature)
    try admit(slots)
    for (root, depth) in zip(tables.roots, depths) { try append(tables, branches, slotOf, root, depth) }
  }

  /// A comparison as `x <= value`, with its two children.
  private struct Branch {
    let value: Double
    let first: Int
    let second: Int
    let missingSecond: Bool
    let feature: Int
    var slotKey: Int { 2 * feature + (missingSecond ? 1 : 0) }

    init(_ tables: TreeTables, _ node: Int) throws {
      let (value, isFirstTrue) = try TreePaths.branch(tables.behavior[node], tables.value[node])
      self.value = value
      (first, second) =
        isFirstTrue
        ? (tables.trueChild[node], tables.falseChild[node]) : (tables.falseChild[node], tables.trueChild[node])
      missingSecond = tables.missingTrue[node] != isFirstTrue
      feature = tables.feature[node]
    }
  }

  /// Assigns ranks to the thresholds of each feature. Returns the slots of each feature: one for branches where NaN
  /// goes to the first child, and one where it goes to the second.
  private mutating func number(_ branches: [Branch?], _ largest: Int) throws -> [Int] {
    guard largest <= Self.spread * branches.count + 1024 else {
      throw Refusal("a tree asks for the feature \(largest), and there are \(branches.count) nodes")
    }
    var values: [[Double]] = Array(repeating: [], count: largest + 1)
    var slotOf = Array(repeating: -1, count: 2 * (largest + 1))
    for case let branch? in branches {
      values[branch.feature].append(branch.value == 0 ? 0 : branch.value)
      slotOf[branch.slotKey] = 0
    }
    for feature in values.indices {
      values[feature].sort()
      values[feature] = values[feature].indices.compactMap {
        $0 > 0 && values[feature][$0] == values[feature][$0 - 1] ? nil : values[feature][$0]
      }
    }
    for key in slotOf.indices where slotOf[key] == 0 {
      slotOf[key] = slots.count
      slots.append((key / 2, key % 2 == 1, values[key / 2]))
    }
    guard slots.count < Int(UInt16.max), values.allSatisfy({ $0.count < Int(CK_TREE_RANKS) }) else {
      throw Refusal("there are more features or thresholds than 16 bits tell apart")
    }
    return slotOf
  }

  private static func depth(_ tables: TreeTables, _ root: Int) throws -> Int {
    var level = [root]
    for depth in 0...Int(CK_TREE_DEPTH) {
      level = level.filter { tables.behavior[$0] != .leaf }.flatMap { [tables.trueChild[$0], tables.falseChild[$0]] }
      guard level.count <= 2 << depth else { throw Refusal("two paths lead to one node") }
      if level.isEmpty { return depth }
    }
    throw Refusal("a tree has more than \(CK_TREE_DEPTH) levels of branches")
  }

  private mutating func append(
    _ tables: TreeTables, _ branches: [Branch?], _ slotOf: [Int], _ root: Int, _ depth: Int
  ) throws {
    depths.append(UInt8(depth))
    testBegin.append(UInt32(tests.count))
    leafBegin.append(UInt32(leaves.count))
    var level = [root]
    for _ in 0..<depth {
      var next: [Int] = []
      for node in level {
        // All nodes below a leaf are that leaf.
        guard let branch = branches[node] else {
          tests.append(ck_tree_test(rank: .max, slot: 0))
          next += [node, node]
          continue
        }
        let slot = slotOf[branch.slotKey]
        let rank = slots[slot].values.partition(before: branch.value)
        tests.append(ck_tree_test(rank: Int16(rank - 32768), slot: UInt16(slot)))
        next += [branch.first, branch.second]
      }
      level = next
    }
    var own: Int?
    for leaf in level {
      let (begin, end) = (tables.leafBegin[leaf], tables.leafBegin[leaf + 1])
      guard end == begin + 1, own ?? tables.leafIndex[begin] == tables.leafIndex[begin] else {
        throw Refusal("the leaves of a tree add to more than one dimension, or to none")
      }
      own = tables.leafIndex[begin]
      leaves.append(tables.leafValue[begin])
    }
    dimension.append(UInt32(own ?? 0))
  }

  func placed() throws -> PlacedEnsemble<ck_full_trees> {
    let tables = PlacedTables()
    var begins: [UInt32] = [0]
    for slot in slots { begins.append(begins[begins.count - 1] + UInt32(slot.values.count)) }
    let trees = try ck_full_trees(
      features: features, trees: depths.count, slots: slots.count, dimensions: base.count,
      slot_feature: tables.place(slots.map { UInt32($0.feature) }),
      missing_second: tables.place(slots.map { $0.missingSecond ? 1 : 0 } as [UInt8]),
      value_begin: tables.place(begins),
      values: tables.place(slots.flatMap(\.values)), depths: tables.place(depths), test_begin: tables.place(testBegin),
      leaf_begin: tables.place(leafBegin), dimension: tables.place(dimension), tests: tables.place(tests),
      leaves: tables.place(leaves))
    return PlacedEnsemble(trees, base: base, tables: tables)
  }

  /// Bytes of scratch memory of a run.
  var room: Int { Int(CK_TREE_ROWS) * (slots.count * 2 + base.count * 8) }
}

extension Array where Element == Double {
  /// How many elements of a sorted array are less than `value`.
  fileprivate func partition(before value: Double) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if self[middle] < value { low = middle + 1 } else { high = middle }
    }
    return low
  }
}

extension PlacedEnsemble where Trees == ck_full_trees {
  func run(
    features x: UnsafePointer<Double>, rows: Int, room: UnsafeMutableRawPointer, sums: UnsafeMutablePointer<Double>
  ) {
    sum(rows: rows, into: sums) { trees, _ in ck_full_trees_f64(trees, x, rows, room, sums) }
  }
}
