/// How `warp_conv.cl` tiles a convolution: the tile of a work-group and of its warps, and the data in local memory.
struct CLPatchTile: Hashable {
  let warpsM: Int
  let warpsN: Int
  let warpM: Int
  let warpN: Int
  /// The rectangle of output pixels.
  let height: Int
  let width: Int
  let factors: CLWarpProduct.Factors
  /// Input channels of a patch, and the number of patches in local memory.
  let slice: Int
  let patches: Int
  /// Taps whose weights are copied in one round, and the number of rounds in local memory.
  let taps: Int
  let stages: Int

  var m: Int { warpsM * warpM }
  var items: Int { warpsM * warpsN * 32 }

  /// All tiles and their local memory configurations, best first for large problems. 1 x 1 convolutions have their own
  /// lists. There is one for images that are seen as a single row, and one for others. The tiles use all registers
  /// without spilling (sm_80, sm_90). A patch holds half as many fp32 elements in the same memory.
  static func all(_ window: CLWindow, of factors: CLWarpProduct.Factors) -> [CLPatchTile] {
    all(window).map { tile in
      factors == .f16
        ? tile
        : CLPatchTile(
          (tile.warpsM, tile.warpsN), (tile.warpM, tile.warpN), (tile.height, tile.width), of: factors,
          slice: tile.slice * 2 / factors.size, patches: tile.patches, taps: tile.taps, stages: tile.stages)
    }
  }

  private static func all(_ window: CLWindow) -> [CLPatchTile] {
    let all = window.kernel[0] * window.kernel[1]
    let row = window.kernel[1]
    if window.isPointwise {
      return [
        CLPatchTile((4, 2), (32, 32), (1, 64), slice: 64, patches: 1, taps: 1, stages: 2),
        CLPatchTile((2, 2), (32, 32), (1, 64), slice: 64, patches: 2, taps: 1, stages: 3),
        CLPatchTile((2, 2), (16, 16), (1, 32), slice: 128, patches: 1, taps: 1, stages: 2),
      ]
    }
    if all == 1 {
      return [
        CLPatchTile((2, 2), (32, 32), (8, 8), slice: 64, patches: 2, taps: 1, stages: 3),
        CLPatchTile((2, 2), (32, 32), (8, 8), slice: 16, patches: 1, taps: 1, stages: 3),
        CLPatchTile((2, 2), (16, 16), (4, 8), slice: 128, patches: 1, taps: 1, stages: 2),
        CLPatchTile((2, 2), (16, 16), (4, 8), slice: 16, patches: 1, taps: 1, stages: 3),
      ]
    }
    let fillings = [(32, all, 2), (32, row, 3), (16, all, 3), (16, row, 3), (16, row, 2), (16, 1, 2)]
    // For images of one row (audio, text), adjacent pixels of that row.
    let isLine = window.output[0] == 1
    let pixels = isLine ? [(1, 64), (1, 64), (1, 32)] : [(8, 8), (8, 8), (4, 8)]
    return [((4, 2), (32, 32), pixels[0]), ((2, 2), (32, 32), pixels[1]), ((2, 2), (16, 16), pixels[2])].flatMap {
      form in
      fillings.map { slice, taps, stages in
        CLPatchTile(form.0, form.1, form.2, slice: slice, patches: 1, taps: taps, stages: stages)
      }
    }
  }

  private init(
    _ warps: (Int, Int), _ sums: (Int, Int), _ pixels: (Int, Int), of factors: CLWarpProduct.Factors = .f16,
    slice: Int, patches: Int, taps: Int, stages: Int
  ) {
    self.factors = factors
    (warpsM, warpsN) = warps
    (warpM, warpN) = sums
    (height, width) = pixels
    (self.slice, self.patches, self.taps, self.stages) = (slice, patches, taps, stages)
  }

  /// The largest tile that fits the device, is not mostly empty, and is needed often enough to occupy two thirds of all
  /// compute units. Otherwise the smallest tile. Nil if none fits.
  init?(_ device: OpenCLDevice, _ shape: CLConvolution.Shape, of factors: CLWarpProduct.Factors = .f16) {
    let fitting = Self.all(shape.window, of: factors).filter {
      $0.fits(shape.window, localBytes: device.localMemoryBytes, items: device.maxWorkGroupSize)
    }
    // A slice of more channels than exist would be read and multiplied in vain.
    let possible = fitting.filter {
      $0.slice <= max(shape.inputsOfGroup, 32 / factors.size) || shape.window.isPointwise
    }
    guard let smallest = possible.last else { return nil }
    // Of the tiles of this size, the first configuration.
    let least = possible.first { $0.m == smallest.m && $0.height == smallest.height } ?? smallest
    self =
      possible.first { tile in
        shape.outputsOfGroup * 2 > tile.m
          && tile.groups(shape) * min(shape.images * shape.groups, 1 << 20) * 3 >= device.computeUnits * 2
      } ?? least
  }

