/// Tile sizes of `tile.cl`: the tile of a work-group and the register tile of a work-item.
struct CLTile: Hashable, CustomStringConvertible {
  let m: Int
  let n: Int
  let k: Int
  let itemM: Int
  let itemN: Int
  /// Work-items that split the K of a slice for the same results.
  let shares: Int
  /// Whether the factors of the next step are prefetched during the multiplication.
  let looksAhead: Bool
  /// Fitted on an H200 to both products and convolutions.
  private let pace: TilePace

  // All satisfy the divisibility rules of tile_slice.cl. Large tiles read less memory for each product. Where there are
  // few tiles, many work-items of a work-group split K. The last is for devices with small work-groups.
  static let all = [
    CLTile(
      256, 128, 8, item: (16, 8), ahead: true,
      TilePace(slice: 1.44, share: 1.19, ends: 5.3, endsShare: 0.8, resident: 1)),
    CLTile(128, 128, 8, item: (16, 8), TilePace(slice: 1.2, share: 0.82, ends: 5, endsShare: 1, resident: 2)),
    CLTile(128, 128, 8, item: (8, 8), TilePace(slice: 1, share: 0.87, ends: 3.5, endsShare: 1.5, resident: 2)),
    CLTile(
      128, 64, 8, item: (8, 8), ahead: true, TilePace(slice: 0.55, share: 0.46, ends: 4, endsShare: 0.3, resident: 3)),
    CLTile(64, 128, 8, item: (8, 8), TilePace(slice: 0.62, share: 0.495, ends: 3.5, endsShare: 1, resident: 3)),
    CLTile(64, 64, 16, item: (8, 8), TilePace(slice: 1.15, share: 0.553, ends: 3, endsShare: 0.3, resident: 5)),
    CLTile(64, 64, 16, item: (8, 4), TilePace(slice: 0.69, share: 0.546, ends: 2.5, endsShare: 0.7, resident: 3)),
    CLTile(
      64, 64, 32, item: (8, 4), shares: 2, TilePace(slice: 1.11, share: 1.05, ends: 3, endsShare: 0.6, resident: 3)),
    CLTile(32, 128, 16, item: (8, 4), TilePace(slice: 0.75, share: 0.555, ends: 5, endsShare: 0.6, resident: 6)),
    CLTile(16, 128, 32, item: (4, 4), TilePace(slice: 0.9, share: 0.76, ends: 5, endsShare: 0.61, resident: 3)),
    CLTile(
      32, 64, 32, item: (8, 4), shares: 4, TilePace(slice: 0.69, share: 0.65, ends: 3.7, endsShare: 0.9, resident: 2)),
    CLTile(
      32, 32, 64, item: (8, 4), shares: 8, TilePace(slice: 0.81, share: 0.73, ends: 3.8, endsShare: 0.95, resident: 3)),
    CLTile(
      32, 32, 32, item: (8, 4), shares: 4, TilePace(slice: 0.57, share: 0.36, ends: 5.5, endsShare: 0.45, resident: 6)),
    CLTile(32, 32, 16, item: (8, 4), TilePace(slice: 1, share: 0.25, ends: 5.5, endsShare: 0.6, resident: 8)),
  ]

  private init(
    _ m: Int, _ n: Int, _ k: Int, item: (m: Int, n: Int), shares: Int = 1, ahead: Bool = false, _ pace: TilePace
  ) {
    (self.m, self.n, self.k, itemM, itemN) = (m, n, k, item.m, item.n)
    (self.shares, looksAhead, self.pace) = (shares, ahead, pace)
  }

  /// The fastest tile that fits the device, if this many work-groups split K.
  init(_ device: OpenCLDevice, _ shape: CLMatrixProduct.Shape, parts: Int = 1) throws(KernelError) {
    guard let best = Self.fastest(units: device.computeUnits, shape, parts: parts, where: { $0.fits(device) }) else {
      throw KernelError(
        .openCLLaunch,
        "\(device.id): work-groups of \(device.maxWorkGroupSize) with \(device.localMemoryBytes) bytes of local memory "
          + "are too small for a tile of a matrix product")
    }
    self = best
  }

  static func fastest(
    units: Int, _ shape: CLMatrixProduct.Shape, parts: Int = 1, where fits: (CLTile) -> Bool = { _ in true }
  ) -> CLTile? {
    func time(_ tile: CLTile) -> Double { tile.microseconds(units: units, shape, parts: parts) }
    return all.filter(fits).min { time($0) < time($1) }
  }

