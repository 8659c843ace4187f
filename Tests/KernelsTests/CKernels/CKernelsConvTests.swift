import CKernels
import Foundation
import Testing

extension CKernelsTests {
  /// A window whose output sizes follow from the padding at both ends.
  static func window(
    channels: (Int, Int), groups: Int = 1, input: [Int], kernel: [Int], stride: [Int] = [1], dilation: [Int] = [1],
    pad: [Int] = [0], padEnd: [Int]? = nil
  ) -> ck_window {
    /// A short list is extended at the front with ones (with zeros for padding).
    func three(_ v: [Int], _ fill: Int) -> [Int] {
      if v.count == 1 && input.count > 1 {
        return Array(repeating: fill, count: 3 - input.count) + input.map { _ in v[0] }
      }
      return Array(repeating: fill, count: 3 - v.count) + v
    }
    let i = three(input, 1), k = three(kernel, 1), s = three(stride, 1), d = three(dilation, 1), p = three(pad, 0)
    let e = three(padEnd ?? pad, 0)
    let o = (0..<3).map { n -> Int in
      let reach = (k[n] - 1) * d[n] + 1
      return (i[n] + p[n] + e[n] - reach) / s[n] + 1
    }
    return ck_window(
      in_channels: channels.0, out_channels: channels.1, groups: groups, in_d: i[0], in_h: i[1], in_w: i[2],
      out_d: o[0],
      out_h: o[1], out_w: o[2], kernel_d: k[0], kernel_h: k[1], kernel_w: k[2], stride_d: s[0], stride_h: s[1],
      stride_w: s[2], dilation_d: d[0], dilation_h: d[1], dilation_w: d[2], pad_d: p[0], pad_h: p[1], pad_w: p[2])
  }

  /// Calls `body` for every tap at every output position, with the flat input offset within a channel, or nil for
  /// padding.
  static func taps(_ w: ck_window, _ body: (_ output: Int, _ tap: Int, _ input: Int?) -> Void) {
    for (o, at) in indices([w.out_d, w.out_h, w.out_w]).enumerated() {
      for (k, tap) in indices([w.kernel_d, w.kernel_h, w.kernel_w]).enumerated() {
        let z = at[0] * w.stride_d - w.pad_d + tap[0] * w.dilation_d
        let y = at[1] * w.stride_h - w.pad_h + tap[1] * w.dilation_h
        let x = at[2] * w.stride_w - w.pad_w + tap[2] * w.dilation_w
        let inside = z >= 0 && z < w.in_d && y >= 0 && y < w.in_h && x >= 0 && x < w.in_w
        body(o, k, inside ? (z * w.in_h + y) * w.in_w + x : nil)
      }
    }
  }

  static func inPlane(_ w: ck_window) -> Int { w.in_d * w.in_h * w.in_w }
  static func outPlane(_ w: ck_window) -> Int { w.out_d * w.out_h * w.out_w }
  static func kernelSize(_ w: ck_window) -> Int { w.kernel_d * w.kernel_h * w.kernel_w }

  static func convolution(_ w: ck_window, _ x: [Float], _ weights: [Float], _ bias: [Float]?) -> [Double] {
    let groupIn = w.in_channels / w.groups, groupOut = w.out_channels / w.groups, kernel = kernelSize(w)
    var y = [Double](repeating: 0, count: w.out_channels * outPlane(w))
    if let bias { for i in y.indices { y[i] = Double(bias[i / outPlane(w)]) } }
    taps(w) { o, k, input in
      guard let input else { return }
      for c in 0..<w.out_channels {
        for i in 0..<groupIn {
          let channel = c / groupOut * groupIn + i
          let value = Double(x[channel * inPlane(w) + input])
          y[c * outPlane(w) + o] += value * Double(weights[(c * groupIn + i) * kernel + k])
        }
      }
    }
    return y
  }

  static let epilogues: [(ck_unary_op, Float, Float, @Sendable (Double) -> Double)] = [
    (CK_UNARY_IDENTITY, 0, 0, { $0 }), (CK_UNARY_RELU, 0, 0, { max($0, 0) }),
    (CK_UNARY_RELU6, 0, 0, { min(max($0, 0), 6) }),
    (CK_UNARY_CLIP, -0.5, 0.75, { min(max($0, -0.5), 0.75) }), (CK_UNARY_SILU, 0, 0, { $0 * sigmoid($0) }),
    (CK_UNARY_LEAKY_RELU, 0.1, 0, { $0 < 0 ? $0 * 0.1 : $0 }),
  ]

