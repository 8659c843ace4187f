import CKernels
import Foundation
import Testing

extension CKernelsTests {
  /// m, n and k on both sides of tiles, panels and blocks of k.
  static let products: [(Int, Int, Int)] = [
    (1, 1, 1), (3, 5, 7), (14, 32, 16), (15, 33, 17), (6, 16, 256), (29, 70, 257), (40, 9, 600), (8, 8, 0), (500, 3, 5),
  ]

  @Test("packed products, with bias on either axis and every kind of activation")
  func gemm() {
    var random = Random(107)
    for (number, (m, n, k)) in Self.products.enumerated() {
      let a = random.floats(max(m * k, 1)), b = random.floats(max(n * k, 1))
      let bias = random.floats(max(m, n)), ldc = n + 3
      let (op, alpha, beta, function) = Self.epilogues[number % Self.epilogues.count]
      for axis in [CK_BIAS_ROWS, CK_BIAS_COLUMNS] {
        let transposed = axis == CK_BIAS_COLUMNS  // weights [n, k], or B [k, n] and A [k, m]
        let expected = (0..<m * n).map { at -> Double in
          let (i, j) = (at / n, at % n)
          var sum = Double(bias[transposed ? j : i])
          for l in 0..<k {
            sum += Double(transposed ? a[i * k + l] : a[l * m + i]) * Double(transposed ? b[j * k + l] : b[l * n + j])
          }
          return function(sum)
        }
        withEachISA { isa in
          let tile = ck_gemm_tile_rows(), panel = ck_gemm_panel_columns()
          let tiles = (m + tile - 1) / tile, panels = (n + panel - 1) / panel
          let packedA = output(ck_gemm_packed_a_size(m, k), "\(isa) packed a") {
            ck_gemm_pack_a_f32(m, k, a, transposed ? k : 1, transposed ? 1 : m, $0)
          }
          let packedB = output(ck_gemm_packed_b_size(n, k), "\(isa) packed b") {
            let half = panels / 2  // the shares of two threads
            ck_gemm_pack_b_f32(k, n, b, transposed ? 1 : n, transposed ? k : 1, half, panels, $0)
            ck_gemm_pack_b_f32(k, n, b, transposed ? 1 : n, transposed ? k : 1, 0, half, $0)
          }
          let y = output((m - 1) * ldc + n, "\(isa) c") { c in
            bias.withUnsafeBufferPointer {
              var e = ck_epilogue(bias: $0.baseAddress, activation: op, alpha: alpha, beta: beta)
              for (t0, t1) in [(0, tiles / 2), (tiles / 2, tiles)] {
                for (p0, p1) in [(0, panels / 3), (panels / 3, panels)] {
                  ck_gemm_packed_f32(m, n, k, packedA, packedB, axis, &e, c, ldc, t0, t1, p0, p1)
                }
              }
            }
          }
          let rows = (0..<m).flatMap { i in (0..<n).map { y[i * ldc + $0] } }
          expectClose(rows, expected, relative: 1e-5, absolute: 5e-5, "\(isa) \(m) x \(n) x \(k) axis \(axis)")
          let between = (0..<m - 1).flatMap { i in (n..<ldc).map { y[i * ldc + $0] } }
          #expect(between.allSatisfy { $0 == canary }, "\(isa) \(m) x \(n): wrote between rows")
        }
      }
    }
  }

  @Test("convolution by packed products")
  func convGemm() {
    var random = Random(109)
    let more: [ck_window] = [
      Self.window(channels: (64, 20), input: [14, 14], kernel: [1, 1]),
      Self.window(channels: (40, 17), input: [13, 15], kernel: [3, 3], pad: [1]),  // several blocks of k
      Self.window(channels: (5, 30), input: [40, 23], kernel: [7, 7], stride: [2], pad: [3]),
      // more taps than have precomputed masks
      Self.window(channels: (2, 3), input: [30, 30], kernel: [13, 11], pad: [6, 5]),
      Self.window(channels: (3, 4), input: [2, 2], kernel: [3, 3], pad: [4]),
    ]
    for (number, w) in (Self.convolutions + more).enumerated() {
      let groupIn = w.in_channels / w.groups, groupOut = w.out_channels / w.groups
      let k = groupIn * Self.kernelSize(w)
      let x = random.floats(w.in_channels * Self.inPlane(w)), weights = random.floats(w.out_channels * k)
      let bias = random.floats(w.out_channels), biased = number % 4 != 1
      let plain = Self.convolution(w, x, weights, biased ? bias : nil)
      let (op, alpha, beta, function) = Self.epilogues[number % Self.epilogues.count]
      withEachISA { isa in
        let panel = ck_gemm_panel_columns(), panels = (Self.outPlane(w) + panel - 1) / panel
        var scratch = [Float](repeating: .nan, count: ck_conv_gemm_scratch_size())
        let y = output(plain.count, "\(isa) \(w)") { out in
          bias.withUnsafeBufferPointer { b in
            var e = ck_epilogue(bias: biased ? b.baseAddress : nil, activation: op, alpha: alpha, beta: beta)
            for group in 0..<w.groups {
              let filters = Array(weights[group * groupOut * k..<(group + 1) * groupOut * k])
              let packed = output(ck_gemm_packed_a_size(groupOut, k)) {
                ck_gemm_pack_a_f32(groupOut, k, filters, k, 1, $0)
              }
              withUnsafePointer(to: w) {
                ck_conv_gemm_f32($0, group, x, packed, &e, out, &scratch, panels / 2, panels)
                ck_conv_gemm_f32($0, group, x, packed, &e, out, &scratch, 0, panels / 2)
              }
            }
          }
        }
        expectClose(y, plain.map(function), relative: 1e-5, absolute: 5e-5, "\(isa) \(w)")
      }
    }
  }
}