  /// Whether the tile fits the device's local memory and work-group limits. Other devices than NVIDIA's do not have the
  /// registers for 128 results a work-item.
  func fits(_ device: OpenCLDevice) -> Bool {
    (itemM * itemN <= 64 || device.vendorID == 0x10DE)
      && items <= device.maxWorkGroupSize && items <= (device.maxWorkItemSizes.first ?? items)
      && localBytes <= device.localMemoryBytes
  }

  var items: Int { (m / itemM) * (n / itemN) * shares }
  /// Two slices, or the accumulators that work-items exchange. In addition the tile corners, and for a convolution an
  /// entry for each k.
  private var localBytes: Int { max(2 * k * (m + n + 8), shares / 2 * m * n) * 4 + 2 * max(k, 32) * 32 + 16 }

  /// The number of K-splits, and the fraction of the device's arithmetic that the product reaches with it.
  static func sharing(
    _ shape: CLMatrixProduct.Shape, on device: OpenCLDevice
  ) throws(KernelError) -> (efficiency: Double, parts: Int) {
    var best = (efficiency: try efficiency(shape, on: device), parts: 1)
    guard shape.batches <= 4096 else { return best }
    // Each part of K must be large enough to justify the second launch.
    for parts in [2, 3, 4, 6, 8, 12, 16] where parts * 128 <= shape.k {
      let efficiency = try efficiency(shape, on: device, parts: parts)
      if efficiency > best.efficiency * 1.1 { best = (efficiency, parts) }
    }
    return best
  }

  /// The fraction of the device's arithmetic that a product reaches.
  static func efficiency(
    _ shape: CLMatrixProduct.Shape, on device: OpenCLDevice, parts: Int = 1
  ) throws(KernelError) -> Double {
    let tile = try CLTile(device, shape, parts: parts)
    guard shape.m > 0, shape.n > 0, shape.k > 0, shape.batches > 0 else { return 1 }
    let products = Double(shape.m) * Double(shape.n) * Double(shape.k) * Double(shape.batches)
    let units = Double(max(device.computeUnits, 1))
    return max(
      products / Self.products / units / tile.microseconds(units: device.computeUnits, shape, parts: parts), 1e-4)
  }

  /// Multiply-adds of one compute unit in a microsecond. The device's peak arithmetic is relative to it.
  private static let products = 128 * 1700.0

  /// Estimated microseconds of a product on a device with this many such compute units.
  func microseconds(units: Int, _ shape: CLMatrixProduct.Shape, parts: Int = 1) -> Double {
    let all = Double(tiles(shape.m, m)) * Double(tiles(shape.n, n)) * Double(shape.batches * parts)
    let slices = Double((tiles(shape.k, k) + parts - 1) / parts)
    let product = pace.microseconds(groups: all, slices: slices, units: units)
    guard parts > 1 else { return product }
    // A second launch, and the partial results written and read again at 23 bytes/ns for each unit.
    let sums = Double(shape.m) * Double(shape.n) * Double(shape.batches * parts)
    return product + 2.5 + sums * 8 / (Double(max(units, 1)) * 23_000)
  }

  /// The kernel's parameters after its tensors: the sizes of one product, and the batch.
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

  func definitions(for device: OpenCLDevice) -> [String: String] { definitions(isRolled: device.kind == .cpu) }

  func definitions(isRolled: Bool) -> [String: String] {
    [
      "TILE_M": "\(m)", "TILE_N": "\(n)", "TILE_K": "\(k)", "ITEM_M": "\(itemM)", "ITEM_N": "\(itemN)",
      "SHARES": "\(shares)", "LOOKAHEAD": looksAhead ? "1" : "0", "ROLLED": isRolled ? "1" : "0",
    ]
  }

  /// Launch sizes for an `m` by `n` result.
  func sizes(m rows: Int, n columns: Int, batches: Int) throws(KernelError) -> (global: [Int], local: [Int]) {
    let groups = [tiles(columns, n), tiles(rows, m), min(batches, 65_535)]
    guard groups[1] <= 65_535 else {
      throw KernelError(.openCLLaunch, "a matrix product with \(rows) rows: tiles are counted to 65,535")
    }
    return ([groups[0] * items, groups[1], groups[2]], [items, 1, 1])
  }

  var description: String { "\(m) x \(n) x \(k), \(itemM) x \(itemN) a work-item, \(shares) share" }

  private func tiles(_ count: Int, _ tile: Int) -> Int { count / tile + (count % tile == 0 ? 0 : 1) }
}
