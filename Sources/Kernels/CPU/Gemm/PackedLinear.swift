import CKernels
import MIL

/// Rows times constant weights that are packed once, as fp16 if fp16 holds them exactly. Rows are read in place, or
/// packed at each run (`GemmTiling`). In low precision both operands are bf16 pairs, which need half as many 32-bit
/// lanes. Quantized inputs with int8 weights use groups of four int8 values.
struct PackedLinear: Sendable {
  private let x: Int
  private let weight: Int
  private let weights: StoredWeight
  private let numbers: PackedType
  private let isTransposed: Bool
  private let rows: Int
  private let columns: Int
  private let depth: Int
  private let epilogue: Epilogue
  /// Set if both operands are int8.
  private let whole: Int8Gemm?
  private let strips: GemmTiling

  init(_ problem: KernelProblem, _ linear: LinearProblem, _ weights: StoredWeight, inLowPrecision: Bool = false) throws
  {
    if inLowPrecision { try PackedType.requireBF16Dot(problem, depth: linear.depth) }
    guard inLowPrecision || CodedLinear.matrix(linear, weights) == nil else {
      throw Refusal("the weights are decoded tile by tile, without a copy")
    }
    try self.init(problem, linear, weights, inLowPrecision ? .bf16 : F16Matrix.canHold(weights) ? .f16 : .floats, nil)
  }

  /// The int8 product.
  init(_ problem: KernelProblem, _ linear: LinearProblem, _ whole: Int8Gemm) throws {
    guard linear.isTransposed else { throw Refusal("the weights of an output are not contiguous") }
    try self.init(problem, linear, whole.weights, .int8, whole)
  }

  private init(
    _ problem: KernelProblem, _ linear: LinearProblem, _ weights: StoredWeight, _ numbers: PackedType,
    _ whole: Int8Gemm?
  ) throws {
    guard linear.rows > 4 else { throw Refusal("a few rows: reading the weights is all there is to do") }
    (x, weight, self.weights, isTransposed) = (linear.x, linear.weight, weights, linear.isTransposed)
    (self.numbers, self.whole) = (numbers, whole)
    (rows, columns, depth, epilogue) = (linear.rows, linear.columns, linear.depth, linear.epilogue)
    strips = GemmTiling(
      rows: rows, columns: columns, depth: numbers.count(depth),
      apart: numbers == .floats || numbers == .f16 ? depth : nil, isWhole: numbers == .int8,
      threads: max(problem.threads, 1))
  }

  var candidate: Candidate {
    func share(_ size: Int, _ cost: Double) -> Double { Double(size) / (Double(size) + cost) }
    let efficiency = 0.95 * share(rows, 2) * share(numbers.count(depth), 8) * share(columns, 8)
    let add = epilogue.add
    let (m, n, k) = (Double(rows), Double(columns), Double(numbers.count(depth)))
    let work = Work(flops: 2 * m * n * k * numbers.multiplication, bytes: 4 * (m * (k + n) + k * n))
    let widened = numbers == .f16 ? ck_gemm_prepacked_widened_size(depth) : 0
    return Candidate(
      efficiency: efficiency, scratchBytes: (strips.scratchFloats + strips.threads * widened) * 4,
      inPlace: add.map { [$0] } ?? [], packed: [weight],
      work: numbers == .bf16 || numbers == .int8 ? work : nil
    ) { preparation in
      let packed = try PackedWeights.columns(
        weights, depth: depth, columns: columns, transposed: isTransposed, as: numbers, preparation)
      let sums = try whole?.sums()
      return .cpu { run($0, packed, sums, widened) }
    }
  }

  private func run(_ frame: CPUFrame, _ packed: PackedWeights, _ sums: Int8Gemm.Sums?, _ widenedFloats: Int) {
    let input: UnsafePointer<Float> = frame.input(x)
    let output: UnsafeMutablePointer<Float> = frame.output()
    let add = epilogue.add(frame)
    let scratch = frame.scratch.assumingMemoryBound(to: Float.self)
    strips.run(frame.pool, scratch) { strip, rows, places, target in
      pack(strip, rows, numbers.numbers(in: places, of: depth), input, target)
    } multiply: { strip, across, places, left, worker in
      var finish = epilogue.withoutResidual(frame)
      let room = scratch + strips.scratchFloats + worker * widenedFloats
      let along = numbers.numbers(in: places, of: depth)
      let x = left ?? UnsafePointer(input + strip.lowerBound * depth + along.lowerBound)
      multiply(strip, across, along, x, left == nil ? depth : 0, packed, room, sums, &finish, add, output)
    }
  }

  private func pack(
    _ range: Range<Int>, _ rows: Range<Int>, _ along: Range<Int>, _ input: UnsafePointer<Float>,
    _ target: UnsafeMutablePointer<Float>
  ) {
    let first = input + range.lowerBound * depth + along.lowerBound
    if let whole {
      ck_gemm_prepacked_pack_i8(
        first, depth, range.count, along.count, whole.inverse, whole.low, rows.lowerBound, rows.upperBound, target)
    } else if numbers == .bf16 {
      ck_gemm_prepacked_pack_bf16(first, depth, range.count, along.count, rows.lowerBound, rows.upperBound, target)
    } else {
      ck_gemm_prepacked_pack_f32(first, depth, range.count, along.count, 1, rows.lowerBound, rows.upperBound, target)
    }
  }

  private func multiply(
    _ range: Range<Int>, _ across: Range<Int>, _ along: Range<Int>, _ left: UnsafePointer<Float>, _ apart: Int,
    _ packed: PackedWeights, _ room: UnsafeMutablePointer<Float>, _ sums: Int8Gemm.Sums?,
    _ finish: inout ck_epilogue,
    _ add: UnsafePointer<Float>?,
    _ output: UnsafeMutablePointer<Float>
  ) {
    let place = range.lowerBound * columns
    let sum = add.advanced(place)
    let target = output + place
    switch numbers {
    case .floats:
      ck_gemm_prepacked_product_f32(
        range.count, columns, depth, along.lowerBound, along.upperBound, left, apart, packed.pointer, &finish, sum,
        columns, target, columns, 0, range.count, across.lowerBound, across.upperBound)
    case .f16:
      ck_gemm_prepacked_product_f16w_f32(
        range.count, columns, depth, along.lowerBound, along.upperBound, left, apart, packed.f16, room, &finish, sum,
        columns, target, columns, 0, range.count, across.lowerBound, across.upperBound)
    case .bf16:
      ck_gemm_prepacked_product_bf16_f32(
        range.count, columns, depth, along.lowerBound, along.upperBound, left, packed.pointer, &finish, sum, columns,
        target, columns, 0, range.count, across.lowerBound, across.upperBound)
    case .int8:
      sums?.with {
        ck_gemm_prepacked_product_i8_f32(
          range.count, columns, depth, left, packed.pointer, $0, &finish, sum, columns, target, columns, 0, range.count,
          across.lowerBound, across.upperBound)
      }
    }
  }
}
