import CKernels
import Foundation
import Testing

extension Trait where Self == ConditionTrait {
  /// The processor supports bf16 products.
  static var needsLowPrecision: Self {
    .enabled(if: ck_low_precision_supported(), "the processor has no bf16 products")
  }
}

/// bf16 products equal products of the rounded values with fp32 accumulation.
extension CKernelsTests {
  /// Rounds to eight significant bits, ties to even.
  private static func rounded(_ x: Float) -> Float {
    let bits = x.bitPattern
    return Float(bitPattern: (bits &+ 0x7fff &+ (bits >> 16 & 1)) & 0xffff_0000)
  }

  @Test(
    "products of rows in low precision", .needsLowPrecision,
    arguments: [(1, 1, 1), (5, 33, 7), (29, 40, 130), (70, 96, 515), (3, 17, 64)])
  func lowPrecisionKernels(rows: Int, columns: Int, depth: Int) {
    var random = Random(401)
    let x = random.floats(rows * (depth + 3)), w = random.floats(columns * depth)
    let bias = random.floats(columns), add = random.floats(rows * columns)
    let expected = (0..<rows * columns).map { at -> Double in
      let (row, column) = (at / columns, at % columns)
      let sum = (0..<depth).reduce(0.0) {
        $0 + Double(Self.rounded(x[row * (depth + 3) + $1])) * Double(Self.rounded(w[column * depth + $1]))
      }
      return max(sum + Double(bias[column]) + Double(add[at]), 0)
    }
    withEachISA { isa in
      guard ck_low_precision_supported() else { return }
      let pairs = (depth + 1) / 2, units = ck_gemm_prepacked_units(columns)
      let weights = output(ck_gemm_prepacked_packed_weights_size(pairs, columns), "\(isa) weights") { target in
        for (first, last) in [(0, depth / 4 * 2), (depth / 4 * 2, depth)] where first < last {
          w.withUnsafeBufferPointer {
            guard let base = $0.baseAddress else { return }
            ck_gemm_prepacked_pack_weights_bf16(depth, columns, base + first, 1, depth, first, last, 0, units, target)
          }
        }
      }
      let packed = output(ck_gemm_prepacked_packed_size(rows, pairs), "\(isa) rows") {
        ck_gemm_prepacked_pack_bf16(x, depth + 3, rows, depth, 0, rows / 2, $0)
        ck_gemm_prepacked_pack_bf16(x, depth + 3, rows, depth, rows / 2, rows, $0)
      }
      let y = output(rows * columns, "\(isa) product") { out in
        bias.withUnsafeBufferPointer { b in
          var e = ck_epilogue(bias: b.baseAddress, activation: CK_UNARY_RELU, alpha: 0, beta: 0)
          for (begin, end) in [(0, rows / 3), (rows / 3, rows)] {
            ck_gemm_prepacked_product_bf16_f32(
              rows, columns, depth, 0, depth, packed, weights, &e, add, columns, out, columns, begin, end, 0, units)
          }
        }
      }
      expectClose(y, expected, relative: 1e-5, absolute: 1e-4, "\(isa) \(rows) x \(columns) x \(depth)")
    }
  }

