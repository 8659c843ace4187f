/// Samples images at known positions: MIL's `affine`, `resample` and `crop_resize` with constant positions.
struct CLSample: Sendable {
  private let launch: OpenCLLaunch

  /// `size` is that of x, [images, channels, height, width]. `area` is the number of pixels of each output plane.
  init(_ context: OpenCLContext, _ taps: ImageTaps, size: [Int], area: Int, f16: F16Operands = .none) throws {
    guard size.count == 4, size.allSatisfy({ $0 > 0 }), size[2] <= 1 << 30, size[3] <= 1 << 30,
      size[2] * size[3] <= 1 << 30, taps.images.allSatisfy({ (0..<size[0]).contains($0) })
    else { throw KernelError(.openCLLaunch, "sample: images of \(size)") }
    let plane = size[2] * size[3]
    let pixels = try CLSizes.count([taps.images.count, area, ImageTaps.count], "sample")
    guard taps.places.count == pixels, taps.weights.count == pixels,
      taps.places.allSatisfy({ (-2..<plane).contains($0) })
    else { throw KernelError(.openCLLaunch, "sample: \(taps.places.count) places for \(pixels)") }
    let counts = (
      x: try CLSizes.count(size, "sample"), y: try CLSizes.count([taps.images.count, size[1], area], "sample")
    )
    let index = CLSizes(counts.x, counts.y, pixels)
    let buffers = [
      try context.makeBuffer(copying: taps.images.map { Int32(clamping: $0) }),
      try context.makeBuffer(copying: taps.places.map { Int32(clamping: $0) }),
      try context.makeBuffer(copying: taps.weights.map { Float($0) }),
    ]
    launch = try context.each(
      "sample", of: "sample", f16.definitions, index, count: counts.y,
      [f16.numbers("x", counts.x, .first)] + buffers.map { .whole($0) } + [
        f16.numbers("y", counts.y, .result), index.one(plane), index.one(size[1]), index.one(max(area, 1)),
        .float(Float(taps.outside)), index.one(counts.y),
      ])
  }

  func enqueue(on queue: OpenCLQueue, x: OpenCLMemory, y: OpenCLMemory) throws { try launch.enqueue(on: queue, x, y) }
}
