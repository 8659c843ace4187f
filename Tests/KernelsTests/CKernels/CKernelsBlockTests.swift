import CKernels
import Foundation
import Testing

extension CKernelsTests {
  /// Converts [channels, plane] to NCHWc and back.
  static func blocked(_ x: [Float], channels: Int, plane: Int) -> [Float] {
    let size = ck_block_size()
    var result = [Float](repeating: 0, count: (channels + size - 1) / size * size * plane)
    for channel in 0..<channels {
      for at in 0..<plane { result[(channel / size * plane + at) * size + channel % size] = x[channel * plane + at] }
    }
    return result
  }

  static func dense(_ x: [Float], channels: Int, plane: Int) -> [Float] {
    let size = ck_block_size()
    return (0..<channels * plane).map { at in
      let (channel, place) = (at / plane, at % plane)
      return x[(channel / size * plane + place) * size + channel % size]
    }
  }

  static let blockShapes: [ck_window] =
    convolutions.filter { $0.in_d == 1 && $0.out_d == 1 && $0.kernel_d == 1 } + [
      window(channels: (20, 37), input: [9, 11], kernel: [3, 3], pad: [1]),
      window(channels: (33, 70), input: [7, 29], kernel: [1, 1]),
      window(channels: (17, 33), input: [14, 15], kernel: [3, 2], stride: [2, 1], pad: [1, 2]),
      window(channels: (16, 16), input: [14, 20], kernel: [3, 3], stride: [3], pad: [1]),
      window(channels: (64, 96), groups: 2, input: [6, 6], kernel: [3, 3], pad: [1]),
      window(channels: (32, 32), groups: 8, input: [6, 9], kernel: [3, 3], pad: [1]),
      window(channels: (22, 22), groups: 11, input: [6, 31], kernel: [3, 3], pad: [1]),
      window(channels: (44, 44), groups: 11, input: [15, 16], kernel: [3, 3], stride: [2], pad: [1]),
      window(channels: (104, 104), groups: 13, input: [6, 17], kernel: [3, 2], pad: [1]),
      window(channels: (36, 60), groups: 3, input: [6, 15], kernel: [3, 3], pad: [1]),
      window(channels: (40, 35), groups: 5, input: [5, 7], kernel: [1, 1]),
      window(channels: (40, 36), input: [16, 16], kernel: [3, 3], dilation: [6], pad: [6]),
      window(channels: (18, 20), input: [9, 33], kernel: [3, 3], dilation: [12, 14], pad: [12, 14]),
      window(
        channels: (24, 24), groups: 6, input: [5, 31], kernel: [3, 4], stride: [2], dilation: [3, 9], pad: [3, 9]),
      window(channels: (20, 20), input: [9, 15], kernel: [7, 1], pad: [3, 0]),
      window(channels: (4, 20), input: [11, 19], kernel: [3, 3], dilation: [2], pad: [1]),
      window(channels: (3, 40), input: [21, 18], kernel: [7, 7], stride: [2], pad: [3]),
      window(channels: (40, 40), input: [1, 1], kernel: [3, 3], pad: [1]),
    ]

