/// Tile sizes of `warp_product.cl`: the tile of a work-group and of its warps.
struct CLWarpTile: Hashable {
  let warpsM: Int
  let warpsN: Int
  /// Warps that split the K of a slice.
  let warpsK: Int
  let warpM: Int
  let warpN: Int
  /// Chunks of 16 bytes along K in a slice, and slices in local memory.
  let slice: Int
  let stages: Int

  // Best first for large problems: 128 accumulators a work-item are what 255 registers hold besides the factors. All
  // use close to the 48 KiB of local memory that a work-group may have. The last are for small problems: with few
  // work-groups, warps split K.
  static let all = [
    CLWarpTile(warps: (2, 2, 1), of: (64, 64), slice: 4, stages: 3),
    CLWarpTile(warps: (2, 2, 1), of: (32, 32), slice: 8, stages: 3),
    CLWarpTile(warps: (1, 2, 2), of: (32, 32), slice: 8, stages: 4),
    CLWarpTile(warps: (1, 2, 2), of: (16, 32), slice: 8, stages: 4),
  ]

  var m: Int { warpsM * warpM }
  var n: Int { warpsN * warpN }
  var items: Int { warpsM * warpsN * warpsK * 32 }
  private var localBytes: Int { stages * slice * 16 * (m + n) }

  private init(warps: (m: Int, n: Int, k: Int), of sums: (m: Int, n: Int), slice: Int, stages: Int) {
    (warpsM, warpsN, warpsK) = warps
    (warpM, warpN) = sums
    (self.slice, self.stages) = (slice, stages)
  }

  /// Elements of a slice along K.
  func depth(of factors: CLWarpProduct.Factors) -> Int { slice * 16 / factors.size }

  /// The largest tile that fits the device, is not mostly empty, and is needed often enough to occupy two thirds of all
  /// compute units. Otherwise the smallest tile that is not mostly empty.
  init(_ device: OpenCLDevice, m: Int, n: Int, batches: Int) throws(KernelError) {
    let possible = Self.all.filter {
      $0.items <= device.maxWorkGroupSize && $0.localBytes <= device.localMemoryBytes
    }
    guard let smallest = possible.last else {
      throw KernelError(.openCLLaunch, "\(device.id): work-groups are too small for a product by warps")
    }
    self =
      possible.first { tile in
        let groups = tile.groups(m, tile.m) * tile.groups(n, tile.n) * min(batches, 1 << 20)
        return m * 2 > tile.m && n * 2 > tile.n && groups * 3 >= device.computeUnits * 2
      } ?? possible.dropLast().last { m * 2 > $0.m } ?? smallest
  }

  /// The share of the device's arithmetic that produces results. It is the part of the tiles inside of the result,
  /// times the share of compute units that have a tile.
  func use(_ device: OpenCLDevice, m rows: Int, n columns: Int, batches: Int, parts: Int = 1) -> Double {
    guard rows > 0, columns > 0, batches > 0 else { return 1 }
    func inside(_ count: Int, _ tile: Int) -> Double { Double(count) / (Double(groups(count, tile)) * Double(tile)) }
    let work = Double(groups(rows, m)) * Double(groups(columns, n)) * Double(batches) * Double(parts)
    return inside(rows, m) * inside(columns, n) * min(1, work / Double(max(device.computeUnits, 1)))
  }

  var definitions: [String: String] {
    [
      "WARPS_M": "\(warpsM)", "WARPS_N": "\(warpsN)", "WARPS_K": "\(warpsK)", "WARP_M": "\(warpM)",
      "WARP_N": "\(warpN)",
      "SLICE": "\(slice)", "STAGES": "\(stages)",
    ]
  }

  /// Launch sizes for an `m` by `n` result.
  func sizes(m rows: Int, n columns: Int, batches: Int) throws(KernelError) -> (global: [Int], local: [Int]) {
    let groups = [groups(columns, n), groups(rows, m), min(batches, 65_535)]
    guard groups[1] <= 65_535 else {
      throw KernelError(.openCLLaunch, "a matrix product with \(rows) rows: tiles are counted to 65,535")
    }
    return ([groups[0] * items, groups[1], groups[2]], [items, 1, 1])
  }

  /// The number of K-splits of a product.
  func parts(_ shape: CLMatrixProduct.Shape, on device: OpenCLDevice) -> Int {
    guard shape.batches <= 4096 else { return 1 }
    return CLParts.count(
      tiles: groups(shape.m, m) * groups(shape.n, n) * shape.batches, depth: shape.k, on: device)
  }

  private func groups(_ count: Int, _ tile: Int) -> Int { count / tile + (count % tile == 0 ? 0 : 1) }
}
