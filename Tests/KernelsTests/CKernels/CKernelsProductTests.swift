import CKernels
import Foundation
import Testing

extension CKernelsTests {
  @Test("products of a few rows with f32, f16, int8 and 4-bit weights")
  func gemv() {
    var random = Random(89)
    for (m, n, k) in [(1, 1, 1), (1, 5, 3), (1, 9, 16), (2, 6, 33), (3, 4, 70), (4, 13, 128), (7, 5, 19), (1, 3, 0)] {
      let ldw = k + k % 2 + 2, ldx = k + 1, ldy = n + 2
      let w = random.floats(n * ldw), x = random.floats(m * ldx + 1), bias = random.floats(n), scale = random.floats(n)
      let zero = random.ints(n, in: -20...20).map { Int8($0) }
      let bytes = random.ints(n * ldw, in: -128...127).map { Int8($0) }
      let nibbles = random.ints(n * ldw / 2 + 1, in: 0...255).map { UInt8($0) }, table = random.floats(16)
      let halves = w.map { Self.halfBits(Double($0)) }
      for biased in [true, false] {
        func expected(_ weight: (Int, Int) -> Double) -> [Double] {
          (0..<m * n).map { at -> Double in
            var sum = biased ? Double(bias[at % n]) : 0
            for l in 0..<k { sum += Double(x[at / n * ldx + l]) * weight(at % n, l) }
            return sum
          }
        }
        withEachISA { isa in
          func run(_ kernel: (UnsafePointer<Float>?, UnsafeMutablePointer<Float>) -> Void) -> [Float] {
            bias.withUnsafeBufferPointer { b in
              let y = output((m - 1) * ldy + n) { kernel(biased ? b.baseAddress : nil, $0) }
              return (0..<m).flatMap { i in (0..<n).map { y[i * ldy + $0] } }
            }
          }
          let label = "\(isa) \(m) x \(n) x \(k)"
          expectClose(
            run { ck_gemv_f32(w, ldw, x, ldx, $0, $1, ldy, m, n, k) }, expected { Double(w[$0 * ldw + $1]) },
            relative: 1e-5, absolute: 1e-5, "f32 \(label)")
          expectClose(
            run { ck_gemv_f16w_f32(halves, ldw, x, ldx, $0, $1, ldy, m, n, k) },
            expected { Self.halfValue(halves[$0 * ldw + $1]) }, relative: 1e-5, absolute: 1e-5, "f16 \(label)")
          expectClose(
            run { ck_gemv_i8w_f32(bytes, ldw, scale, zero, x, ldx, $0, $1, ldy, m, n, k) },
            expected { (Double(bytes[$0 * ldw + $1]) - Double(zero[$0])) * Double(scale[$0]) }, relative: 1e-5,
            absolute: 2e-3, "i8 \(label)")
          expectClose(
            run { ck_gemv_i8w_f32(bytes, ldw, scale, nil, x, ldx, $0, $1, ldy, m, n, k) },
            expected { Double(bytes[$0 * ldw + $1]) * Double(scale[$0]) }, relative: 1e-5, absolute: 2e-3,
            "i8 without zero point \(label)")
          expectClose(
            run { ck_gemv_lut4_f32(nibbles, ldw, table, x, ldx, $0, $1, ldy, m, n, k) },
            expected { j, l in
              let at = j * ldw + l
              return Double(table[Int(nibbles[at / 2] >> UInt8(at % 2 * 4) & 15)])
            }, relative: 1e-5, absolute: 1e-5, "4-bit \(label)")
        }
      }
    }
  }