  @Test("NCHWc convolution, window by window")
  func blockConvolution() {
    var random = Random(211)
    for (number, w) in Self.blockShapes.enumerated() {
      let k = w.in_channels / w.groups * Self.kernelSize(w), plane = Self.outPlane(w)
      let x = random.floats(w.in_channels * Self.inPlane(w)), weights = random.floats(w.out_channels * k)
      let bias = random.floats(w.out_channels), add = random.floats(w.out_channels * plane)
      let plain = zip(Self.convolution(w, x, weights, bias), add).map { $0 + Double($1) }
      let (op, alpha, beta, function) = Self.epilogues[number % Self.epilogues.count]
      for planes in [false, true] {
        withEachISA { isa in
          var w = w
          guard ck_block_conv_supports(&w, planes) else { return }
          let units = ck_block_conv_units(&w), rows = w.out_h
          let packed = output(ck_block_conv_packed_size(&w), "\(isa) packed") { target in
            for unit in 0..<units {
              let first = ck_block_conv_unit_channel(&w, unit)
              weights.withUnsafeBufferPointer {
                ck_block_conv_pack_f32(
                  &w, planes, $0.baseAddress.unsafelyUnwrapped + first * k, k, unit, unit + 1, target)
              }
            }
          }
          let input = planes ? x : Self.blocked(x, channels: w.in_channels, plane: Self.inPlane(w))
          let sum = Self.blocked(add, channels: w.out_channels, plane: plane)
          var scratch = [Float](repeating: .nan, count: ck_block_conv_scratch_size(&w, planes) + 1)
          let y = output(sum.count, "\(isa) \(w)") { out in
            bias.withUnsafeBufferPointer { b in
              var e = ck_epilogue(bias: b.baseAddress, activation: op, alpha: alpha, beta: beta)
              for (u0, u1) in [(0, units / 2), (units / 2, units)] {
                for (r0, r1) in [(rows / 3, rows), (0, rows / 3)] {
                  ck_block_conv_f32(&w, planes, input, packed, &e, sum, out, &scratch, u0, u1, r0, r1)
                }
              }
            }
          }
          expectClose(
            Self.dense(y, channels: w.out_channels, plane: plane), plain.map(function), relative: 1e-5, absolute: 1e-4,
            "\(isa) \(w) planes \(planes)")
          #expect(
            Self.blocked(Self.dense(y, channels: w.out_channels, plane: plane), channels: w.out_channels, plane: plane)
              == y,
            "\(isa) \(w): what fills up the last block is no zero")
        }
      }
    }
  }

  @Test("NCHWc channels in another order, with a scale and an offset for each")
  func blockChannels() {
    var random = Random(227)
    for (channels, plane, sources) in [(5, 3, 1), (37, 7, 2), (64, 1, 3), (50, 4, 9)] {
      let xs = (0..<sources).map { _ in random.floats(channels * plane) }
      let order = (0..<channels).map { (source: ($0 * 7 + 1) % sources, channel: ($0 * 11 + 3) % channels) }
      let wanted = order.flatMap { place in (0..<plane).map { xs[place.source][place.channel * plane + $0] } }
      let (mean, scale, shift) = (random.floats(channels), random.floats(channels), random.floats(channels))
      let moved = (0..<channels * plane).map {
        (Double(xs[0][$0]) - Double(mean[$0 / plane])) * Double(scale[$0 / plane]) + Double(shift[$0 / plane])
      }
      withEachISA { isa in
        let size = ck_block_size(), blocks = (channels + size - 1) / size
        let inputs = xs.map { Self.blocked($0, channels: channels, plane: plane) }.flatMap { $0 }
        let y = output(blocks * size * plane, "\(isa) order") { target in
          inputs.withUnsafeBufferPointer { all in
            for block in 0..<blocks {
              var parts: [ck_block_part] = []
              var keys: [Int] = []
              for lane in 0..<min(size, channels - block * size) {
                let (source, channel) = order[block * size + lane]
                let key = source * blocks + channel / size
                if !keys.contains(key) {
                  keys.append(key)
                  var part = ck_block_part()
                  part.in = all.baseAddress.unsafelyUnwrapped + key * plane * size
                  withUnsafeMutableBytes(of: &part.lanes) { $0.bindMemory(to: Int32.self).update(repeating: -1) }
                  parts.append(part)
                }
                withUnsafeMutableBytes(of: &parts[keys.firstIndex(of: key) ?? 0].lanes) {
                  $0.bindMemory(to: Int32.self)[lane] = Int32(channel % size)
                }
              }
              ck_block_move_f32(parts, parts.count, target + block * plane * size, plane)
            }
          }
        }
        #expect(y == Self.blocked(wanted, channels: channels, plane: plane), "\(isa) \(channels) of \(sources)")
        let affine = output(blocks * size * plane, "\(isa) affine") { target in
          ck_block_affine_f32(inputs, mean, scale, shift, target, channels, plane, 0, blocks / 2)
          ck_block_affine_f32(inputs, mean, scale, shift, target, channels, plane, blocks / 2, blocks)
        }
        expectClose(
          Self.dense(affine, channels: channels, plane: plane), moved, relative: 1e-6, absolute: 1e-6, "\(isa) affine")
        let rest = Self.blocked(Self.dense(affine, channels: channels, plane: plane), channels: channels, plane: plane)
        #expect(rest == affine, "\(isa): what fills up the last block is no zero")
      }
    }
  }

  @Test("Winograd convolution")
  func winograd() {
    var random = Random(223)
    let shapes = [
      Self.window(channels: (20, 37), input: [19, 21], kernel: [3, 3], pad: [1]),
      Self.window(channels: (8, 5), input: [6, 6], kernel: [3, 3]),
      Self.window(channels: (33, 48), input: [13, 40], kernel: [3, 3], pad: [2]),
      Self.window(channels: (70, 16), input: [3, 3], kernel: [3, 3], pad: [1]),
    ]
    for (number, w) in shapes.enumerated() {
      let k = w.in_channels * 9, plane = Self.outPlane(w)
      let x = random.floats(w.in_channels * Self.inPlane(w)), weights = random.floats(w.out_channels * k)
      let bias = random.floats(w.out_channels), plain = Self.convolution(w, x, weights, bias)
      let (op, alpha, beta, function) = Self.epilogues[number % Self.epilogues.count]
      // The rounding error is relative to the largest accumulators.
      let largest = plain.map(abs).max() ?? 0
      for tile in [2, 4, 6] {
        withEachISA { isa in
          var w = w
          let packed = output(ck_winograd_packed_size(&w, tile), "\(isa) packed") {
            ck_winograd_pack_f32(&w, tile, weights, k, 0, ck_block_conv_units(&w), $0)
          }
          let input = Self.blocked(x, channels: w.in_channels, plane: Self.inPlane(w))
          let tiles = (w.out_h + tile - 1) / tile * ((w.out_w + tile - 1) / tile)
          var scratch = [Float](repeating: .nan, count: ck_winograd_scratch_size(&w, tile))
          let count = (w.out_channels + ck_block_size() - 1) / ck_block_size() * ck_block_size() * plane
          let y = output(count, "\(isa) \(w)") { out in
            bias.withUnsafeBufferPointer { b in
              var e = ck_epilogue(bias: b.baseAddress, activation: op, alpha: alpha, beta: beta)
              ck_winograd_f32(&w, tile, input, packed, &e, nil, out, &scratch, tiles / 3, tiles)
              ck_winograd_f32(&w, tile, input, packed, &e, nil, out, &scratch, 0, tiles / 3)
            }
          }
          expectClose(
            Self.dense(y, channels: w.out_channels, plane: plane), plain.map(function), relative: 0,
            absolute: [2: 2e-6, 4: 1e-5, 6: 3e-5][tile, default: 0] * largest, "\(isa) \(w) tile \(tile)")
        }
      }
    }
  }

  @Test("Winograd convolution of several images with on-the-fly filter transform")
  func lateWinograd() {
    var random = Random(229)
    let shapes = [
      Self.window(channels: (20, 37), input: [19, 21], kernel: [3, 3], pad: [1]),
      Self.window(channels: (150, 70), input: [9, 7], kernel: [3, 3], pad: [1]),
      Self.window(channels: (33, 48), input: [13, 40], kernel: [3, 3], pad: [2]),
      Self.window(channels: (300, 16), input: [3, 3], kernel: [3, 3], pad: [1]),
    ]
    let images = 3
    for (number, w) in shapes.enumerated() {
      let k = w.in_channels * 9, (plane, inPlane) = (Self.outPlane(w), Self.inPlane(w))
      let x = (0..<images).map { _ in random.floats(w.in_channels * inPlane) }
      let sum = (0..<images).map { _ in random.floats(w.out_channels * plane) }
      let weights = random.floats(w.out_channels * k), bias = random.floats(w.out_channels)
      let plain = zip(x, sum).map { zip(Self.convolution(w, $0, weights, bias), $1).map { $0 + Double($1) } }
      let (op, alpha, beta, function) = Self.epilogues[number % Self.epilogues.count]
      let largest = plain.joined().map(abs).max() ?? 0
      for tile in [2, 4, 6] {
        withEachISA { isa in
          var w = w
          let (units, size) = (ck_block_conv_units(&w), ck_block_size())
          let packed = output(ck_block_conv_packed_size(&w), "\(isa) packed") {
            ck_block_conv_pack_f32(&w, false, weights, k, 0, units, $0)
          }
          let input = x.flatMap { Self.blocked($0, channels: w.in_channels, plane: inPlane) }
          let add = sum.flatMap { Self.blocked($0, channels: w.out_channels, plane: plane) }
          let total = images * ((w.out_h + tile - 1) / tile * ((w.out_w + tile - 1) / tile))
          let image = (w.out_channels + size - 1) / size * size * plane
          // Chunks that end within an image, and input blocks in two parts.
          let (room, blocks) = (max(total / 2 - 1, 1), (w.in_channels + size - 1) / size)
          let y = output(images * image, "\(isa) \(w)") { out in
            bias.withUnsafeBufferPointer { b in
              var e = ck_epilogue(bias: b.baseAddress, activation: op, alpha: alpha, beta: beta)
              for first in stride(from: 0, to: total, by: room) {
                let count = min(room, total - first)
                let tiles = output(ck_winograd_fused_filter_tiles_size(&w, tile, room), "\(isa) tiles") {
                  ck_winograd_fused_filter_tiles_f32(&w, tile, input, $0, first, count, room, 0, blocks / 2)
                  ck_winograd_fused_filter_tiles_f32(&w, tile, input, $0, first, count, room, blocks / 2, blocks)
                }
                for (begin, end) in [(units / 2, units), (0, units / 2)] {
                  var scratch = [Float](
                    repeating: .nan, count: ck_winograd_fused_filter_scratch_size(&w, tile, room, end - begin))
                  ck_winograd_fused_filter_f32(
                    &w, tile, tiles, packed, &e, add, out, &scratch, first, count, room, begin, end)
                }
              }
            }
          }
          for (index, wanted) in plain.enumerated() {
            let own = Array(y[index * image..<(index + 1) * image])
            expectClose(
              Self.dense(own, channels: w.out_channels, plane: plane), wanted.map(function), relative: 0,
              absolute: [2: 2e-6, 4: 1e-5, 6: 3e-5][tile, default: 0] * largest, "\(isa) \(w) tile \(tile)")
            let rest = Self.blocked(
              Self.dense(own, channels: w.out_channels, plane: plane), channels: w.out_channels, plane: plane)
            #expect(rest == own, "\(isa): what fills up the last block is no zero")
          }
        }
      }
    }
  }

  @Test("attention of a head")
  func attention() {
    var random = Random(227)
    for (queries, keys, depth, width) in [
      (1, 1, 1, 1), (5, 9, 8, 16), (33, 70, 20, 37), (60, 131, 64, 64), (3, 300, 40, 8),
    ] {
      for (masked, causal) in [(false, false), (true, false), (false, true)] {
        let q = random.floats(queries * (depth + 3)), k = random.floats(keys * (depth + 1)),
          v = random.floats(keys * (width + 2))
        let mask = random.floats(queries * keys)
        let hidden = (0..<queries * keys).map { $0 % keys > $0 / keys ? -Float.infinity : .nan }
        func attended(_ k: [Float], _ v: [Float]) -> [Double] {
          (0..<queries).flatMap { i -> [Double] in
            let seen = causal ? min(keys, i + 1) : keys
            let scores = (0..<seen).map { j -> Double in
              let dot = (0..<depth).reduce(0.0) {
                $0 + Double(q[i * (depth + 3) + $1]) * Double(k[j * (depth + 1) + $1])
              }
              return dot * 0.25 + (masked ? Double(mask[i * keys + j]) : 0)
            }
            let most = scores.max() ?? 0, shares = scores.map { exp($0 - most) }, sum = shares.reduce(0, +)
            return (0..<width).map { c in
              (0..<seen).reduce(0.0) { $0 + shares[$1] * Double(v[$1 * (width + 2) + c]) } / sum
            }
          }
        }
        let f16 = (k.map { Float16($0) }, v.map { Float16($0) })
        let expected = attended(k, v), rounded = attended(f16.0.map { Float($0) }, f16.1.map { Float($0) })
        withEachISA { isa in
          var head = ck_attention(
            queries: queries, keys: keys, depth: depth, width: width, query: ck_strides(row: depth + 3, column: 1),
            key: ck_strides(row: depth + 1, column: 1), value: ck_strides(row: width + 2, column: 1),
            out: ck_strides(row: width, column: 1), scale: 0.25)
          let packed = output(ck_attention_packed_size(&head)) { ck_attention_pack_f32(&head, k, v, $0) }
          var scratch = [Float](repeating: .nan, count: ck_attention_scratch_size(&head))
          let part = keys / 3
          var scratchOfOne = [Float](repeating: .nan, count: ck_attention_few_scratch_size(&head))
          mask.withUnsafeBufferPointer { m in
            hidden.withUnsafeBufferPointer { h in
              guard let first = m.baseAddress, let second = h.baseAddress else { return }
              let masks = [
                ck_score_mask(numbers: causal ? second : first, row: keys, replaces: causal)
              ]
              let count = masked || causal ? 1 : 0
              let y = output(queries * width, "\(isa) attention") { out in
                ck_attention_f32(&head, q, packed, masks, count, out, &scratch, queries / 2, queries)
                ck_attention_f32(&head, q, packed, masks, count, out, &scratch, 0, queries / 2)
              }
              func few(_ k: UnsafeRawBufferPointer, _ v: UnsafeRawBufferPointer, _ stored: ck_stored) -> [Float] {
                output(queries * width, "\(isa) attention of one query") { out in
                  guard let k = k.baseAddress, let v = v.baseAddress else { return }
                  let size = stored == CK_STORED_F16 ? 2 : 4
                  let parts = [(0, part), (part, keys - part)].map { first, count in
                    ck_attention_part(
                      keys: k + size * first * (depth + 1), values: v + size * first * (width + 2), key: head.key,
                      value: head.value, count: count, key_stored: stored, value_stored: stored)
                  }
                  for i in 0..<queries {
                    q.withUnsafeBufferPointer { q in
                      ck_attention_few_f32(
                        &head, q.baseAddress.unsafelyUnwrapped + i * (depth + 3), parts, 2, masks, count, i,
                        out + i * width, &scratchOfOne)
                    }
                  }
                }
              }
              let floats = { stored in k.withUnsafeBytes { k in v.withUnsafeBytes { v in few(k, v, stored) } } }
              let small = f16.0.withUnsafeBytes { k in f16.1.withUnsafeBytes { v in few(k, v, CK_STORED_F16) }
              }
              for (y, expected, way) in [
                (y, expected, "queries"), (floats(CK_STORED_F32), expected, "one query"),
                (floats(CK_STORED_F32_ROUNDED), rounded, "one query, rounded"), (small, rounded, "one query, fp16"),
              ] {
                expectClose(
                  y, expected, relative: 1e-5, absolute: 1e-5,
                  "\(isa) \(way) \(queries) x \(keys) x \(depth) causal \(causal)")
              }
            }
          }
        }
      }
    }
  }
}
