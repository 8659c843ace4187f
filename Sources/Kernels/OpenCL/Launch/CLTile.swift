/// Tile sizes of `tile.cl`: what a work-group and a work-item compute.
struct CLTile: Hashable {
  let m: Int
  let n: Int
  let k: Int
  let itemM: Int
  let itemN: Int

  // Best first where there is enough work; all keep the divisibilities that tile.cl asks for.
  static let all = [
    CLTile(m: 128, n: 128, k: 8, itemM: 8, itemN: 8), CLTile(m: 64, n: 64, k: 16, itemM: 4, itemN: 4),
    CLTile(m: 32, n: 32, k: 16, itemM: 4, itemN: 4),
  ]

  private init(m: Int, n: Int, k: Int, itemM: Int, itemN: Int) {
    self.m = m
    self.n = n
    self.k = k
    self.itemM = itemM
    self.itemN = itemN
  }

  /// The largest tile that the device takes, that is not mostly empty, and of which there are enough for every unit; the
  /// smallest otherwise.
  init(_ device: OpenCLDevice, m: Int, n: Int, batches: Int) throws(KernelError) {
    let possible = Self.all.filter {
      $0.items <= device.maxWorkGroupSize && $0.localBytes <= device.localMemoryBytes
    }
    guard let smallest = possible.last else {
      throw KernelError(
        .openCLLaunch,
        "\(device.id): work-groups of \(device.maxWorkGroupSize) with \(device.localMemoryBytes) bytes of local memory "
          + "are too small for a tile of a matrix product")
    }
    self =
      possible.first { tile in
        let groups = tile.groups(m, tile.m) * tile.groups(n, tile.n) * min(batches, 1 << 20)
        return m * 2 > tile.m && n * 2 > tile.n && groups >= device.computeUnits
      } ?? smallest
  }

  var items: Int { (m / itemM) * (n / itemN) }
  private var localBytes: Int { k * (m + n + 8) * 4 }

  /// The kernel's parameters behind its tensors: sizes of one product, and the batch.
  static func parameters(
    _ index: CLSizes, m: Int, n: Int, k: Int, _ batch: CLMatrixProduct.Batch
  ) -> [OpenCLParameter] {
    let rank = batch.sizes.count
    func padded(_ list: [Int], _ fill: Int) -> [Int] { [Int](repeating: fill, count: 4 - rank) + list }
    let fields =
      [batch.sizes.reduce(1, *)] + padded(batch.sizes, 1) + padded(batch.a, 0) + padded(batch.b, 0)
      + padded(batch.bias, 0)
    return [index.one(m), index.one(n), index.one(k), .longs(fields.map { Int64($0) })]
  }

  /// How much of the device's arithmetic goes into results: what of the tiles lies inside of the matrices, and how many
  /// units have a tile at all.
  func use(_ device: OpenCLDevice, m rows: Int, n columns: Int, k depth: Int, batches: Int, parts: Int = 1) -> Double {
    guard rows > 0, columns > 0, depth > 0, batches > 0 else { return 1 }
    func inside(_ count: Int, _ tile: Int) -> Double { Double(count) / (Double(groups(count, tile)) * Double(tile)) }
    let work = Double(groups(rows, m)) * Double(groups(columns, n)) * Double(batches) * Double(parts)
    return inside(rows, m) * inside(columns, n) * inside(depth, k) * min(1, work / Double(max(device.computeUnits, 1)))
  }

  var definitions: [String: String] {
    ["TILE_M": "\(m)", "TILE_N": "\(n)", "TILE_K": "\(k)", "ITEM_M": "\(itemM)", "ITEM_N": "\(itemN)"]
  }

  /// Launch sizes for an `m` by `n` result.
  func sizes(m rows: Int, n columns: Int, batches: Int) throws(KernelError) -> (global: [Int], local: [Int]) {
    let groups = [groups(columns, n), groups(rows, m), min(batches, 65_535)]
    guard groups[1] <= 65_535 else {
      throw KernelError(.openCLLaunch, "a matrix product with \(rows) rows: tiles are counted to 65,535")
    }
    return ([groups[0] * (n / itemN), groups[1] * (m / itemM), groups[2]], [n / itemN, m / itemM, 1])
  }

  /// Groups that share the depth of a product.
  func parts(_ shape: CLMatrixProduct.Shape, on device: OpenCLDevice) -> Int {
    guard shape.batches <= 4096 else { return 1 }
    return CLParts.count(
      tiles: groups(shape.m, m) * groups(shape.n, n) * shape.batches, depth: shape.k, on: device)
  }

  private func groups(_ count: Int, _ tile: Int) -> Int { count / tile + (count % tile == 0 ? 0 : 1) }
}