  @Test("depthwise convolution")
  func depthwise() {
    var random = Random(61)
    var cases: [ck_window] = []
    for size in [1, 4, 7, 16, 19, 56] {
      for (k, s) in [(3, 1), (3, 2), (5, 1), (5, 2), (7, 1), (2, 2), (3, 3)] where size + 2 * (k / 2) >= k {
        cases.append(
          Self.window(channels: (2, 2), groups: 2, input: [size, size + 1], kernel: [k, k], stride: [s], pad: [k / 2]))
      }
    }
    cases += [
      Self.window(channels: (2, 6), groups: 2, input: [9, 20], kernel: [3, 3], pad: [1]),  // a channel multiplier
      Self.window(channels: (3, 3), groups: 3, input: [9, 70], kernel: [3, 3], pad: [0]),
      Self.window(channels: (3, 3), groups: 3, input: [40, 40], kernel: [3, 3], stride: [2], pad: [0], padEnd: [1]),
      Self.window(channels: (2, 2), groups: 2, input: [20, 40], kernel: [3, 3], dilation: [2], pad: [2]),
      Self.window(
        channels: (2, 2), groups: 2, input: [20, 40], kernel: [5, 3], stride: [1, 2], dilation: [1, 3], pad: [4, 1]),
      Self.window(channels: (2, 2), groups: 2, input: [1, 100], kernel: [1, 31], pad: [0, 15]),
      Self.window(channels: (2, 2), groups: 2, input: [3, 2100], kernel: [3, 3], pad: [1]),
      Self.window(channels: (2, 2), groups: 2, input: [2, 2], kernel: [3, 3], stride: [1], pad: [4]),
    ]
    for (number, w) in cases.enumerated() {
      let x = random.floats(w.in_channels * Self.inPlane(w)),
        weights = random.floats(w.out_channels * Self.kernelSize(w))
      let bias = random.floats(w.out_channels)
      let plain = Self.convolution(w, x, weights, bias)
      let (op, alpha, beta, function) = Self.epilogues[number % Self.epilogues.count]
      withEachISA { isa in
        let y = output(plain.count) { out in
          bias.withUnsafeBufferPointer { b in
            withUnsafePointer(to: w) { w in
              var e = ck_epilogue(bias: b.baseAddress, activation: op, alpha: alpha, beta: beta)
              let half = w.pointee.out_channels / 2
              ck_depthwise_conv2d_f32(w, x, weights, &e, out, 0, half)
              ck_depthwise_conv2d_f32(w, x, weights, &e, out, half, w.pointee.out_channels)
            }
          }
        }
        expectClose(y, plain.map(function), absolute: 1e-5, "\(isa) \(w)")
      }
    }
  }

  static let convolutions: [ck_window] = [
    window(channels: (1, 1), input: [1], kernel: [1]),
    window(channels: (3, 5), input: [30], kernel: [4], stride: [2], dilation: [3], pad: [2]),
    window(channels: (3, 8), input: [9, 20], kernel: [3, 3], pad: [1]),
    window(channels: (3, 15), input: [17, 40], kernel: [3, 3], stride: [2], pad: [1]),
    window(channels: (2, 4), input: [20, 33], kernel: [7, 5], stride: [3, 3], pad: [3, 2]),
    window(channels: (4, 6), groups: 2, input: [8, 18], kernel: [3, 3], dilation: [2], pad: [2], padEnd: [1]),
    window(channels: (6, 6), groups: 6, input: [8, 18], kernel: [1, 3], pad: [0, 1]),
    window(channels: (2, 3), input: [5, 6, 19], kernel: [3, 2, 3], stride: [1, 2, 1], pad: [1]),
    window(
      channels: (2, 9), input: [4, 7, 7], kernel: [2, 3, 3], stride: [2, 1, 2], dilation: [1, 1, 2], pad: [1, 1, 2]),
  ]

