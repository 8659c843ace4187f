/// Tile sizes of `group_product.cl`: what a work-group of one or two warp groups computes, and how its slices pass through local memory.
struct CLGroupTile: Hashable, CustomStringConvertible {
  /// Warp groups, of 64 rows each.
  let groups: Int
  let n: Int
  /// Slices in local memory, and those of them that are copied ahead.
  let stages: Int
  let ahead: Int
  /// Work-groups of a cluster, which share the depth.
  let cluster: Int
  /// Of an H100. A slice is 64 halves deep, or 32 single-precision numbers.
  private let pace: TilePace

  // Wide tiles read less local memory for each product; three slices let a unit hold two work-groups, of which one stores while the other
  // multiplies. For little work much must be under way at once, and clusters share the depth.
  static let all = [
    CLGroupTile(2, 256, stages: 4, ahead: 2, TilePace(slice: 0.63, share: 0.85, ends: 3, endsShare: 2, resident: 1)),
    CLGroupTile(2, 128, stages: 3, ahead: 2, TilePace(slice: 0.48, share: 0.46, ends: 2.5, endsShare: 1, resident: 2)),
    CLGroupTile(1, 128, stages: 3, ahead: 2, TilePace(slice: 0.42, share: 0.3, ends: 2, endsShare: 0.6, resident: 3)),
    CLGroupTile(1, 64, stages: 6, ahead: 4, TilePace(slice: 0.21, share: 0.21, ends: 1.5, endsShare: 0.4, resident: 2)),
    CLGroupTile(1, 64, stages: 8, ahead: 6, TilePace(slice: 0.19, share: 0.21, ends: 1.5, endsShare: 0.4, resident: 1)),
    CLGroupTile(
      1, 64, stages: 6, ahead: 4, cluster: 2,
      TilePace(slice: 0.21, share: 0.21, ends: 2.7, endsShare: 1.6, resident: 2)),
    CLGroupTile(
      1, 32, stages: 8, ahead: 6, cluster: 2,
      TilePace(slice: 0.17, share: 0.1, ends: 2.7, endsShare: 1.6, resident: 2)),
    CLGroupTile(
      1, 64, stages: 6, ahead: 4, cluster: 4,
      TilePace(slice: 0.21, share: 0.21, ends: 3.1, endsShare: 2, resident: 2)),
  ]

  private init(_ groups: Int, _ n: Int, stages: Int, ahead: Int, cluster: Int = 1, _ pace: TilePace) {
    (self.groups, self.n, self.stages, self.ahead, self.cluster) = (groups, n, stages, ahead, cluster)
    self.pace = pace
  }

  var m: Int { groups * 64 }
  var items: Int { groups * 128 }
  /// Slices, or the sums that pass through the same memory at the end.
  var localBytes: Int { max(stages * (m + n) * 128, m * (n + 8) * 4) }

  /// What a work-group may have there. Of the device's drivers only CUDA's gives as much.
  static let localBytesLimit = 232_448

  /// Whether a device has the instructions, and its driver lets them be used.
  static func mayRun(on device: OpenCLDevice) -> Bool { device.usesCUDA && device.computeCapability == 90 }

  /// Whether a device that is not asked for `mayRun` has the memory; without PTX there are no clusters.
  func runs(by warps: CLWarps, on device: OpenCLDevice) -> Bool {
    warps == .ptx || cluster == 1 && localBytes + 32 * items <= device.localMemoryBytes
  }

  /// Numbers that a slice is deep.
  static func depth(of factors: CLWarpProduct.Factors) -> Int { 128 / factors.size }

  /// Why no tile takes a product; nil where one does. Chunks of 16 bytes are copied, so that rows must consist of them.
  static func refusal(of shape: CLMatrixProduct.Shape, _ factors: CLWarpProduct.Factors) -> String? {
    let chunk = 16 / factors.size
    let rows = [shape.transposeA ? shape.m : shape.k, shape.transposeB ? shape.k : shape.n]
    let steps = shape.batch.a + shape.batch.b
    guard (rows + steps).allSatisfy({ $0 % chunk == 0 }), shape.k > 0 else { return "rows that are no whole chunks" }
    if factors == .floats, shape.transposeA || !shape.transposeB {
      return "a factor of single precision lies across the depth"
    }
    return shape.batches < 1 << 30 ? nil : "a batch of \(shape.batches)"
  }

  /// Whether the tile takes a product that is not refused.
  func takes(_ shape: CLMatrixProduct.Shape) -> Bool { n >= 64 || shape.transposeB }

  /// The fastest tile for a product that is not refused, on a device of so many units.
  init(
    units: Int, _ shape: CLMatrixProduct.Shape, _ factors: CLWarpProduct.Factors,
    where runs: (CLGroupTile) -> Bool = { _ in true }
  ) {
    func seconds(_ tile: CLGroupTile) -> Double { tile.seconds(units: units, shape, factors) }
    let possible = Self.all.filter { $0.takes(shape) && runs($0) }
    self = possible.min { seconds($0) < seconds($1) } ?? Self.all[0]
  }

  /// How long a product takes once it runs.
  func seconds(units: Int, _ shape: CLMatrixProduct.Shape, _ factors: CLWarpProduct.Factors) -> Double {
    let all = Double(tiles(shape.m, m)) * Double(tiles(shape.n, n)) * Double(shape.batches * cluster)
    let depth = Self.depth(of: factors) * cluster
    let slices = Double((shape.k + depth - 1) / depth)
    return pace.microseconds(groups: all, slices: slices, units: units) * 1e-6
  }

  func definitions(_ shape: CLMatrixProduct.Shape) -> [String: String] {
    [
      "GROUPS": "\(groups)", "TILE_N": "\(n)", "STAGES": "\(stages)", "AHEAD": "\(ahead)", "CLUSTER": "\(cluster)",
      "ACROSS_A": shape.transposeA ? "1" : "0", "ACROSS_B": shape.transposeB ? "0" : "1",
    ]
  }

  /// Launch sizes.
  func sizes(_ shape: CLMatrixProduct.Shape) throws(KernelError) -> (global: [Int], local: [Int]) {
    let rows = tiles(shape.m, m)
    guard rows <= 65_535 else {
      throw KernelError(.openCLLaunch, "a matrix product with \(shape.m) rows: tiles are counted to 65,535")
    }
    return ([tiles(shape.n, n) * items, rows, min(shape.batches, 65_535 / cluster) * cluster], [items, 1, 1])
  }

  var description: String { "\(m) x \(n), \(stages) slices, clusters of \(cluster)" }

  private func tiles(_ count: Int, _ tile: Int) -> Int { count / tile + (count % tile == 0 ? 0 : 1) }
}