  @Test("convolution in low precision", .needsLowPrecision)
  func lowPrecisionConvolution() {
    var random = Random(409)
    var taken = 0
    for (number, w) in Self.blockShapes.enumerated() where w.groups == 1 {
      let filter = w.in_channels * Self.kernelSize(w), (plane, inPlane) = (Self.outPlane(w), Self.inPlane(w))
      let x = random.floats(w.in_channels * inPlane), weights = random.floats(w.out_channels * filter)
      let bias = random.floats(w.out_channels), add = random.floats(w.out_channels * plane)
      let plain = zip(Self.convolution(w, x.map(Self.rounded), weights.map(Self.rounded), bias), add).map {
        $0 + Double($1)
      }
      let (op, alpha, beta, function) = Self.epilogues[number % Self.epilogues.count]
      withEachISA { isa in
        var w = w
        guard ck_low_precision_supported(), ck_block_conv_supports(&w, false) else { return }
        taken += 1
        let (units, rows, size) = (ck_block_conv_units(&w), w.out_h, ck_block_size())
        let packed = output(ck_block_conv_bf16_packed_size(&w), "\(isa) packed") { target in
          for unit in 0..<units {
            let first = ck_block_conv_unit_channel(&w, unit)
            weights.withUnsafeBufferPointer {
              guard let base = $0.baseAddress else { return }
              ck_block_conv_pack_bf16(&w, base + first * filter, filter, unit, unit + 1, target)
            }
          }
        }
        let input = Self.blocked(x, channels: w.in_channels, plane: inPlane)
        let blocks = ((w.in_channels + 1) / 2 + size - 1) / size
        let pairs = output(blocks * size * inPlane, "\(isa) pairs") {
          ck_block_interleave_bf16(input, w.in_channels, inPlane, $0, 0, blocks / 2)
          ck_block_interleave_bf16(input, w.in_channels, inPlane, $0, blocks / 2, blocks)
        }
        let sum = Self.blocked(add, channels: w.out_channels, plane: plane)
        var scratch = [Float](repeating: .nan, count: ck_block_conv_bf16_scratch_size(&w) + 1)
        let y = output(sum.count, "\(isa) \(w)") { out in
          bias.withUnsafeBufferPointer { b in
            var e = ck_epilogue(bias: b.baseAddress, activation: op, alpha: alpha, beta: beta)
            for (u0, u1) in [(0, units / 2), (units / 2, units)] {
              for (r0, r1) in [(rows / 3, rows), (0, rows / 3)] {
                ck_block_conv_bf16_f32(&w, pairs, packed, &e, sum, out, &scratch, u0, u1, r0, r1)
              }
            }
          }
        }
        expectClose(
          Self.dense(y, channels: w.out_channels, plane: plane), plain.map(function), relative: 1e-5, absolute: 2e-4,
          "\(isa) \(w)")
      }
    }
    #expect(taken > 10, "most shapes are taken")
  }

  /// Queries, keys and values are rounded in advance, so that the kernel only rounds the attention weights.
  @Test(
    "attention in low precision", .needsLowPrecision,
    arguments: [(1, 1, 1, 1), (5, 9, 8, 16), (33, 71, 21, 37), (60, 131, 64, 64), (3, 700, 40, 8)])
  func lowPrecisionAttention(queries: Int, keys: Int, depth: Int, width: Int) {
    var random = Random(419)
    let mask = random.floats(queries * keys)
    for isTurned in [false, true] {
      func matrix(_ rows: Int, _ columns: Int) -> (numbers: [Float], steps: ck_strides) {
        let steps = isTurned ? ck_strides(row: 1, column: rows + 1) : ck_strides(row: columns + 3, column: 1)
        return (random.floats((rows + 3) * (columns + 3)).map(Self.rounded), steps)
      }
      let (q, k, v) = (matrix(queries, depth), matrix(keys, depth), matrix(keys, width))
      func at(_ from: (numbers: [Float], steps: ck_strides), _ row: Int, _ column: Int) -> Double {
        Double(from.numbers[row * from.steps.row + column * from.steps.column])
      }
      for isMasked in [false, true] {
        let expected = (0..<queries).flatMap { i -> [Double] in
          let scores = (0..<keys).map { j in
            (0..<depth).reduce(0.0) { $0 + at(q, i, $1) * at(k, j, $1) } * 0.25
              + (isMasked ? Double(mask[i * keys + j]) : 0)
          }
          let most = scores.max() ?? 0, shares = scores.map { exp($0 - most) }, sum = shares.reduce(0, +)
          return (0..<width).map { c in (0..<keys).reduce(0.0) { $0 + shares[$1] * at(v, $1, c) } / sum }
        }
        withEachISA { isa in
          guard ck_low_precision_supported() else { return }
          var head = ck_attention(
            queries: queries, keys: keys, depth: depth, width: width, query: q.steps, key: k.steps, value: v.steps,
            out: ck_strides(row: width, column: 1), scale: 0.25)
          let packed = output(ck_attention_bf16_packed_size(&head), "\(isa) packed") {
            ck_attention_pack_bf16(&head, k.numbers, v.numbers, $0)
          }
          var scratch = [Float](repeating: .nan, count: ck_attention_bf16_scratch_size(&head))
          let y = output(queries * width, "\(isa) attention") { out in
            mask.withUnsafeBufferPointer { m in
              guard let numbers = m.baseAddress else { return }
              let masks = [ck_score_mask(numbers: numbers, row: keys, replaces: false)]
              for (begin, end) in [(queries / 2, queries), (0, queries / 2)] {
                ck_attention_bf16_f32(&head, q.numbers, packed, masks, isMasked ? 1 : 0, out, &scratch, begin, end)
              }
            }
          }
          expectClose(
            y, expected, relative: 1e-3, absolute: 2.1e-3 * Double(v.numbers.map(abs).max() ?? 1),
            "\(isa) \(queries) x \(keys) x \(depth) turned \(isTurned) masked \(isMasked)")
        }
      }
    }
  }
}
