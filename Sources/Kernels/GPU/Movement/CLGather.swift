/// Selects elements by indices in device memory. The queue's `finish` throws if an index is outside of its axis.
package struct CLGather: Sendable {
  /// The OpenCL C type of the indices, and whether negative indices are invalid.
  package struct Indices: Sendable, Hashable {
    let type: String
    let size: Int
    let isStrict: Bool

    /// Throws for indices of other sizes than 1, 2 and 4 bytes, and for unsigned indices of 4 bytes.
    package init(size: Int = 4, isSigned: Bool = true, isStrict: Bool = false) throws(KernelError) {
      guard let name = [1: "char", 2: "short", 4: "int"][size], size < 4 || isSigned else {
        throw KernelError(.openCLLaunch, "indices of \(size) bytes\(isSigned ? "" : ", unsigned")")
      }
      type = isSigned ? name : "u\(name)"
      self.size = size
      self.isStrict = isStrict
    }
  }

  private let launch: OpenCLLaunch

  /// `y[batch][outer][p][inner] = x[batch][outer][indices[batch][p]][inner]`: MIL's `gather`. The dimensions of `x`
  /// before, between and after the batch and the axis are flattened. Each batch item has `picks` indices.
  package init(
    _ context: OpenCLContext, elementSize: Int, indices: Indices? = nil, batch: Int = 1, outer: Int, axis: Int,
    inner: Int, picks: Int
  ) throws {
    let counts = try [[batch, outer, axis, inner], [batch, picks], [batch, outer, picks, inner]].map {
      try CLSizes.count($0, "gather")
    }
    launch = try Self.launch(context, "gather", elementSize, indices ?? Indices(), counts, [:]) {
      $0.many([axis, max(picks, 1), max(inner, 1), max(outer, 1)])
    }
  }

  /// `y[outer][p][inner] = x[outer][indices[outer][p][inner]][inner]`: MIL's `gather_along_axis`.
  package init(
    _ context: OpenCLContext, elementSize: Int, indices: Indices? = nil, alongAxis axis: Int, outer: Int, inner: Int,
    picks: Int
  ) throws {
    let count = try CLSizes.count([outer, picks, inner], "gather_along_axis")
    let counts = [try CLSizes.count([outer, axis, inner], "gather_along_axis"), count, count]
    launch = try Self.launch(context, "gather_along", elementSize, indices ?? Indices(), counts, [:]) {
      $0.many([axis, max(picks, 1), max(inner, 1), max(outer, 1)])
    }
  }

  /// `y[batch][row][inner] = x[batch][indices[batch][row][0]]...[indices[batch][row][last]][inner]`: MIL's `gather_nd`.
  package init(
    _ context: OpenCLContext, elementSize: Int, indices: Indices? = nil, axes: [Int], batch: Int, rows: Int,
    inner: Int
  ) throws {
    guard !axes.isEmpty else { throw KernelError(.openCLLaunch, "gather_nd: indices without an axis") }
    let extent = try CLSizes.count(axes + [inner], "gather_nd")
    let counts = try [[batch, extent], [batch, rows, axes.count], [batch, rows, inner]].map {
      try CLSizes.count($0, "gather_nd")
    }
    let depth = ["DEPTH": "\(axes.count)"]
    launch = try Self.launch(context, "gather_nd", elementSize, indices ?? Indices(), counts, depth) {
      $0.many(axes + [extent, max(rows, 1), max(inner, 1)])
    }
  }

  /// `counts` are the element counts of x, the indices and y. `shape` returns the kernel's struct of sizes.
  private static func launch(
    _ context: OpenCLContext, _ name: String, _ elementSize: Int, _ indices: Indices, _ counts: [Int],
    _ definitions: [String: String], _ shape: (CLSizes) -> OpenCLParameter
  ) throws -> OpenCLLaunch {
    let index = CLSizes(counts[0], counts[1], counts[2])
    let own = [
      "INDEX": index.definition, "T": try clMoveType(elementSize), "PICK": indices.type,
      "STRICT": indices.isStrict ? "1" : "0",
    ]
    let kernel = try context.kernel(name, of: .embedded("move"), definitions.merging(own) { $1 })
    let size = CLElements(counts[2], kernel)
    return try kernel.launch(
      [
        .memory("x", count: counts[0], size: elementSize), .memory("indices", count: counts[1], size: indices.size),
        .memory("y", count: counts[2], size: elementSize), shape(index), index.one(counts[2]), .faults,
      ], global: [size.global], local: [size.local])
  }

  package func enqueue(on queue: OpenCLQueue, x: OpenCLMemory, indices: OpenCLMemory, y: OpenCLMemory) throws {
    try launch.enqueue(on: queue, x, indices, y)
  }
}
