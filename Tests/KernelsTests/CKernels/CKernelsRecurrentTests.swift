import CKernels
import Foundation
import Testing

/// Steps of recurrent layers with packed weights, for every instruction set, compared with double-precision products
/// and cells.
@Suite struct CKernelsRecurrentTests {
  struct Shape: Sendable, CustomStringConvertible {
    let hidden: Int, depth: Int, batch: Int
    var description: String { "\(hidden) hidden, depth \(depth), batch \(batch)" }
  }

  static let shapes = [
    Shape(hidden: 1, depth: 3, batch: 1), Shape(hidden: 16, depth: 5, batch: 2), Shape(hidden: 19, depth: 8, batch: 3),
    Shape(hidden: 33, depth: 1, batch: 7), Shape(hidden: 70, depth: 13, batch: 1), Shape(hidden: 8, depth: 4, batch: 6),
    Shape(hidden: 5, depth: 6, batch: 13),
  ]

  /// Weights of the gates in `order`, packed from `gates` * hidden rows.
  private struct Packed {
    var memory: [UInt32]
    let gates: Int, hidden: Int, depth: Int, f16: Bool, order: [Int]

    init(_ w: [Float], order: [Int], hidden: Int, depth: Int, f16: Bool) {
      (gates, self.hidden, self.depth, self.f16, self.order) = (order.count, hidden, depth, f16, order)
      memory = Array(repeating: 0xffff_ffff, count: ck_recurrent_packed_size(order.count, hidden, depth))
      let wide = ck_recurrent_unit_size(order.count)
      for unit in 0..<units {
        for (position, gate) in order.enumerated() {
          w.withUnsafeBufferPointer { w in
            guard let first = w.baseAddress else { return }
            ck_recurrent_pack_f32(
              gates, hidden, depth, first + (gate * hidden + unit * wide) * depth, depth, position, unit, f16,
              &memory)
          }
        }
      }
    }

    var wide: Int { ck_recurrent_unit_size(gates) }
    var units: Int { (hidden + wide - 1) / wide }
    var width: Int { units * wide * gates }

    func with<Result>(_ body: (ck_recurrent_weights) -> Result) -> Result {
      func number(_ position: Int) -> Int { position < gates ? order[position] : 0 }
      return memory.withUnsafeBytes {
        body(
          ck_recurrent_weights(
            gates: gates, hidden: hidden, depth: depth, order: (number(0), number(1), number(2), number(3)),
            f16: f16, packed: $0.baseAddress))
      }
    }

    /// The position of a hidden unit's accumulator for a gate.
    func place(_ position: Int, _ unit: Int) -> Int { unit / wide * wide * gates + position * wide + unit % wide }
  }

  private static func rounded(_ w: [Float], _ f16: Bool) -> [Float] { f16 ? w.map { Float(Float16($0)) } : w }

  @Test("the input's product for all gates", arguments: shapes)
  func product(shape: Shape) {
    var random = Random(211)
    let (hidden, depth, rows) = (shape.hidden, shape.depth, shape.batch)
    for order in [[0], [0, 2], [0, 2, 1], [0, 1, 2, 3]] {
      for f16 in [false, true] {
        let w = Self.rounded(random.floats(4 * hidden * depth, in: -0.5...0.5), f16)
        let (x, bias) = (random.floats(rows * depth), random.floats(4 * hidden))
        withEachISA { isa in
          let packed = Packed(w, order: order, hidden: hidden, depth: depth, f16: f16)
          let sums = output(rows * packed.width) { out in
            packed.with { weights in
              withUnsafePointer(to: weights) {
                ck_recurrent_product_f32($0, rows, x, depth, bias, out, packed.width, 0, packed.units)
              }
            }
          }
          for row in 0..<rows {
            for (position, gate) in order.enumerated() {
              let found = (0..<hidden).map { sums[row * packed.width + packed.place(position, $0)] }
              let expected = (0..<hidden).map { unit in
                (0..<depth).reduce(Double(bias[gate * hidden + unit])) {
                  $0 + Double(w[(gate * hidden + unit) * depth + $1]) * Double(x[row * depth + $1])
                }
              }
              expectClose(found, expected, absolute: 1e-5, "\(isa) \(shape) gate \(gate) of \(order), fp16 \(f16)")
            }
          }
        }
      }
    }
  }

  @Test("a step of an LSTM, forward and backward", arguments: shapes)
  func lstm(shape: Shape) {
    var random = Random(223)
    let (hidden, batch) = (shape.hidden, shape.batch)
    for f16 in [false, true] {
      let w = Self.rounded(random.floats(4 * hidden * hidden, in: -0.5...0.5), f16)
      let (first, h, c) = (
        random.floats(batch * 4 * hidden), random.floats(batch * hidden), random.floats(batch * hidden)
      )
      var (cells, states): ([Double], [Double]) = ([], [])
      for item in 0..<batch {
        for unit in 0..<hidden {
          let g = (0..<4).map { gate in
            (0..<hidden).reduce(Double(first[(item * 4 + gate) * hidden + unit])) {
              $0 + Double(w[(gate * hidden + unit) * hidden + $1]) * Double(h[item * hidden + $1])
            }
          }
          func sigmoid(_ x: Double) -> Double { 1 / (1 + exp(-x)) }
          cells.append(sigmoid(g[1]) * Double(c[item * hidden + unit]) + sigmoid(g[0]) * tanh(g[3]))
          states.append(sigmoid(g[2]) * tanh(cells[cells.count - 1]))
        }
      }
      withEachISA { isa in
        let packed = Packed(w, order: [0, 1, 2, 3], hidden: hidden, depth: hidden, f16: f16)
        let ld = packed.units * packed.wide
        for backward in [false, true] {
          var sums = Array(repeating: Float(0), count: batch * packed.width)
          var (own, cell, next) = (
            Array(repeating: Float(0), count: batch * ld), Array(repeating: Float(0), count: batch * ld),
            Array(repeating: Float(0), count: batch * ld)
          )
          for item in 0..<batch {
            for unit in 0..<hidden {
              (own[item * ld + unit], cell[item * ld + unit]) = (h[item * hidden + unit], c[item * hidden + unit])
              for gate in 0..<4 {
                sums[item * packed.width + packed.place(gate, unit)] = first[(item * 4 + gate) * hidden + unit]
              }
            }
          }
          packed.with { weights in
            own.withUnsafeBufferPointer { own in
              cell.withUnsafeMutableBufferPointer { cell in
                next.withUnsafeMutableBufferPointer { next in
                  sums.withUnsafeBufferPointer { sums in
                    var step = ck_recurrent_step()
                    (step.kind, step.weights, step.functions) = (
                      CK_RECURRENT_LSTM, weights, CKernelsTests.cellFunctions
                    )
                    (step.batch, step.ld, step.ldsums) = (batch, ld, packed.width)
                    (step.h, step.c, step.next, step.sums) = (
                      own.baseAddress, cell.baseAddress, next.baseAddress, sums.baseAddress
                    )
                    (step.limit, step.clip) = (.infinity, .infinity)
                    ck_recurrent_step_f32(&step, 0, packed.units, backward)
                  }
                }
              }
            }
          }
          func dense(_ rows: [Float]) -> [Float] { (0..<batch * hidden).map { rows[$0 / hidden * ld + $0 % hidden] } }
          expectClose(dense(cell), cells, absolute: 1e-5, "\(isa) \(shape) cells, backward \(backward)")
          expectClose(dense(next), states, absolute: 1e-5, "\(isa) \(shape) states, backward \(backward)")
        }
      }
    }
  }
}
