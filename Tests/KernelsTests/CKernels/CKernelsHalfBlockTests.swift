import CKernels
import Testing

/// NCHWc convolutions with fp16 weights. The results equal those of the same weights in fp32 bit for bit.
extension CKernelsTests {
  private static func f16(_ count: Int, _ random: inout Random) -> [Float] {
    random.floats(count).map { Float(Float16($0)) }
  }

  private static func packedF16(_ w: ck_window, _ weights: [Float], _ filter: Int) -> [UInt16] {
    var w = w
    let units = ck_block_conv_units(&w)
    // Elements that no call writes stay NaN.
    var packed = [UInt16](repeating: 0x7e00, count: ck_block_conv_packed_size(&w))
    for unit in 0..<units {
      let first = ck_block_conv_unit_channel(&w, unit)
      weights.withUnsafeBufferPointer {
        guard let base = $0.baseAddress else { return }
        ck_block_conv_pack_f16(&w, base + first * filter, filter, unit, unit + 1, &packed)
      }
    }
    return packed
  }

  @Test("NCHWc convolution with fp16 weights")
  func blockConvolutionOfHalves() {
    var random = Random(307)
    var taken = 0
    for (number, w) in Self.blockShapes.enumerated() {
      let filter = w.in_channels / w.groups * Self.kernelSize(w), plane = Self.outPlane(w)
      let x = random.floats(w.in_channels * Self.inPlane(w)), bias = random.floats(w.out_channels)
      let weights = Self.f16(w.out_channels * filter, &random), add = random.floats(w.out_channels * plane)
      let (op, alpha, beta, _) = Self.epilogues[number % Self.epilogues.count]
      withEachISA { isa in
        var w = w
        guard ck_block_conv_supports(&w, false), ck_block_conv_takes_f16(&w, false) else { return }
        taken += 1
        let (units, rows) = (ck_block_conv_units(&w), w.out_h)
        let packed = output(ck_block_conv_packed_size(&w), "\(isa) packed") {
          ck_block_conv_pack_f32(&w, false, weights, filter, 0, units, $0)
        }
        let half = Self.packedF16(w, weights, filter)
        #expect(half.map { Float(Float16(bitPattern: $0)) } == packed, "\(isa) \(w): other places, or other numbers")
        let input = Self.blocked(x, channels: w.in_channels, plane: Self.inPlane(w))
        let sum = Self.blocked(add, channels: w.out_channels, plane: plane)
        var scratch = [Float](repeating: .nan, count: ck_block_conv_scratch_size(&w, false) + 1)
        bias.withUnsafeBufferPointer { b in
          var e = ck_epilogue(bias: b.baseAddress, activation: op, alpha: alpha, beta: beta)
          let wanted = output(sum.count, "\(isa) floats") {
            ck_block_conv_f32(&w, false, input, packed, &e, sum, $0, &scratch, 0, units, 0, rows)
          }
          var room = [Float](repeating: .nan, count: ck_block_conv_widened_size(&w) + 1)
          for isWidened in [false, true] {
            let found = output(sum.count, "\(isa) fp16") { out in
              for (first, end) in [(0, units / 2), (units / 2, units)] {
                room.withUnsafeMutableBufferPointer { room in
                  ck_block_conv_f16w_f32(
                    &w, input, half, isWidened && room.count > 1 ? room.baseAddress : nil, &e, sum, out, &scratch,
                    first, end, 0, rows)
                }
              }
            }
            #expect(found == wanted, "\(isa) \(w)")
          }
          #expect(room.last?.isNaN == true, "\(isa) \(w): beyond the room")
        }
      }
    }
    #expect(taken > 20, "most shapes are taken")
  }

  @Test("Winograd convolution with fp16 filters and on-the-fly transform", arguments: [2, 4, 6])
  func lateWinogradOfHalves(tile: Int) {
    var random = Random(311)
    for w in [
      Self.window(channels: (20, 37), input: [19, 21], kernel: [3, 3], pad: [1]),
      Self.window(channels: (150, 70), input: [9, 7], kernel: [3, 3], pad: [1]),
      Self.window(channels: (300, 16), input: [3, 3], kernel: [3, 3], pad: [1]),
    ] {
      let filter = w.in_channels * 9, (op, alpha, beta, _) = Self.epilogues[1]
      let x = random.floats(w.in_channels * Self.inPlane(w)), weights = Self.f16(w.out_channels * filter, &random)
      withEachISA { isa in
        var w = w
        let (units, size) = (ck_block_conv_units(&w), ck_block_size())
        let packed = output(ck_block_conv_packed_size(&w), "\(isa) packed") {
          ck_block_conv_pack_f32(&w, false, weights, filter, 0, units, $0)
        }
        let half = Self.packedF16(w, weights, filter)
        let input = Self.blocked(x, channels: w.in_channels, plane: Self.inPlane(w))
        let total = (w.out_h + tile - 1) / tile * ((w.out_w + tile - 1) / tile)
        let blocks = (w.in_channels + size - 1) / size
        let tiles = output(ck_winograd_fused_filter_tiles_size(&w, tile, total), "\(isa) tiles") {
          ck_winograd_fused_filter_tiles_f32(&w, tile, input, $0, 0, total, total, 0, blocks)
        }
        var scratch = [Float](repeating: .nan, count: ck_winograd_fused_filter_scratch_size(&w, tile, total, units))
        var e = ck_epilogue(bias: nil, activation: op, alpha: alpha, beta: beta)
        let image = (w.out_channels + size - 1) / size * size * Self.outPlane(w)
        let wanted = output(image, "\(isa) floats") {
          ck_winograd_fused_filter_f32(&w, tile, tiles, packed, &e, nil, $0, &scratch, 0, total, total, 0, units)
        }
        let found = output(image, "\(isa) fp16") {
          ck_winograd_fused_filter_f16w_f32(&w, tile, tiles, half, &e, nil, $0, &scratch, 0, total, total, 0, units)
        }
        #expect(found == wanted, "\(isa) \(w)")
      }
    }
  }
}