  @Test("direct convolution, 1-D to 3-D")
  func direct() {
    var random = Random(67)
    for (number, w) in Self.convolutions.enumerated() {
      let x = random.floats(w.in_channels * Self.inPlane(w))
      let weights = random.floats(w.out_channels * w.in_channels / w.groups * Self.kernelSize(w))
      let bias = random.floats(w.out_channels), biased = number % 3 != 0
      let plain = Self.convolution(w, x, weights, biased ? bias : nil)
      let (op, alpha, beta, function) = Self.epilogues[number % Self.epilogues.count]
      withEachISA { isa in
        let y = output(plain.count) { out in
          bias.withUnsafeBufferPointer { b in
            withUnsafePointer(to: w) { w in
              var e = ck_epilogue(bias: biased ? b.baseAddress : nil, activation: op, alpha: alpha, beta: beta)
              let cut = w.pointee.out_channels / 3  // also within a group
              ck_conv_direct_f32(w, x, weights, &e, out, 0, cut)
              ck_conv_direct_f32(w, x, weights, &e, out, cut, w.pointee.out_channels)
            }
          }
        }
        expectClose(y, plain.map(function), relative: 1e-5, absolute: 2e-5, "\(isa) \(w)")
      }
    }
  }

  @Test("im2col of all rows, and of some")
  func im2col() {
    var random = Random(71)
    for w in Self.convolutions {
      let x = random.floats(w.in_channels * Self.inPlane(w)), rows = w.out_d * w.out_h, kernel = Self.kernelSize(w)
      for (c0, c1, r0, r1) in [(0, w.in_channels, 0, rows), (w.in_channels - 1, w.in_channels, rows / 2, rows)] {
        let part = (r1 - r0) * w.out_w
        var expected = [Float](repeating: 0, count: (c1 - c0) * kernel * part)
        Self.taps(w) { o, k, input in
          let column = o - r0 * w.out_w
          guard let input, column >= 0, column < part else { return }
          for c in c0..<c1 { expected[((c - c0) * kernel + k) * part + column] = x[c * Self.inPlane(w) + input] }
        }
        withEachISA { isa in
          let y = output(expected.count) { out in
            withUnsafePointer(to: w) { ck_im2col_f32($0, x, c0, c1, r0, r1, out) }
          }
          expectEqual(y, expected, "\(isa) \(w) rows \(r0)..<\(r1)")
        }
      }
    }
  }

  /// The window of the transposed convolution with the shapes of `w` reversed.
  static func reversed(_ w: ck_window) -> ck_window {
    var t = w
    (t.in_channels, t.out_channels) = (w.out_channels, w.in_channels)
    (t.in_d, t.in_h, t.in_w) = (w.out_d, w.out_h, w.out_w)
    (t.out_d, t.out_h, t.out_w) = (w.in_d, w.in_h, w.in_w)
    return t
  }

  @Test("transposed convolution, direct and by columns")
  func transposed() {
    var random = Random(73)
    for (number, w) in Self.convolutions.enumerated() {
      let t = Self.reversed(w), kernel = Self.kernelSize(w)
      let groupIn = t.in_channels / t.groups, groupOut = t.out_channels / t.groups
      let x = random.floats(t.in_channels * Self.inPlane(t)), weights = random.floats(t.in_channels * groupOut * kernel)
      let bias = random.floats(t.out_channels)
      var expected = (0..<t.out_channels * Self.outPlane(t)).map { Double(bias[$0 / Self.outPlane(t)]) }
      // The forward taps with input and output exchanged.
      Self.taps(w) { position, k, target in
        guard let target else { return }
        for i in 0..<t.in_channels {
          for c in 0..<groupOut {
            let value = Double(x[i * Self.inPlane(t) + position])
            let place = (i / groupIn * groupOut + c) * Self.outPlane(t) + target
            expected[place] += value * Double(weights[(i * groupOut + c) * kernel + k])
          }
        }
      }
      let (op, alpha, beta, function) = Self.epilogues[number % Self.epilogues.count]
      withEachISA { isa in
        let y = output(expected.count) { out in
          bias.withUnsafeBufferPointer { b in
            withUnsafePointer(to: t) { t in
              var e = ck_epilogue(bias: b.baseAddress, activation: op, alpha: alpha, beta: beta)
              ck_conv_transpose_f32(t, x, weights, &e, out, 0, t.pointee.out_channels)
            }
          }
        }
        expectClose(y, expected.map(function), relative: 1e-5, absolute: 2e-5, "\(isa) \(t)")

        let columns = random.floats(kernel * Self.inPlane(t))  // of the last channel
        let last = t.out_channels - 1
        let z = output(t.out_channels * Self.outPlane(t)) { out in
          withUnsafePointer(to: t) { ck_col2im_f32($0, columns, out, last, last + 1) }
        }
        var summed = [Double](repeating: 0, count: Self.outPlane(t))
        Self.taps(w) { position, k, target in
          if let target { summed[target] += Double(columns[k * Self.inPlane(t) + position]) }
        }
        expectClose(Array(z[(last * Self.outPlane(t))...]), summed, absolute: 1e-5, "\(isa) columns \(t)")
      }
    }
  }

