import CKernels
import MIL

/// A weight matrix of a recurrent layer: fp32 in memory, or fp16 if fp16 holds the weights exactly.
struct RecurrentMatrix: Sendable {
  let slot: Int
  /// The weight to convert to fp16.
  private let source: StoredWeight?
  private var f16: F16Matrix?

  init(_ problem: KernelProblem, _ name: String, readsF16: Bool = true) throws {
    slot = try problem.slot(name)
    let weight = problem.operands[slot].weight
    source = readsF16 && weight.map(F16Matrix.canHold) ?? false ? weight : nil
  }

  var isStored: Bool { source != nil }

  func prepared(_ preparation: Preparation) throws -> RecurrentMatrix {
    var result = self
    result.f16 = try source.map { try F16Matrix($0, preparation) }
    return result
  }

  /// y[i, j] = bias[j] + x[i] times row `first` + j of the matrix. Matrix rows have `width` elements; rows of `y` are
  /// `ld` apart.
  func multiply(
    _ frame: CPUFrame, _ first: Int, _ count: Int, width: Int, _ x: UnsafePointer<Float>,
    _ bias: UnsafePointer<Float>?, _ y: UnsafeMutablePointer<Float>, ld: Int, rows: Int
  ) {
    guard let f16 else {
      let floats: UnsafePointer<Float> = frame.input(slot)
      return ck_gemv_f32(floats + first * width, width, x, width, bias, y, ld, rows, count, width)
    }
    withExtendedLifetime(f16) {
      ck_gemv_f16w_f32(f16.pointer + first * width, width, x, width, bias, y, ld, rows, count, width)
    }
  }

  /// y[i, j] = beta y[i, j] + x[i] times row `first` + j of the matrix. A product of many rows. fp16 weights are
  /// widened to fp32 in `tile`, some rows at a time.
  func multiplyMany(
    _ frame: CPUFrame, _ first: Int, _ count: Int, width: Int, _ x: UnsafePointer<Float>,
    _ y: UnsafeMutablePointer<Float>, ld: Int, rows: Int, beta: Float, tile: UnsafeMutablePointer<Float>
  ) {
    guard let f16 else {
      let floats: UnsafePointer<Float> = frame.input(slot)
      return BLAS.multiply(
        x, lda: width, floats + first * width, ldb: width, transB: true, y, ldc: ld, m: rows, n: count, k: width,
        beta: beta)
    }
    withExtendedLifetime(f16) {
      let height = Self.tileRows(width: width)
      for start in stride(from: 0, to: count, by: height) {
        let lines = min(height, count - start)
        ck_f16_to_f32(f16.pointer + (first + start) * width, tile, lines * width)
        BLAS.multiply(
          x, lda: width, tile, ldb: width, transB: true, y + start, ldc: ld, m: rows, n: lines, k: width, beta: beta)
      }
    }
  }

  /// Rows of a tile: enough for an efficient product, few enough for the L2 cache.
  private static func tileRows(width: Int) -> Int { max(64, (1 << 15) / max(width, 1) / 16 * 16) }

  /// fp32 elements of a tile of a matrix of `rows` rows.
  static func tileFloats(rows: Int, width: Int) -> Int { (min(tileRows(width: width), rows) * width + 15) / 16 * 16 }
}
