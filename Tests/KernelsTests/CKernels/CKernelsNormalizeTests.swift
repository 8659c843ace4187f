import CKernels
import Foundation
import Testing

extension CKernelsTests {
  static func softmax(_ x: [Double]) -> [Double] {
    let top = x.contains(where: \.isNaN) ? .nan : x.max() ?? 0
    let e = x.map { exp($0 - top) }, sum = e.reduce(0, +)
    return e.map { $0 / sum }
  }

  /// Writes columns back into [outer, axis, inner].
  static func interleave(_ columns: [[Double]], _ shape: (Int, Int, Int)) -> [Double] {
    let (outer, axis, inner) = shape
    return (0..<outer).flatMap { o in (0..<axis).flatMap { a in (0..<inner).map { columns[o * inner + $0][a] } } }
  }

  @Test("softmax along any axis, in place too")
  func softmaxAxis() {
    var random = Random(31)
    for shape in Self.axes {
      let n = shape.0 * shape.1 * shape.2
      let x = random.floats(n, in: -30...30)
      let expected = Self.interleave(Self.columns(x, shape).map { Self.softmax($0.map(Double.init)) }, shape)
      withEachISA { isa in
        let y = output(n) { ck_softmax_f32(x, $0, shape.0, shape.1, shape.2) }
        expectClose(y, expected, relative: 5e-6, "\(isa) \(shape)")
        var z = x
        z.withUnsafeMutableBufferPointer {
          if let p = $0.baseAddress { ck_softmax_f32(p, p, shape.0, shape.1, shape.2) }
        }
        expectEqual(z, y, "\(isa) in place \(shape)")
      }
    }
  }

  @Test("softmax of large and special values")
  func softmaxSpecial() {
    let rows: [[Float]] = [
      [1000, 1001, 999], [-.infinity, 0, 1], [-.infinity, -.infinity, -.infinity], [.nan, 1, 2], [.infinity, 1, 2],
      [-3e38, 3e38, 0],
    ]
    withEachISA { isa in
      for row in rows {
        for repeats in [1, 7] {
          let x = Array(repeating: row, count: repeats).flatMap { $0 }
          let y = output(x.count) { ck_softmax_f32(x, $0, 1, x.count, 1) }
          expectClose(y, Self.softmax(x.map(Double.init)), "\(isa) \(row) x \(repeats)")
          let z = output(2 * x.count) { ck_softmax_f32(x.flatMap { [$0, $0] }, $0, 1, x.count, 2) }
          expectClose(z, Self.softmax(x.map(Double.init)).flatMap { [$0, $0] }, "\(isa) columns \(row)")
        }
      }
    }
  }

  @Test("softmax with a scale and a mask")
  func softmaxScaled() {
    var random = Random(37)
    withEachISA { isa in
      for columns in oddSizes where columns > 0 {
        let x = random.floats(3 * columns, in: -20...20)
        var mask = random.floats(columns, in: -5...5)
        if columns > 2 { mask[1] = -.infinity }
        for masked in [false, true] {
          let y = output(x.count) { out in
            mask.withUnsafeBufferPointer {
              ck_softmax_scaled_f32(x, 0.125, masked ? $0.baseAddress : nil, out, 3, columns)
            }
          }
          let expected = (0..<3).flatMap { r in
            Self.softmax((0..<columns).map { Double(x[r * columns + $0]) / 8 + (masked ? Double(mask[$0]) : 0) })
          }
          expectClose(y, expected, relative: 5e-6, "\(isa) \(columns) mask \(masked)")
        }
      }
    }
  }

  static func moments(_ x: [Double]) -> (mean: Double, variance: Double) {
    let mean = x.reduce(0, +) / Double(x.count)
    return (mean, x.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(x.count))
  }

