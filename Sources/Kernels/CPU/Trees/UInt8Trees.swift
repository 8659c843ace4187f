import CKernels
import MIL

/// Full trees. A vector operation evaluates 64 of them for one row. The thresholds of a feature are divided into slots
/// of 255, and a test compares a slot's byte.
struct UInt8Trees {
  private let depth: Int
  private let trees: Int
  private let width: Int
  private let features: [ck_uint8_feature]
  private let values: [Double]
  private let pivots: [Double]
  private let slots: [UInt8]
  private let ranks: [UInt8]
  private let leaves: [Double]
  private let dimension: [UInt32]
  private let base: [Double]

  /// Fewer trees would leave most of a vector empty.
  private static let least = 8
  /// Limit for the growth when all trees get the depth of the deepest, in leaves for each original leaf.
  private static let growth = 4

  init(_ tables: TreeTables, features: Int) throws {
    (trees, width) = (tables.roots.count, features)
    guard trees >= Self.least else { throw Refusal("\(trees) trees are too few to go side by side") }
    var compared = Compared()
    let full = try FullTrees(tables, features: features) { try compared.append($0) }
    depth = Int(full.depths.max() ?? 0)
    let together = Int(CK_UINT8_TREES)
    let padded = (trees + together - 1) / together * together
    guard padded << depth <= Self.growth * (full.leaves.count + 16 * together) else {
      throw Refusal(
        "with \(depth) levels each, the trees would have \(padded << depth) leaves in place of \(full.leaves.count)")
    }
    (self.features, values, pivots) = (compared.features, compared.values, compared.pivots)
    let tests = (1 << depth) - 1
    // Padding tests compare slot 0 with a rank that no byte exceeds, so they go to the first child.
    var slots = Array(repeating: UInt8(0), count: padded * tests)
    var ranks = Array(repeating: UInt8.max, count: slots.count)
    var leaves = Array(repeating: 0.0, count: trees << depth)
    for (tree, own) in full.depths.enumerated() {
      let begin = tree / together * together * tests + tree % together
      for test in 0..<(1 << Int(own)) - 1 {
        let source = full.tests[Int(full.testBegin[tree]) + test]
        let rank = Int(source.rank) + 32768
        guard rank < Int(CK_TREE_RANKS) else { continue }
        slots[begin + test * together] = UInt8(compared.begins[Int(source.slot)] + rank / Compared.size)
        ranks[begin + test * together] = UInt8(rank % Compared.size)
      }
      // A tree of less depth continues with the first children of its leaves.
      for leaf in 0..<1 << Int(own) {
        leaves[tree << depth + leaf << (depth - Int(own))] = full.leaves[Int(full.leafBegin[tree]) + leaf]
      }
    }
    (self.slots, self.ranks, self.leaves) = (slots, ranks, leaves)
    (dimension, base) = (full.dimension, full.base)
  }

  /// The thresholds of the features, in slots.
  private struct Compared {
    static let size = Int(CK_BYTE_SLOT_VALUES)
    private(set) var features: [ck_uint8_feature] = []
    private(set) var values: [Double] = []
    private(set) var pivots: [Double] = []
    /// The first slot of each feature.
    private(set) var begins: [Int] = []

    mutating func append(_ slots: [(feature: Int, missingSecond: Bool, values: [Double])]) throws {
      var end = 0
      for slot in slots {
        let count = max((slot.values.count + Self.size - 1) / Self.size, 1)
        guard end + count <= Int(CK_BYTE_SLOTS) else {
          throw Refusal("there are more features or thresholds than \(CK_BYTE_SLOTS) bytes tell apart")
        }
        let own = stride(from: 15, to: slot.values.count, by: 16).map { slot.values[$0] }
        features.append(
          ck_uint8_feature(
            feature: UInt32(slot.feature), value_begin: UInt32(values.count), pivot_begin: UInt32(pivots.count),
            pivots: UInt32((own.count + 7) / 8 * 8), slot_begin: UInt16(end), slots: UInt16(count),
            missing_second: slot.missingSecond ? 1 : 0))
        pivots += own + Array(repeating: .infinity, count: (8 - own.count % 8) % 8)
        values += slot.values + Array(repeating: .infinity, count: 16 - slot.values.count % 16)
        begins.append(end)
        end += count
      }
    }
  }

  func placed() throws -> PlacedEnsemble<ck_uint8_trees> {
    let tables = PlacedTables()
    let trees = try ck_uint8_trees(
      features: features.count, trees: trees, width: width, dimensions: base.count, depth: UInt32(depth),
      compared: tables.place(features),
      values: tables.place(values), pivots: tables.place(pivots), slots: tables.place(slots),
      ranks: tables.place(ranks), leaves: tables.place(leaves),
      dimension: base.count == 1 ? nil : tables.place(dimension))
    return PlacedEnsemble(trees, base: base, tables: tables)
  }
}

extension PlacedEnsemble where Trees == ck_uint8_trees {
  func run(features x: UnsafePointer<Double>, rows: Int, sums: UnsafeMutablePointer<Double>) {
    sum(rows: rows, into: sums) { trees, _ in ck_uint8_trees_f64(trees, x, rows, sums) }
  }
}
