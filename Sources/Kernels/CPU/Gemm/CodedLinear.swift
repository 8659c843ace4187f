import CKernels
import MIL

/// Many rows times constant weights of 4-bit codes, which are the file's own bytes. Each thread decodes the weights of a
/// few columns and one K block at a time, and multiplies a strip of rows by them (`GemmTiling`). No copy of the weights is
/// kept. Results equal those of packed weights.
struct CodedLinear: Sendable {
  private let x: Int
  private let weight: Int
  private let matrix: QuantizedMatrix
  private let byteCount: Int
  private let rows: Int
  private let columns: Int
  private let depth: Int
  private let epilogue: Epilogue
  private let strips: GemmTiling

  init(_ problem: KernelProblem, _ linear: LinearProblem, _ weights: StoredWeight) throws {
    guard linear.rows > StoredLinear.maximumRows else {
      throw Refusal("\(StoredLinear.maximumRows) rows or fewer: a matrix-vector product reads the codes in place")
    }
    guard let matrix = Self.matrix(linear, weights) else {
      throw Refusal("no kernel decodes this encoding of the weights tile by tile")
    }
    (x, weight, self.matrix, byteCount) = (linear.x, linear.weight, matrix, weights.byteCount)
    (rows, columns, depth, epilogue) = (linear.rows, linear.columns, linear.depth, linear.epilogue)
    strips = GemmTiling(
      rows: rows, columns: columns, depth: depth, apart: depth, threads: max(problem.threads, 1))
  }

  /// The codes, if the product decodes them tile by tile.
  static func matrix(_ linear: LinearProblem, _ weights: StoredWeight) -> QuantizedMatrix? {
    guard linear.rows > StoredLinear.maximumRows, linear.isTransposed,
      let matrix = QuantizedMatrix(weights, columns: linear.depth), matrix.isDecodedByTiles
    else { return nil }
    return matrix
  }

  var candidate: Candidate {
    func share(_ size: Int, _ cost: Double) -> Double { Double(size) / (Double(size) + cost) }
    // Decoding takes as long as multiplying six more rows, as measured.
    let efficiency = 0.95 * share(rows, 8) * share(depth, 8) * share(columns, 8)
    let add = epilogue.add
    let (m, n, k) = (Double(rows), Double(columns), Double(depth))
    let decodedFloats = (ck_gemm_prepacked_decoded_size(depth) + 15) / 16 * 16
    return Candidate(
      efficiency: efficiency, scratchBytes: (strips.scratchFloats + strips.threads * decodedFloats) * 4,
      inPlace: add.map { [$0] } ?? [], packed: [weight],
      work: Work(flops: 2 * m * n * k, bytes: 4 * m * (k + n) + Double(byteCount))
    ) { _ in
      .cpu { run($0, decodedFloats) }
    }
  }

  private func run(_ frame: CPUFrame, _ decodedFloats: Int) {
    let input: UnsafePointer<Float> = frame.input(x)
    let output: UnsafeMutablePointer<Float> = frame.output()
    let add = epilogue.add(frame)
    let scratch = frame.scratch.assumingMemoryBound(to: Float.self)
    matrix.with { codes in
      strips.run(frame.pool, scratch) { strip, rows, along, target in
        ck_gemm_prepacked_pack_f32(
          input + strip.lowerBound * depth + along.lowerBound, depth, strip.count, along.count, 1, rows.lowerBound,
          rows.upperBound, target)
      } multiply: { strip, across, along, packed, worker in
        var finish = epilogue.withoutResidual(frame)
        let (place, decoded) = (strip.lowerBound * columns, scratch + strips.scratchFloats + worker * decodedFloats)
        ck_gemm_prepacked_product_quantized_f32(
          strip.count, columns, depth, along.lowerBound, along.upperBound,
          packed ?? UnsafePointer(input + strip.lowerBound * depth + along.lowerBound), packed == nil ? depth : 0,
          codes,
          decoded, &finish, add.advanced(place), columns, output + place, columns, 0, strip.count, across.lowerBound,
          across.upperBound)
      }
    }
  }
}
