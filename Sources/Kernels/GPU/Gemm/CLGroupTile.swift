/// Tile sizes of `group_product.cl`. A work-group has one or two warp groups and stages its slices of K in local
/// memory.
struct CLGroupTile: Hashable, CustomStringConvertible {
  /// Warp groups, of 64 rows each.
  let groups: Int
  let n: Int
  /// Slices in local memory, and how many of them are prefetched.
  let stages: Int
  let ahead: Int
  /// Work-groups of a cluster, which split K.
  let cluster: Int
  /// Fitted on an H100. A slice has 64 fp16 or 32 fp32 elements along K.
  private let pace: TilePace

  // Wide tiles read less local memory for each product. With three slices a compute unit holds two work-groups, so that
  // one stores while the other multiplies. Small problems need many loads in flight, and clusters that split K.
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
  /// The slices, or the accumulators that pass through the same memory at the end.
  var localBytes: Int { max(stages * (m + n) * 128, m * (n + 8) * 4) }

  /// Local memory limit of a work-group. Only the CUDA driver of the device allows this much.
  static let localBytesLimit = 232_448

  /// Whether a device has the instructions, and its driver supports them.
  static func mayRun(on device: OpenCLDevice) -> Bool { device.usesCUDA && device.computeCapability == 90 }

  /// Whether a device has enough local memory. With `.ptx`, `mayRun` has established that. Other variants have no
  /// clusters.
  func runs(by warps: CLWarps, on device: OpenCLDevice) -> Bool {
    warps == .ptx || cluster == 1 && localBytes + 32 * items <= device.localMemoryBytes
  }

  /// Elements of a slice along K.
  static func depth(of factors: CLWarpProduct.Factors) -> Int { 128 / factors.size }

  /// The reason why no tile takes a product. Nil if one does. Kernels copy chunks of 16 bytes, so rows must be
  /// multiples of that.
  static func refusal(of shape: CLMatrixProduct.Shape, _ factors: CLWarpProduct.Factors) -> String? {
    let chunk = 16 / factors.size
    let rows = [shape.transposeA ? shape.m : shape.k, shape.transposeB ? shape.k : shape.n]
    let steps = shape.batch.a + shape.batch.b
    guard (rows + steps).allSatisfy({ $0 % chunk == 0 }), shape.k > 0 else { return "rows of partial 16-byte chunks" }
    if factors == .floats, shape.transposeA || !shape.transposeB {
      return "an fp32 factor is laid out across the inner dimension"
    }
    return shape.batches < 1 << 30 ? nil : "a batch of \(shape.batches)"
  }

  /// Whether the tile takes a product that is not refused.
  func takes(_ shape: CLMatrixProduct.Shape) -> Bool { n >= 64 || shape.transposeB }

  /// The fastest tile for a product that is not refused, on a device with this many compute units.
  init(
    units: Int, _ shape: CLMatrixProduct.Shape, _ factors: CLWarpProduct.Factors,
    where runs: (CLGroupTile) -> Bool = { _ in true }
  ) {
    func seconds(_ tile: CLGroupTile) -> Double { tile.seconds(units: units, shape, factors) }
    let possible = Self.all.filter { $0.takes(shape) && runs($0) }
    self = possible.min { seconds($0) < seconds($1) } ?? Self.all[0]
  }

  /// Estimated seconds of a product, without the launch.
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