  @Test("the epilogue of a tile")
  func epilogue() {
    var random = Random(79)
    let bias = random.floats(5)
    for (op, alpha, beta, function) in Self.epilogues {
      for biased in [true, false] {
        let x = random.floats(3 * 50)
        withEachISA { isa in
          var y = x
          bias.withUnsafeBufferPointer {
            var e = ck_epilogue(bias: biased ? $0.baseAddress : nil, activation: op, alpha: alpha, beta: beta)
            ck_epilogue_f32(&e, 2, &y, 3, 37, 50)
          }
          let expected = x.indices.map { i in
            i % 50 < 37 ? function(Double(x[i]) + (biased ? Double(bias[2 + i / 50]) : 0)) : Double(x[i])
          }
          expectClose(y, expected, "\(isa) \(op)")
        }
      }
    }
  }

  @Test("pooling, 1-D to 3-D")
  func pooling() {
    var random = Random(83)
    var cases = Self.convolutions.map { w in
      var p = w
      (p.out_channels, p.groups) = (w.in_channels, 1)
      return p
    }
    cases += [
      Self.window(channels: (2, 2), input: [14, 40], kernel: [2, 2], stride: [2]),
      Self.window(channels: (2, 2), input: [15, 41], kernel: [3, 3], stride: [2], pad: [1]),
      Self.window(channels: (1, 1), input: [3, 3], kernel: [2, 2], pad: [3]),  // windows completely in the padding
      Self.window(channels: (2, 2), input: [2600], kernel: [5], pad: [2]),  // rows in several chunks
      Self.window(channels: (2, 2), input: [2600], kernel: [3], stride: [2]),
      Self.window(channels: (2, 2), input: [2, 2600], kernel: [2, 40], stride: [1, 7], pad: [0, 20]),
      Self.window(channels: (2, 2), input: [1300], kernel: [990], stride: [3]),
      Self.window(channels: (2, 2), input: [1300], kernel: [1100], stride: [9], pad: [30]),  // wider than a chunk
    ]
    for w in cases {
      var x = random.floats(w.in_channels * Self.inPlane(w))
      if x.count > 3 { x[3] = .nan }
      let planes = w.in_channels * Self.outPlane(w)
      var top = [Double](repeating: -.infinity, count: planes), sum = [Double](repeating: 0, count: planes)
      var squares = sum, counts = sum
      Self.taps(w) { o, _, input in
        guard let input else { return }
        for c in 0..<w.in_channels {
          let v = Double(x[c * Self.inPlane(w) + input]), at = c * Self.outPlane(w) + o
          top[at] = v.isNaN || top[at].isNaN ? .nan : max(top[at], v)
          sum[at] += v
          squares[at] += v * v
          counts[at] += 1
        }
      }
      let size = Double(Self.kernelSize(w))
      withEachISA { isa in
        func run(_ kernel: (UnsafePointer<ck_window>, UnsafeMutablePointer<Float>, Int, Int) -> Void) -> [Float] {
          output(planes) { out in
            withUnsafePointer(to: w) {
              kernel($0, out, 0, 1)
              kernel($0, out, 1, w.in_channels)
            }
          }
        }
        expectClose(run { ck_max_pool_f32($0, x, $1, $2, $3) }, top, "\(isa) max \(w)")
        expectClose(run { ck_l2_pool_f32($0, x, $1, $2, $3) }, squares.map { $0.squareRoot() }, "\(isa) l2 \(w)")
        expectClose(
          run { ck_average_pool_f32($0, false, x, $1, $2, $3) }, sum.map { $0 / size }, absolute: 1e-6,
          "\(isa) mean \(w)")
        expectClose(
          run { ck_average_pool_f32($0, true, x, $1, $2, $3) }, zip(sum, counts).map { $1 == 0 ? 0 : $0 / $1 },
          absolute: 1e-6, "\(isa) mean without padding \(w)")
      }
    }
  }
}
