/// Resizes images with lookup tables. All upsampling and resizing operations with independent rows and columns, nearest
/// or linear, differ only in the table. Images are `[plane][row][column]`.
package struct CLResample: Sendable {
  /// For each row (or column) of the output, the two adjacent input rows, and the distance from the first.
  package struct Axis: Sendable, Hashable {
    fileprivate let low: [Int32]
    fileprivate let high: [Int32]
    fileprivate let weights: [Float]
    fileprivate let size: Int

    /// Nearest neighbor. `indices` must be in `0..<size`.
    package init(nearest indices: [Int], size: Int) throws {
      guard (0...(1 << 30)).contains(size), indices.allSatisfy({ (0..<size).contains($0) }) else {
        throw KernelError(.openCLLaunch, "resample: an index is outside of \(size) pixels")
      }
      low = indices.map { Int32(clamping: $0) }
      high = low
      weights = [Float](repeating: 0, count: indices.count)
      self.size = size
    }

    /// Linear interpolation. Positions are in pixels and are clamped to the first and last pixel.
    package init(linear positions: [Double], size: Int) throws {
      guard (0...(1 << 30)).contains(size), positions.isEmpty || size > 0, positions.allSatisfy(\.isFinite) else {
        throw KernelError(.openCLLaunch, "resample: positions in \(size) pixels")
      }
      let inside = positions.map { min(max($0, 0), Double(max(size - 1, 0))) }
      low = inside.map { Int32($0.rounded(.down)) }
      high = low.map { min($0 + 1, Int32(clamping: max(size - 1, 0))) }
      weights = zip(inside, low).map { Float($0 - Double($1)) }
      self.size = size
    }

    fileprivate var isNearest: Bool { weights.allSatisfy { $0 == 0 } }
  }

  private let launch: OpenCLLaunch

  package init(_ context: OpenCLContext, planes: Int, rows: Axis, columns: Axis, f16: F16Operands = .none) throws {
    let counts = (
      x: try CLSizes.count([planes, rows.size, columns.size], "resample"),
      y: try CLSizes.count([planes, rows.low.count, columns.low.count], "resample")
    )
    let index = CLSizes(counts.x, counts.y)
    guard rows.low.count <= 1 << 29, columns.low.count <= 1 << 29 else {
      throw KernelError(.openCLLaunch, "resample: to \(rows.low.count) by \(columns.low.count) pixels")
    }
    let places = try context.makeBuffer(copying: rows.low + rows.high + columns.low + columns.high)
    let weights = try context.makeBuffer(copying: rows.weights + columns.weights)
    let isNearest = rows.isNearest && columns.isNearest
    let kernel = try context.kernel(
      "resample", of: .embedded("resample"),
      f16.definitions.merging(["INDEX": index.definition, "NEAREST": isNearest ? "1" : "0"]) { $1 })
    let sizes = [rows.size, columns.size, rows.low.count, columns.low.count]
    let size = CLElements(counts.y, kernel)
    launch = try kernel.launch(
      [f16.numbers("x", counts.x, .first), .whole(places), .whole(weights)]
        + [f16.numbers("y", counts.y, .result), index.one(counts.y)]
        + sizes.map { .int(Int32(clamping: $0)) }, global: [size.global], local: [size.local])
  }

  package func enqueue(on queue: OpenCLQueue, x: OpenCLMemory, y: OpenCLMemory) throws {
    try launch.enqueue(on: queue, x, y)
  }
}
