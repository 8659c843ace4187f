import CKernels
import MIL

/// Convolution of bytes by whole numbers, over channels in blocks, to bytes or to floats.
struct QuantizedConvolution: Sendable {
  private let site: QuantizedSite
  /// The input is dense, of few channels: they become planes of fours.
  private let isDense: Bool
  private let units: Pieces
  private let rows: Pieces
  /// Bytes that the input takes with what it is padded with around it; none where it is read as it lies.
  private let image: Int

  init(_ site: Site, from source: BlockedConvolution.Source) throws {
    isDense = source == .dense
    self.site = try QuantizedSite(site)
    let g = self.site.geometry
    guard g.groups == 1 else { throw Refusal("more than one group") }
    guard isDense == (g.inChannels * 2 < Blocks.size) else {
      throw Refusal(isDense ? "the input fills half a block" : "the input's channels do not fill half a block")
    }
    guard !isDense || self.site.result != nil else { throw Refusal("the result is not bytes") }
    var window = self.site.window
    guard ck_block_conv_supports(&window, false) else { throw Refusal("not two dimensions") }
    try Blocks.requireCountable(g)
    if isDense {
      _ = try ShortConvolution.byteImage(g, &window)
      image = ck_byte_planes_size(&window) * 4
    } else {
      image = ck_byte_conv_is_plain(&window) ? 0 : try ShortConvolution.byteImage(g, &window) * 4
    }
    let pieces = self.site.threads == 1 ? 1 : 4 * self.site.threads
    rows = Pieces(g.output[1], about: min(pieces, (g.output[1] + 3) / 4))
    // Two units share the positions of a block of bytes, and with them lines of the caches.
    units = Pieces(
      ck_block_conv_units(&window), about: pieces / rows.count, multiple: self.site.result == nil ? 1 : 2)
  }

  var offer: Offer {
    get throws {
      let g = site.geometry
      let depth = Double((g.inChannels + 3) / 4 * g.kernelArea)
      let sums = Double(
        min(g.kernelArea == 1 ? g.outputArea : g.output[2], 14) * (Blocks.count(g.outChannels) > 1 ? 2 : 1))
      let bytes =
        Double(g.batch) * Double(ByteBlocks.padded(g.inChannels) * g.inputArea + image * 2)
        + Double(g.batch) * Double(g.outChannels * g.outputArea) * (site.result == nil ? 4 : 1) + 4
        * Double(g.outChannels) * depth
      let offer = Offer(
        efficiency: 0.9 * depth / (depth + 3) * min(1, sums / (sums + 1.5)), scratchBytes: image, packed: [site.weight],
        work: Work(flops: 2 * depth * Double(g.batch * Blocks.padded(g.outChannels) * g.outputArea), bytes: bytes)
      ) { preparation in
        let packed = try PackedWeights.blocked(
          site.product.weights, site.window, isDense: isDense, as: .fours, preparation)
        guard let result = site.result else {
          let sums = try site.product.sums()
          return .cpu { frame in
            run(frame) { window, image, number, units, rows in
              var epilogue = site.epilogue.withoutSum(frame)
              let place = number * Blocks.padded(g.outChannels) * g.outputArea
              let add = site.epilogue.add(frame).map { $0 + place }
              sums.with {
                ck_block_conv_i8_f32(
                  window, image, packed.pointer, $0, &epilogue, add, frame.output(0, as: Float.self) + place,
                  units.lowerBound, units.upperBound, rows.lowerBound, rows.upperBound)
              }
            }
          }
        }
        let sums = try site.byteSums(result)
        return .cpu { frame in
          run(frame) { window, image, number, units, rows in
            let place = number * ByteBlocks.padded(g.outChannels) * g.outputArea
            sums.with {
              ck_byte_conv(
                window, isDense, image, packed.pointer, $0, result.steps.steps, frame.output(0, as: UInt8.self) + place,
                units.lowerBound,
                units.upperBound, rows.lowerBound, rows.upperBound)
            }
          }
        }
      }
      return offer.byteBlocked(isDense ? [] : [site.x], givesBytes: site.result != nil)
        .taking(site.epilogue.add.map { [$0] } ?? [], Blocks.layout)
    }
  }

  private func run(
    _ frame: CPUFrame,
    _ body: (UnsafePointer<ck_window>, UnsafePointer<Float>, Int, Range<Int>, Range<Int>) -> Void
  ) {
    let g = site.geometry
    let input = frame.input(site.x, as: UInt8.self)
    let size = (isDense ? g.inChannels : ByteBlocks.padded(g.inChannels)) * g.inputArea
    for number in 0..<g.batch {
      let source = input + number * size
      var numbers = UnsafeRawPointer(source).assumingMemoryBound(to: Float.self)
      if image > 0 {
        let target = frame.scratch.assumingMemoryBound(to: Float.self)
        surround(source, target, frame.pool)
        numbers = UnsafePointer(target)
      }
      frame.pool.run(units.count * rows.count, workers: site.threads) { items, _ in
        var window = site.window
        for item in items { body(&window, numbers, number, units[item / rows.count], rows[item % rows.count]) }
      }
    }
  }

  /// Makes the image with what it is padded with around it.
  private func surround(_ source: UnsafePointer<UInt8>, _ target: UnsafeMutablePointer<Float>, _ pool: ThreadPool) {
    var window = site.window
    let planes = (site.geometry.inChannels + 3) / 4
    let count = ck_block_conv_i8_rows(&window) * (isDense ? planes : 1)
    pool.run(count, grain: max(count / (4 * site.threads), 1)) { part in
      var window = site.window
      if isDense {
        ck_byte_planes(
          &window, source, site.flip, site.scale.nothing, target, part.lowerBound, part.upperBound)
      } else {
        ck_byte_conv_image(&window, source, site.scale.nothing, target, part.lowerBound, part.upperBound)
      }
    }
  }
}

extension Offer {
  fileprivate func taking(_ slots: [Int], _ layout: Layout) -> Offer {
    var offer = self
    for slot in slots { offer.takes[slot] = layout }
    return offer
  }
}