  /// Pixels of a patch, as stored.
  func patch(_ window: CLWindow) -> Int {
    func length(_ axis: Int, _ tile: Int) -> (length: Int, apart: Int) {
      let apart = window.kernel[axis] == 1 ? 1 : window.strides[axis]
      return ((tile - 1) * apart + (window.kernel[axis] - 1) * window.dilations[axis] + 1, apart)
    }
    let (high, wide) = (length(0, height), length(1, width))
    return high.length * ((wide.length + wide.apart - 1) / wide.apart * wide.apart)
  }

  /// Whether a work-group has enough local memory and work-items for the tile, and a work-item enough registers.
  func fits(_ window: CLWindow, localBytes: Int, items most: Int) -> Bool {
    guard window.kernel[0] * window.kernel[1] <= 128, window.dilations.allSatisfy({ $0 <= 32 }),
      window.strides.allSatisfy({ $0 <= 8 })
    else { return false }
    let patch = patch(window)
    let bytes = factors.size * slice * (stages * taps * m + patches * patch)
    // A work-item prefetches its part of the next patch into registers.
    let fetches = (patch * slice * factors.size / 16 + items - 1) / items
    return bytes <= min(localBytes, 49_152) && items <= most && fetches <= (window.isPointwise ? 8 : 5)
  }

  private func across(_ shape: CLConvolution.Shape) -> Int {
    let size = pixels(shape)
    return ((size[0] + height - 1) / height) * ((size[1] + width - 1) / width)
  }

  /// The output size as the kernel sees it: one row for 1 x 1 convolutions.
  func pixels(_ shape: CLConvolution.Shape) -> [Int] {
    shape.window.isPointwise ? [1, shape.window.outputArea] : shape.window.output
  }

  /// Work-groups for one image and one of the convolution's groups.
  func groups(_ shape: CLConvolution.Shape) -> Int { across(shape) * ((shape.outputsOfGroup + m - 1) / m) }

  func slices(_ shape: CLConvolution.Shape) -> Int { (shape.inputsOfGroup + slice - 1) / slice }

  /// The number of K-splits over the input channels. They are used if most compute units would be idle and each part
  /// has enough work.
  func parts(_ shape: CLConvolution.Shape, on device: OpenCLDevice) -> Int {
    let groups = groups(shape) * shape.images * shape.groups
    guard groups > 0, groups <= 4096, groups * 4 <= device.computeUnits, shape.depth >= 1024 else { return 1 }
    let slices = slices(shape)
    let share = slices / max(min(device.computeUnits / groups, slices / 2, 16), 1)
    // Every part must have work.
    return (slices + share - 1) / share
  }

  /// The share of the device's arithmetic that produces results. It is the part of the tiles inside of the result,
  /// times the share of compute units that have a tile.
  func use(_ shape: CLConvolution.Shape, parts: Int, on device: OpenCLDevice) -> Double {
    let work = Double(groups(shape)) * Double(shape.images * shape.groups * parts)
    let inside =
      Double(shape.outputsOfGroup * shape.window.outputArea) / (Double(groups(shape)) * Double(m * height * width))
    let depth = Double(shape.inputsOfGroup) / Double(slices(shape) * slice)
    return inside * depth * min(1, work / Double(max(device.computeUnits, 1)))
  }

  /// Element count of all weights in the kernel's layout.
  func packedCount(_ shape: CLConvolution.Shape) throws -> Int {
    try CLSizes.count(
      [shape.groups, (shape.outputsOfGroup + m - 1) / m * m, slices(shape) * slice] + shape.window.kernel, "conv")
  }

  func definitions(_ window: CLWindow) -> [String: String] {
    [
      "WARPS_M": "\(warpsM)", "WARPS_N": "\(warpsN)", "WARP_M": "\(warpM)", "WARP_N": "\(warpN)",
      "TILE_H": "\(height)", "TILE_W": "\(width)", "SLICE": "\(slice)", "PATCHES": "\(patches)",
      "ROUND_TAPS": "\(taps)", "STAGES": "\(stages)", "KERNEL_H": "\(window.kernel[0])",
      "KERNEL_W": "\(window.kernel[1])", "STRIDE_H": "\(window.strides[0])", "STRIDE_W": "\(window.strides[1])",
      "DILATION_H": "\(window.dilations[0])", "DILATION_W": "\(window.dilations[1])",
      "FLOATS": factors == .floats ? "1" : "0",
      "VECTOR": window.isPointwise && window.inputArea % 4 == 0 ? "4" : "1",
    ]
  }

  /// Launch sizes.
  func sizes(_ shape: CLConvolution.Shape, parts: Int) throws(KernelError) -> (global: [Int], local: [Int]) {
    let rows = (shape.outputsOfGroup + m - 1) / m
    guard rows <= 65_535 else {
      throw KernelError(.openCLLaunch, "a convolution to \(shape.outputs) channels: tiles are counted to 65,535")
    }
    return ([across(shape) * items, rows, min(shape.images * shape.groups * parts, 65_535)], [items, 1, 1])
  }
}
