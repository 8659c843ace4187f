import CKernels
import Foundation
import Testing

extension CKernelsTests {
  @Test("products of a few rows with f32 and f16 weights")
  func gemv() {
    var random = Random(89)
    for (m, n, k) in [(1, 1, 1), (1, 5, 3), (1, 9, 16), (2, 6, 33), (3, 4, 70), (4, 13, 128), (7, 5, 19), (1, 3, 0)] {
      let ldw = k + k % 2 + 2, ldx = k + 1, ldy = n + 2
      let w = random.floats(n * ldw), x = random.floats(m * ldx + 1), bias = random.floats(n)
      let f16 = w.map { Self.halfBits(Double($0)) }
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
            run { ck_gemv_f16w_f32(f16, ldw, x, ldx, $0, $1, ldy, m, n, k) },
            expected { Self.halfValue(f16[$0 * ldw + $1]) }, relative: 1e-5, absolute: 1e-5, "f16 \(label)")
        }
      }
    }
  }

  /// Blocks of codes in every encoding, starting at any row. The results equal those of the same values in fp32 bit for
  /// bit.
  @Test("rows by weights packed as fp16, bit-equal to fp32")
  func rowsByHalves() {
    withEachISA { set in
      var random = Random(77)
      for (rows, n, k) in [(1, 1, 1), (3, 16, 16), (5, 33, 17), (15, 70, 40), (30, 100, 131), (65, 70, 3500)] {
        let x = random.floats(rows * k)
        let w = random.floats(n * k).map { Float(Float16($0)) }
        let bias = random.floats(n)
        let (sizeX, size, units) = (
          ck_gemm_prepacked_packed_size(rows, k), ck_gemm_prepacked_packed_weights_size(k, n),
          ck_gemm_prepacked_units(n)
        )
        var packedX = [Float](repeating: 0, count: sizeX)
        ck_gemm_prepacked_pack_f32(x, k, rows, k, 1, 0, rows, &packedX)
        for (row, column) in [(1, k), (n, 1)] {
          var floats = [Float](repeating: .nan, count: size)
          var f16 = [UInt16](repeating: 0xffff, count: size)
          ck_gemm_prepacked_pack_weights_f32(k, n, w, row, column, 0, k, 0, units, &floats)
          ck_gemm_prepacked_pack_weights_f16(k, n, w, row, column, 0, k, 0, units, &f16)
          expectEqual(f16.map { Float(Float16(bitPattern: $0)) }, floats, "\(set) packed \(rows) \(n) \(k)")
          bias.withUnsafeBufferPointer { bias in
            var finish = ck_epilogue(bias: bias.baseAddress, activation: CK_UNARY_RELU, alpha: 0, beta: 0)
            var (found, wanted) = ([Float](repeating: .nan, count: rows * n), [Float](repeating: .nan, count: rows * n))
            ck_gemm_prepacked_product_f32(
              rows, n, k, 0, k, packedX, 0, floats, &finish, nil, 0, &wanted, n, 0, rows, 0, units)
            ck_gemm_prepacked_product_f16w_f32(
              rows, n, k, 0, k, packedX, 0, f16, nil, &finish, nil, 0, &found, n, 0, rows, 0, units)
            expectEqual(found, wanted, "\(set) \(rows) \(n) \(k)")
            var room = [Float](repeating: .nan, count: ck_gemm_prepacked_widened_size(k) + 1)
            found = [Float](repeating: .nan, count: rows * n)
            for first in stride(from: 0, to: k, by: ck_gemm_prepacked_pass(k)) {
              let end = min(first + ck_gemm_prepacked_pass(k), k)
              let numbers = Array(packedX[(first * rows)...])
              ck_gemm_prepacked_product_f16w_f32(
                rows, n, k, first, end, numbers, 0, f16, &room, &finish, nil, 0, &found, n, 0, rows, 0, units)
            }
            expectEqual(found, wanted, "\(set) \(rows) \(n) \(k), widened before, pass by pass")
            found = [Float](repeating: .nan, count: rows * n)
            ck_gemm_prepacked_product_f32(rows, n, k, 0, k, x, k, floats, &finish, nil, 0, &found, n, 0, rows, 0, units)
            expectEqual(found, wanted, "\(set) \(rows) \(n) \(k), rows as they lie")
            #expect(room.last?.isNaN == true, "\(set) \(rows) \(n) \(k): beyond the room")
          }
        }
      }
    }
  }

  @Test("products of a few rows with 8-bit and 4-bit weights")
  func gemvCoded() {
    var random = Random(91)
    let shapes = [
      (1, 1, 2, 2, 1), (1, 5, 34, 34, 5), (2, 7, 64, 16, 1), (3, 12, 96, 32, 4), (4, 13, 128, 128, 1),
      (5, 9, 80, 16, 3), (7, 8, 50, 50, 2),
    ]
    for (m, n, k, block, rowBlock) in shapes {
      let first = rowBlock, rows = first + n, entries = k / block
      let count = (rows + rowBlock - 1) / rowBlock * entries
      let x = random.floats(m * k), bias = random.floats(n)
      let bytes = random.ints(rows * k, in: 0...255).map { UInt8($0) }
      let table = random.floats(16 * count), scale = random.floats(count)
      let offset = random.ints(count, in: -20...20).map { Float($0) }
      for (kind, hasTables, isScaled, rounds) in [
        (CK_CODES_I8, false, true, false), (CK_CODES_I8, false, true, true), (CK_CODES_U8, false, true, false),
        (CK_CODES_U8, false, true, true), (CK_CODES_4BIT, true, false, false), (CK_CODES_4BIT, false, false, false),
        (CK_CODES_4BIT, false, true, false), (CK_CODES_4BIT, false, true, true), (CK_CODES_4BIT, true, true, true),
      ] {
        let dense = (0..<rows * k).map { at -> Float in
          let entry = at / k / rowBlock * entries + at % k / block
          var value: Float
          switch kind {
          case CK_CODES_I8: value = Float(Int8(bitPattern: bytes[at]))
          case CK_CODES_U8: value = Float(bytes[at])
          default: value = table[(hasTables ? 16 * entry : 0) + Int(bytes[at / 2] >> UInt8(at % 2 * 4) & 15)]
          }
          if isScaled { value = (value - offset[entry]) * scale[entry] }
          return rounds ? Float(Self.halfValue(Self.halfBits(Double(value)))) : value
        }
        withEachISA { isa in
          let expected = output(m * n) { y in
            dense.withUnsafeBufferPointer { w in
              bias.withUnsafeBufferPointer { b in
                ck_gemv_f32(w.baseAddress! + first * k, k, x, k, b.baseAddress, y, n, m, n, k)
              }
            }
          }
          let found = output(m * n) { y in
            bytes.withUnsafeBytes { codes in
              table.withUnsafeBufferPointer { table in
                scale.withUnsafeBufferPointer { scale in
                  offset.withUnsafeBufferPointer { offset in
                    var w = ck_quantized_matrix(
                      codes: codes.baseAddress!, kind: kind, ldw: k, row_block: rowBlock, block: block,
                      entries: entries, table: table.baseAddress, has_tables: hasTables,
                      scale: isScaled ? scale.baseAddress : nil, offset: isScaled ? offset.baseAddress : nil,
                      rounds: rounds, normal: false)
                    bias.withUnsafeBufferPointer {
                      ck_gemv_quantized_f32(&w, first, x, k, $0.baseAddress, y, n, m, n, k)
                    }
                  }
                }
              }
            }
          }
          expectEqual(found, expected, "\(isa) \(kind.rawValue) \(hasTables) \(isScaled) \(rounds) \(m)x\(n)x\(k)")
        }
      }
    }
  }

  @Test("products of a few rows with weights [k, n]")
  func gemvColumns() {
    var random = Random(97)
    for (m, n, k) in [(1, 1, 1), (1, 300, 7), (2, 35, 9), (3, 16, 5), (4, 70, 11), (6, 131, 3), (1, 4, 0), (2, 40, 24)]
    {
      let ldw = n + 3, ldx = k + 1
      let w = random.floats(max(k, 1) * ldw), x = random.floats(m * ldx + 1), bias = random.floats(n)
      let f16 = w.map { Self.halfBits(Double($0)) }
      for biased in [true, false] {
        func expected(_ weight: (Int) -> Double) -> [Double] {
          (0..<m * n).map { at -> Double in
            var sum = biased ? Double(bias[at % n]) : 0
            for l in 0..<k { sum += Double(x[at / n * ldx + l]) * weight(l * ldw + at % n) }
            return sum
          }
        }
        withEachISA { isa in
          bias.withUnsafeBufferPointer { b in
            let bias = biased ? b.baseAddress : nil
            let label = "\(isa) \(m) x \(n) x \(k)"
            let y = output(m * n) { ck_gemv_kn_f32(w, ldw, x, ldx, bias, $0, n, m, n, k) }
            expectClose(y, expected { Double(w[$0]) }, relative: 1e-5, absolute: 1e-5, label)
            expectClose(
              output(m * n) { ck_gemv_kn_f16w_f32(f16, ldw, x, ldx, bias, $0, n, m, n, k) },
              expected { Self.halfValue(f16[$0]) }, relative: 1e-5, absolute: 1e-5, "f16 \(label)")
          }
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