  @Test("layer, RMS and L2 norm of rows")
  func rowNorms() {
    withEachISA { isa in
      var random = Random(43)
      for columns in oddSizes + [3000] where columns > 0 {
        let x = random.floats(2 * columns, in: 90...110)  // a large mean: the variance must not cancel
        let gamma = random.floats(columns), beta = random.floats(columns)
        let rows = (0..<2).map { r in (0..<columns).map { Double(x[r * columns + $0]) } }
        for parameters in [false, true] {
          gamma.withUnsafeBufferPointer { g in
            beta.withUnsafeBufferPointer { b in
              let pg = parameters ? g.baseAddress : nil, pb = parameters ? b.baseAddress : nil
              let scale = { (i: Int) in parameters ? Double(gamma[i]) : 1 }
              let layer = output(x.count) { ck_layer_norm_f32(x, pg, pb, 1e-3, $0, 2, columns) }
              let wantedLayer = rows.flatMap { row in
                let (mean, variance) = Self.moments(row)
                return row.enumerated().map {
                  ($0.element - mean) / (variance + 1e-3).squareRoot() * scale($0.offset)
                    + (parameters ? Double(beta[$0.offset]) : 0)
                }
              }
              expectClose(layer, wantedLayer, relative: 1e-5, absolute: 4e-6, "\(isa) layer \(columns)")
              let rms = output(x.count) { ck_rms_norm_f32(x, pg, 1e-3, $0, 2, columns) }
              let wantedRMS = rows.flatMap { row in
                let mean = row.reduce(0) { $0 + $1 * $1 } / Double(columns)
                return row.enumerated().map { $0.element / (mean + 1e-3).squareRoot() * scale($0.offset) }
              }
              expectClose(rms, wantedRMS, "\(isa) rms \(columns)")
            }
          }
        }
        let l2 = output(x.count) { ck_l2_norm_f32(x, 0.5, $0, 2, columns) }
        expectClose(
          l2, rows.flatMap { row in row.map { $0 / (row.reduce(0.5) { $0 + $1 * $1 }).squareRoot() } },
          "\(isa) l2 \(columns)")
      }
    }
  }

  @Test("group, instance and batch norm", arguments: [1, 2, 6])
  func channelNorms(groups: Int) {
    var random = Random(47)
    let batch = 2, channels = 6
    let gamma = random.floats(channels), beta = random.floats(channels), mean = random.floats(channels)
    let variance = random.floats(channels, in: 0.1...4)
    withEachISA { isa in
      for spatial in [1, 5, 16, 49] {
        let x = random.floats(batch * channels * spatial, in: -3...5)
        let members = channels / groups * spatial
        let channel = { (i: Int) in i / spatial % channels }
        let y = output(x.count) { ck_group_norm_f32(x, gamma, beta, 1e-5, $0, batch, channels, groups, spatial) }
        let expected = x.indices.map { i in
          let start = i / members * members
          let (m, v) = Self.moments(x[start..<start + members].map(Double.init))
          return (Double(x[i]) - m) / (v + 1e-5).squareRoot() * Double(gamma[channel(i)]) + Double(beta[channel(i)])
        }
        expectClose(y, expected, relative: 1e-5, absolute: 1e-5, "\(isa) groups \(groups) spatial \(spatial)")
        for parameters in [true, false] {
          let z = output(x.count) { out in
            gamma.withUnsafeBufferPointer { g in
              beta.withUnsafeBufferPointer { b in
                ck_batch_norm_f32(
                  x, mean, variance, parameters ? g.baseAddress : nil, parameters ? b.baseAddress : nil, 1e-3, out,
                  batch,
                  channels, spatial)
              }
            }
          }
          let wanted = x.indices.map { i in
            let c = channel(i)
            return (Double(x[i]) - Double(mean[c])) / (Double(variance[c]) + Double(Float(1e-3))).squareRoot()
              * (parameters ? Double(gamma[c]) : 1) + (parameters ? Double(beta[c]) : 0)
          }
          expectClose(z, wanted, absolute: 1e-6, "\(isa) batch norm \(spatial)")
        }
      }
    }
  }

  @Test("local response norm", arguments: [(1, 0.75), (3, 0.75), (4, 0.5), (5, 1.0), (2, 0.6), (15, 0.75)])
  func localResponse(size: Int, exponent: Double) {
    var random = Random(53)
    let batch = 2, channels = 7
    withEachISA { isa in
      for spatial in [1, 17, 32] {
        let x = random.floats(batch * channels * spatial)
        let y = output(x.count) {
          ck_local_response_norm_f32(x, size, 0.5, Float(exponent), 1.5, $0, batch, channels, spatial)
        }
        let expected = x.indices.map { i in
          let c = i / spatial % channels
          let window = max(0, c - size / 2)...min(channels - 1, c + (size - 1) / 2)
          let sum = window.reduce(0.0) { $0 + pow(Double(x[i + ($1 - c) * spatial]), 2) }
          return Double(x[i]) / pow(1.5 + 0.5 / Double(size) * sum, exponent)
        }
        expectClose(y, expected, "\(isa) size \(size) spatial \(spatial)")
      }
    }
  }
}
