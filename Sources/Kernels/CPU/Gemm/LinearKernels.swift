import CKernels
import MIL

enum LinearKernels {
  static let all: [KernelImplementation] = [
    KernelImplementation("linear.stored", for: ["linear", "fused.linear"]) { problem in
      try StoredLinear(LinearProblem(problem), problem.weight("weight"), threads: problem.threads).candidate
    },
    KernelImplementation("linear.stored.bf16", for: ["linear", "fused.linear"]) { problem in
      try StoredLinear(inLowPrecision: problem, LinearProblem(problem), problem.weight("weight")).candidate
    },
    KernelImplementation("linear.gemv", for: ["linear", "fused.linear"]) { problem in
      let linear = try LinearProblem(problem)
      guard linear.rows <= 16 else { throw Refusal("more than 16 rows: a matrix product reads the weights less often") }
      let pieces = Chunks(
        linear.columns,
        about: RowProduct.pieces(columns: linear.columns, depth: linear.depth, threads: max(problem.threads, 1)),
        multiple: 16)
      let product: @Sendable (Range<Int>, CPUFrame) -> Void = { range, frame in
        let product = RowProduct(
          x: frame.input(linear.x), weight: frame.input(linear.weight),
          ldw: linear.isTransposed ? linear.depth : linear.columns, isTransposed: linear.isTransposed,
          output: frame.output(), rows: linear.rows, columns: linear.columns, depth: linear.depth)
        product.run(range, linear.epilogue, frame)
      }
      return .cpu(
        efficiency: 0.1 * Double(min(linear.rows, 4)),
        together: WeightPass(
          columns: linear.columns, depth: linear.depth, byteCount: 4 * linear.columns * linear.depth, product)
      ) { frame in
        frame.pool.run(pieces.count) { items in
          for item in items { product(pieces[item], frame) }
        }
      }
    },
    KernelImplementation("linear.coded", for: ["linear", "fused.linear"]) {
      try CodedLinear($0, LinearProblem($0), $0.weight("weight")).candidate
    },
    KernelImplementation("linear.packed", for: ["linear", "fused.linear"]) {
      try PackedLinear($0, LinearProblem($0), $0.weight("weight")).candidate
    },
    KernelImplementation("linear.packed.bf16", for: ["linear", "fused.linear"]) {
      try PackedLinear($0, LinearProblem($0), $0.weight("weight"), inLowPrecision: true).candidate
    },
    KernelImplementation("linear.packed.int8", for: "fused.linear") {
      let linear = try LinearProblem($0)
      return try PackedLinear($0, linear, Int8Gemm($0, outputs: linear.columns, depth: linear.depth)).candidate
    },
    KernelImplementation("linear.gemm", for: ["linear", "fused.linear"]) { problem in
      let linear = try LinearProblem(problem)
      guard linear.rows > 1 else { throw Refusal("one row: reading the weights is all there is to do") }
      return linear.productCandidate(threads: max(problem.threads, 1))
    },
  ]
}

/// x [rows, depth] times a weight matrix, in fp32.
struct LinearProblem: Sendable {
  let x: Int
  let weight: Int
  /// Whether the weights are [columns, depth].
  let isTransposed: Bool
  let rows: Int
  let columns: Int
  let depth: Int
  let epilogue: Epilogue

  init(x: Int, weight: Int, isTransposed: Bool, rows: Int, columns: Int, depth: Int, epilogue: Epilogue) {
    (self.x, self.weight, self.isTransposed, self.epilogue) = (x, weight, isTransposed, epilogue)
    (self.rows, self.columns, self.depth) = (rows, columns, depth)
  }

  init(_ problem: KernelProblem) throws {
    try problem.requireScalar(.float32, of: ["x", "weight", "bias", "add"])
    x = try problem.slot("x")
    weight = try problem.slot("weight")
    isTransposed = try problem.invocation.bool("transpose_weight", default: true)
    let sizes = try problem.sizes("weight")
    columns = sizes[isTransposed ? 0 : 1]
    depth = sizes[isTransposed ? 1 : 0]
    rows = try problem.sizes("x").dropLast().reduce(1, *)
    epilogue = try Epilogue(problem)
    try Refusal.unlessProduct(rows, columns, depth)
  }

