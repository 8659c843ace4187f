import CKernels
import MIL

/// A constant matrix as products of a few rows read it if it is not fp32 in memory, or must not be read as fp32. The
/// kernels widen it in registers and never expand it in memory.
struct StoredMatrix: Sendable {
  private enum Form: Sendable {
    case coded(QuantizedMatrix)
    case f16(F16Matrix)
    case brain(BF16Matrix)
  }

  private let form: Form
  private let width: Int
  private let isTransposed: Bool

  /// A weight that can be read this way, before anything is packed.
  struct Source: Sendable {
    private let weight: StoredWeight
    private let coded: QuantizedMatrix?
    private let isRounded: Bool
    private let width: Int
    private let isTransposed: Bool
    /// Bytes that a product reads.
    let byteCount: Int

    /// - Parameters:
    ///   - width: elements of a row of the matrix. The rows are the outputs if `isTransposed`, otherwise K.
    ///   - isRounded: whether to round the elements to bf16, whatever their type.
    init(_ weight: StoredWeight, width: Int, isTransposed: Bool, isRounded: Bool = false) throws {
      (self.weight, self.width, self.isTransposed, self.isRounded) = (weight, width, isTransposed, isRounded)
      if isRounded {
        guard weight.byteCount > 2 * weight.count else { throw Refusal("the weights are stored in two bytes or fewer") }
        (coded, byteCount) = (nil, 2 * weight.count)
        return
      }
      guard weight.floats == nil else { throw Refusal("the weights are fp32 in memory") }
      coded = isTransposed ? QuantizedMatrix(weight, columns: width) : nil
      guard coded != nil || F16Matrix.canHold(weight) else {
        throw Refusal("no kernel widens this encoding of the weights, and they are not fp16")
      }
      byteCount = coded == nil ? 2 * weight.count : weight.byteCount
    }

    func prepared(_ preparation: Preparation) throws -> StoredMatrix {
      let form: Form =
        if isRounded {
          .brain(try BF16Matrix(weight, preparation))
        } else {
          try coded.map { .coded($0) } ?? .f16(F16Matrix(weight, preparation))
        }
      return StoredMatrix(form: form, width: width, isTransposed: isTransposed)
    }
  }

  /// output[i, j] = bias[j] + x[i] times the weights of output j, for `count` outputs from `first` on. `bias` and
  /// `output` point to output `first`. Rows of `x` are `depth` apart, those of `output` are `columns` apart.
  func multiply(
    _ first: Int, _ count: Int, _ x: UnsafePointer<Float>, _ bias: UnsafePointer<Float>?,
    _ output: UnsafeMutablePointer<Float>, rows: Int, columns: Int, depth: Int
  ) {
    switch form {
    case .coded(let coded):
      coded.with { ck_gemv_quantized_f32($0, first, x, depth, bias, output, columns, rows, count, depth) }
    case .f16(let f16):
      withExtendedLifetime(f16) {
        if isTransposed {
          ck_gemv_f16w_f32(
            f16.pointer + first * width, width, x, depth, bias, output, columns, rows, count, depth)
        } else {
          ck_gemv_kn_f16w_f32(f16.pointer + first, width, x, depth, bias, output, columns, rows, count, depth)
        }
      }
    case .brain(let brain):
      withExtendedLifetime(brain) {
        if isTransposed {
          ck_gemv_bf16w_f32(
            brain.pointer + first * width, width, x, depth, bias, output, columns, rows, count, depth)
        } else {
          ck_gemv_kn_bf16w_f32(brain.pointer + first, width, x, depth, bias, output, columns, rows, count, depth)
        }
      }
    }
  }
}

/// A few rows times constant weights that are read as they are stored.
struct StoredLinear: Sendable {
  private let x: Int
  private let weight: Int
  private let source: StoredMatrix.Source
  private let rows: Int
  private let columns: Int
  private let depth: Int
  private let epilogue: Epilogue
  private let pieces: Chunks

  /// More rows are a matrix product, for which the weights are packed.
  static let maximumRows = 16

  private let efficiency: Double

  init(
    _ linear: LinearProblem, _ weights: StoredWeight, threads: Int, efficiency: Double? = nil, isRounded: Bool = false
  ) throws {
    guard linear.rows <= Self.maximumRows else {
      throw Refusal("more than \(Self.maximumRows) rows: a matrix product reads the weights less often")
    }
    (x, weight, rows, columns, depth) = (linear.x, linear.weight, linear.rows, linear.columns, linear.depth)
    epilogue = linear.epilogue
    source = try StoredMatrix.Source(
      weights, width: linear.isTransposed ? depth : columns, isTransposed: linear.isTransposed, isRounded: isRounded)
    pieces = Chunks(
      columns, about: RowProduct.pieces(columns: columns, depth: depth, threads: max(threads, 1)), multiple: 16)
    self.efficiency = efficiency ?? 0.1 * Double(min(rows, 4))
  }

  /// With weights rounded to bf16, which are half the bytes of fp32. Reading the weights bounds a product of a few
  /// rows.
  init(inLowPrecision problem: KernelProblem, _ linear: LinearProblem, _ weights: StoredWeight) throws {
    try PackedType.requireBF16Dot(problem, depth: linear.depth)
    try self.init(linear, weights, threads: problem.threads, isRounded: true)
  }

  var candidate: Candidate {
    let (rows, columns, depth) = (rows, columns, depth)
    let work = Work(
      flops: 2 * Double(rows) * Double(columns) * Double(depth),
      bytes: Double(source.byteCount) + 4 * Double(rows) * (Double(depth) + Double(columns)))
    return Candidate(efficiency: efficiency, packed: [weight], work: work) { preparation in
      let weights = try source.prepared(preparation)
      let product: @Sendable (Range<Int>, CPUFrame) -> Void = { range, frame in
        let first = range.lowerBound
        weights.multiply(
          first, range.count, frame.input(x), epilogue.bias(frame).advanced(first),
          frame.output(0, as: Float.self) + first,
          rows: rows, columns: columns, depth: depth)
        epilogue.finishRows(frame, rows: rows, columns: columns, range)
      }
      let together = WeightPass(columns: columns, depth: depth, byteCount: source.byteCount, product)
      return .cpu(
        { frame in
          frame.pool.run(pieces.count) { items in
            for item in items { product(pieces[item], frame) }
          }
        }, together: together)
    }
  }
}