  @Test("products of a few rows with weights [k, n]")
  func gemvColumns() {
    var random = Random(97)
    for (m, n, k) in [(1, 1, 1), (1, 300, 7), (2, 35, 9), (3, 16, 5), (4, 70, 11), (6, 131, 3), (1, 4, 0)] {
      let ldw = n + 3, ldx = k + 1
      let w = random.floats(max(k, 1) * ldw), x = random.floats(m * ldx + 1), bias = random.floats(n)
      for biased in [true, false] {
        let expected = (0..<m * n).map { at -> Double in
          var sum = biased ? Double(bias[at % n]) : 0
          for l in 0..<k { sum += Double(x[at / n * ldx + l]) * Double(w[l * ldw + at % n]) }
          return sum
        }
        withEachISA { isa in
          let y = bias.withUnsafeBufferPointer { b in
            output(m * n) { ck_gemv_kn_f32(w, ldw, x, ldx, biased ? b.baseAddress : nil, $0, n, m, n, k) }
          }
          expectClose(y, expected, relative: 1e-5, absolute: 1e-5, "\(isa) \(m) x \(n) x \(k)")
        }
      }
    }
  }

  static let cellFunctions = ck_recurrent_activations(
    gate: CK_UNARY_SIGMOID, cell: CK_UNARY_TANH, output: CK_UNARY_TANH, gate_alpha: 0, gate_beta: 0, cell_alpha: 0,
    cell_beta: 0, output_alpha: 0, output_beta: 0)

  @Test("a step of an LSTM cell", arguments: [Float.infinity, 1.25])
  func lstm(clip: Float) {
    var random = Random(101)
    for n in [1, 17, 128, 300] {
      let v = (0..<8).map { _ in random.floats(n) }  // i f o g, peepholes i f o, c
      func clipped(_ x: Double) -> Double { min(max(x, -Double(clip)), Double(clip)) }
      for peepholes in [true, false] {
        var cells: [Double] = [], hidden: [Double] = []
        for k in 0..<n {
          let at = v.map { Double($0[k]) }, p = peepholes ? 1.0 : 0
          let i = Self.sigmoid(at[0] + p * at[4] * at[7]), f = Self.sigmoid(at[1] + p * at[5] * at[7])
          let c = clipped(f * at[7] + i * tanh(at[3]))
          cells.append(c)
          hidden.append(Self.sigmoid(at[2] + p * at[6] * c) * tanh(c))
        }
        withEachISA { isa in
          var c = v[7], a = Self.cellFunctions
          let h = output(n) { out in
            v[4].withUnsafeBufferPointer { pi in
              v[5].withUnsafeBufferPointer { pf in
                v[6].withUnsafeBufferPointer { po in
                  ck_lstm_cell_f32(
                    v[0], v[1], v[2], v[3], peepholes ? pi.baseAddress : nil, peepholes ? pf.baseAddress : nil,
                    peepholes ? po.baseAddress : nil, &a, clip, &c, out, n)
                }
              }
            }
          }
          expectClose(c, cells, "\(isa) cell \(n)")
          expectClose(h, hidden, "\(isa) hidden \(n)")
        }
      }
    }
  }

  @Test("a step of a GRU cell")
  func gru() {
    var random = Random(103)
    for n in [1, 17, 128, 300] {
      let z = random.floats(n), r = random.floats(n), o = random.floats(n), h = random.floats(n)
      withEachISA { isa in
        var a = Self.cellFunctions
        var gate = z
        let reset = output(n) { ck_gru_reset_f32(z, r, &a, h, &gate, $0, n) }
        expectClose(gate, z.map { Self.sigmoid(Double($0)) }, "\(isa) update \(n)")
        expectClose(reset, (0..<n).map { Self.sigmoid(Double(r[$0])) * Double(h[$0]) }, "\(isa) reset \(n)")
        let next = output(n) { ck_gru_cell_f32(gate, o, &a, h, $0, n) }
        let expected = (0..<n).map { k in
          let u = Self.sigmoid(Double(z[k]))
          return (1 - u) * tanh(Double(o[k])) + u * Double(h[k])
        }
        expectClose(next, expected, absolute: 1e-6, "\(isa) next \(n)")
      }
    }
  }
}