  /// `matmul` whose second operand is one matrix.
  init(matmul problem: KernelProblem) throws {
    try problem.requireScalar(.float32, of: ["x", "y"])
    let product = try MatrixProduct.Matmul(problem.invocation)
    let sizes = try problem.sizes("y")
    guard sizes.count == 2, !product.transposeX, let columns = product.columns.value, let depth = product.depth.value
    else {
      throw Refusal("'y' is not one matrix, or 'x' is transposed")
    }
    (x, weight, isTransposed) = (try problem.slot("x"), try problem.slot("y"), product.transposeY)
    (self.columns, self.depth) = (columns, depth)
    rows = try problem.sizes("x").dropLast().reduce(1, *)
    epilogue = try Epilogue(problem)
    try Refusal.unlessProduct(rows, columns, depth)
  }

  /// Tiles of the product. Each tile starts with the bias or the residual input and ends with the activation.
  func productCandidate(threads: Int) -> Candidate {
    let down = Chunks(rows, about: threads == 1 ? 1 : min(2 * threads, (rows + 63) / 64), multiple: 16)
    let missing = threads == 1 ? 1 : (2 * threads + down.count - 1) / down.count
    let across = Chunks(columns, about: min(missing, (columns + 63) / 64), multiple: 16)
    // With few rows, packing the weights costs more than it saves.
    let efficiency = 0.95 * Double(rows) / Double(rows + 22) * BLAS.efficiency(m: 1 << 20, n: columns, k: depth) / 0.85
    return .cpu(efficiency: efficiency) { frame in
      let input: UnsafePointer<Float> = frame.input(x)
      let weights: UnsafePointer<Float> = frame.input(weight)
      let output: UnsafeMutablePointer<Float> = frame.output()
      let bias = epilogue.bias(frame)
      let add = epilogue.add(frame)
      frame.pool.run(down.count * across.count) { items in
        for item in items {
          let (row, column) = (down[item / across.count], across[item % across.count])
          let offset = row.lowerBound * columns + column.lowerBound
          for index in 0..<row.count {
            let target = output + offset + index * columns
            if let add { target.update(from: add + offset + index * columns, count: column.count) }
            guard let bias else { continue }
            if add == nil {
              target.update(from: bias + column.lowerBound, count: column.count)
            } else {
              var (length, one) = (column.count, 1)
              _ = ck_binary_f32(CK_BINARY_ADD, target, bias + column.lowerBound, target, 1, &length, &one, &one)
            }
          }
          BLAS.multiply(
            input + row.lowerBound * depth, lda: depth,
            weights + column.lowerBound * (isTransposed ? depth : 1), ldb: isTransposed ? depth : columns,
            transB: isTransposed, output + offset, ldc: columns, m: row.count, n: column.count, k: depth,
            beta: bias == nil && add == nil ? 0 : 1)
          for index in 0..<row.count { epilogue.activate(output + offset + index * columns, column.count) }
        }
      }
    }
  }
}

/// A few rows times a weight matrix, for a range of columns. The weights are read once for every four rows.
struct RowProduct {
  let x: UnsafePointer<Float>
  let weight: UnsafePointer<Float>
  let ldw: Int
  let isTransposed: Bool
  let output: UnsafeMutablePointer<Float>
  let rows: Int
  let columns: Int
  let depth: Int

  /// The number of chunks of columns. Each chunk takes at least some microseconds.
  static func pieces(columns: Int, depth: Int, threads: Int) -> Int {
    threads == 1 ? 1 : max(min(4 * threads, Int(Double(columns) * Double(depth) / 65536)), 1)
  }

  func run(_ range: Range<Int>, _ epilogue: Epilogue, _ frame: CPUFrame) {
    let (first, count) = (range.lowerBound, range.count)
    let bias = epilogue.bias(frame).map { $0 + first }
    if isTransposed {
      ck_gemv_f32(weight + first * ldw, ldw, x, depth, bias, output + first, columns, rows, count, depth)
    } else {
      ck_gemv_kn_f32(weight + first, ldw, x, depth, bias, output + first, columns, rows, count, depth)
    }
    epilogue.finishRows(frame, rows: rows, columns: columns, range)
  }
}
