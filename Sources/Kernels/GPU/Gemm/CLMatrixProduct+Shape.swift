extension CLMatrixProduct {
  package enum Bias: Int, Sendable {
    case none
    /// One element for each row of C.
    case rows
    /// One element for each column of C.
    case columns
  }

  /// A batch of products: the sizes of up to four dimensions, and the strides of each operand in elements. A stride is
  /// 0 where the operand repeats. C is packed.
  package struct Batch: Sendable, Hashable {
    package var sizes: [Int]
    package var a: [Int]
    package var b: [Int]
    package var bias: [Int]

    package init(sizes: [Int] = [], a: [Int] = [], b: [Int] = [], bias: [Int]? = nil) {
      self.sizes = sizes
      self.a = a
      self.b = b
      self.bias = bias ?? sizes.map { _ in 0 }
    }

    /// Leading dimensions of two tensors of matrices, broadcast against each other as in MIL's `matmul`. `matrixA` and
    /// `matrixB` are the element counts of one matrix.
    package init(a: [Int], matrixA: Int, b: [Int], matrixB: Int, output: [Int]) throws {
      let strides = [
        try CLWalk.broadcast(a, to: output, "matmul").map { $0 &* matrixA },
        try CLWalk.broadcast(b, to: output, "matmul").map { $0 &* matrixB },
      ]
      let walk = CLWalk(output, strides)
      self.init(sizes: walk.sizes, a: walk.strides[0], b: walk.strides[1])
    }
  }

  /// The operands: `a` is `m` by `k` (`k` by `m` with `transposeA`), `b` is `k` by `n` (`n` by `k` with `transposeB`).
  package struct Shape: Sendable, Hashable {
    package var m: Int
    package var n: Int
    package var k: Int
    package var transposeA: Bool
    package var transposeB: Bool
    package var batch: Batch
    package var bias: Bias

    package init(
      m: Int, n: Int, k: Int, transposeA: Bool = false, transposeB: Bool = false, batch: Batch = Batch(),
      bias: Bias = .none
    ) {
      (self.m, self.n, self.k) = (m, n, k)
      (self.transposeA, self.transposeB) = (transposeA, transposeB)
      (self.batch, self.bias) = (batch, bias)
    }

    var batches: Int { batch.sizes.reduce(1, *) }

    /// Element count of each operand. Throws for a shape that no kernel takes.
    func counts() throws -> (a: Int, b: Int, bias: Int, c: Int) {
      let rank = batch.sizes.count
      guard rank <= 4, [batch.a, batch.b, batch.bias].allSatisfy({ $0.count == rank && $0.allSatisfy { $0 >= 0 } })
      else { throw KernelError(.openCLLaunch, "matmul: a batch of \(batch.sizes), at most four dimensions are taken") }
      let batches = try CLSizes.count(batch.sizes, "matmul")
      return (
        try Self.extent(batch.sizes, batch.a, [m, k]), try Self.extent(batch.sizes, batch.b, [k, n]),
        try Self.extent(batch.sizes, batch.bias, [bias == .rows ? m : bias == .columns ? n : 0]),
        try CLSizes.count([batches, m, n], "matmul")
      )
    }

    /// Elements from the first to the last element of a batch of matrices, inclusive.
    private static func extent(_ sizes: [Int], _ strides: [Int], _ matrix: [Int]) throws -> Int {
      var extent = try CLSizes.count(matrix, "matmul")
      guard extent > 0, !sizes.contains(0) else { return 0 }
      for (size, stride) in zip(sizes, strides) {
        let (reach, overflow) = stride.multipliedReportingOverflow(by: size - 1)
        guard !overflow, reach <= 1 << 48 else {
          throw KernelError(.openCLLaunch, "matmul: a batch of \(sizes) with strides \(strides)")
        }
        extent += reach
      }
      return extent
    }
  }
}

extension CLMatrixProduct.Shape {
  private var hasOneBias: Bool { batch.bias.allSatisfy { $0 == 0 } }

  /// A product with one column is computed as one with one row, with swapped factors.
  var isSwappedAsVector: Bool { n == 1 && m > 1 && hasOneBias && bias != .columns }

  /// The reason why a kernel does not take the shape. Nil if it does.
  func refusal(of way: CLMatrixProduct.Way) -> String? {
    guard way == .vector else { return nil }
    if !hasOneBias { return "a bias of its own for each matrix" }
    if isSwappedAsVector { return nil }
    if transposeA, m > 1 { return "the first factor is transposed" }
    if bias == .rows { return "a bias for each row" }
    return m > 16 ? "\(m) rows: tiles read the second factor less often" : nil
  }

  /// The fraction of the device's arithmetic that a kernel reaches. Throws a `Refusal` for shapes that it does not
  /// take.
  ///
  /// The vector kernel does one multiply-add for each element of B that it reads. Neighboring rows find B in a cache,
  /// which has some four times the bandwidth of memory. Half an operation a byte at some 2 TB/s is a twentieth of a
  /// large GPU's arithmetic. For tiles, `CLTile` estimates the time.
  func efficiency(of way: CLMatrixProduct.Way, on device: OpenCLDevice) throws -> Double {
    if let reason = refusal(of: way) { throw Refusal(reason) }
    guard way == .tiles else { return 0.05 }
    return try Refusal.onLaunchError {
      _ = try counts()
      return try CLTile.efficiency(self, on: device)
    }
  }

  /// Least seconds of one work-group, however many run concurrently. Each slice of K of a tile waits for memory and a
  /// barrier, less than 0.5 µs on a large GPU. The work-items of the vector kernel read ahead without waiting.
  func latency(of way: CLMatrixProduct.Way, parts: Int, on device: OpenCLDevice) throws -> Double {
    guard way == .tiles else { return 1.5e-9 * Double(k) }
    let tile = try Refusal.onLaunchError { try CLTile(device, self, parts: parts) }
    return 0.4e-6 * Double(k) / Double(tile.k * parts)
  }

  /// The efficiency if work-groups may split K, and the number of K-splits.
  func sharing(of way: CLMatrixProduct.Way, on device: OpenCLDevice) throws -> (efficiency: Double, parts: Int) {
    let efficiency = try efficiency(of: way, on: device)
    guard way == .tiles else { return (efficiency, 1) }
    return try Refusal.onLaunchError { try CLTile.sharing(self, on: device) }
  }
}
