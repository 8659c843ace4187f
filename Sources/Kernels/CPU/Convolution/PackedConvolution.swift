import CKernels
import MIL

/// Any convolution with constant weights as a matrix product over packed operands. The weights are packed once. Input
/// patches (the input elements of a window) are packed in panels, each time the convolution runs. The kernel applies
/// bias and activation when it stores results.
///
/// Threads share panels of output positions. If there are fewer panels than threads, all patches of a group are packed
/// first, and the threads share output channels as well.
struct PackedConvolution: Sendable {
  private let conv: ConvolutionProblem
  private let weights: StoredWeight
  private let depth: Int
  private let panels: Chunks
  private let panelCount: Int

  /// Limit in fp32 elements for the patches of a group that are packed at once.
  private static let wholeLimit = 1 << 22

  init(_ problem: KernelProblem) throws {
    conv = try problem.convolution()
    weights = try problem.weight("weight")
    let g = conv.geometry
    depth = conv.groupIn * g.kernelArea  // cannot overflow: at most the element count of the weights
    guard g.inputArea <= BLAS.limit else { throw Refusal("the input planes are too large") }
    try g.requireNear()
    // The kernel keeps window offsets in 32 bits, also those of windows that begin in the padding.
    let before = (g.padBefore[0] * g.input[1] + g.padBefore[1]) * g.input[2] + g.padBefore[2]
    guard before <= Int(Int32.max) else { throw Refusal("the window reaches too far outside") }
    panelCount = (g.outputArea + ck_gemm_panel_columns() - 1) / ck_gemm_panel_columns()
    let products = g.batch * g.groups
    let wanted = conv.threads == 1 ? 1 : (4 * conv.threads + products - 1) / products
    panels = Chunks(panelCount, about: wanted)
  }

  var candidate: Candidate {
    get throws {
      let g = conv.geometry
      // Panels and tiles of rows are padded with zeros.
      let (wide, tall) = (ck_gemm_panel_columns(), ck_gemm_tile_rows())
      func filled(_ size: Int, _ unit: Int) -> Double { Double(size) / Double((size + unit - 1) / unit * unit) }
      let shares = filled(g.outputArea, wide) * filled(conv.groupOut, tall)
      // Packing a patch costs as much as multiplying it by 6 or 12 more rows of weights.
      let packing = Double(conv.groupOut) / Double(conv.groupOut + (g.kernelArea == 1 ? 6 : 12))
      let efficiency = 0.9 * shares * packing * Double(depth) / Double(depth + 12)
      let whole = wholeFloats
      if g.batch * g.groups * panelCount < conv.threads, let whole {
        return Candidate(efficiency: efficiency, scratchBytes: whole * 4, packed: [conv.weight]) { preparation in
          let packed = try PackedWeights.left(
            weights, groups: g.groups, rows: conv.groupOut, depth: depth, preparation)
          return .cpu { runWhole($0, packed) }
        }
      }
      let scratch = ck_conv_gemm_scratch_size()
      return Candidate(efficiency: efficiency, scratchBytes: scratch * 4 * conv.threads, packed: [conv.weight]) {
        preparation in
        let packed = try PackedWeights.left(weights, groups: g.groups, rows: conv.groupOut, depth: depth, preparation)
        return .cpu { run($0, packed, scratch) }
      }
    }
  }

  private func run(_ frame: CPUFrame, _ packed: PackedWeights, _ scratch: Int) {
    let g = conv.geometry
    let input: UnsafePointer<Float> = frame.input(conv.x)
    let output: UnsafeMutablePointer<Float> = frame.output()
    let size = ck_gemm_packed_a_size(conv.groupOut, depth)
    let wide = ck_gemm_panel_columns()
    frame.pool.run(g.batch * g.groups * panels.count, workers: conv.threads) { items, worker in
      var (shape, epilogue) = (conv.window, conv.epilogue.whole(frame))
      let memory = frame.scratch.assumingMemoryBound(to: Float.self) + worker * scratch
      for item in items {
        let range = panels[item % panels.count]
        let product = item / panels.count
        let (image, group) = (product / g.groups, product % g.groups)
        ck_conv_gemm_f32(
          &shape, group, input + image * conv.inputImage, packed.pointer + group * size, &epilogue,
          output + image * conv.outputImage, memory, range.lowerBound, range.upperBound)
        guard conv.epilogue.add != nil else { continue }
        let columns = range.lowerBound * wide..<min(range.upperBound * wide, g.outputArea)
        for channel in group * conv.groupOut..<(group + 1) * conv.groupOut {
          conv.epilogue.finish(
            frame, image * conv.outputImage + channel * g.outputArea + columns.lowerBound, columns.count)
        }
      }
    }
  }

  /// fp32 elements of scratch memory for the columns of a group and their packed copy. Nil if they exceed the limit.
  private var wholeFloats: Int? {
    let (floats, overflow) = depth.multipliedReportingOverflow(by: conv.geometry.outputArea)
    guard !overflow, floats <= Self.wholeLimit else { return nil }
    return floats + ck_gemm_packed_b_size(conv.geometry.outputArea, depth)
  }

  private func runWhole(_ frame: CPUFrame, _ packed: PackedWeights) {
    let g = conv.geometry
    let area = g.outputArea
    let output: UnsafeMutablePointer<Float> = frame.output()
    let columns = frame.scratch.assumingMemoryBound(to: Float.self)
    let patches = columns + depth * area
    let size = ck_gemm_packed_a_size(conv.groupOut, depth)
    let tall = ck_gemm_tile_rows()
    let channels = Chunks(conv.groupIn, about: 2 * conv.threads)
    let tiles = Chunks((conv.groupOut + tall - 1) / tall, about: (3 * conv.threads + panelCount - 1) / panelCount)
    for product in 0..<g.batch * g.groups {
      let (image, group) = (product / g.groups, product % g.groups)
      let input = frame.input(conv.x, as: Float.self) + image * conv.inputImage
      frame.pool.run(channels.count) { items in
        var shape = conv.window
        for item in items {
          let range = channels[item]
          ck_im2col_f32(
            &shape, input, group * conv.groupIn + range.lowerBound, group * conv.groupIn + range.upperBound, 0,
            g.output[0] * g.output[1], columns + range.lowerBound * g.kernelArea * area)
        }
      }
      frame.pool.run(panelCount) { panels in
        ck_gemm_pack_b_f32(depth, area, columns, area, 1, panels.lowerBound, panels.upperBound, patches)
      }
      frame.pool.run(tiles.count * panelCount) { items in
        var epilogue = conv.epilogue.whole(frame)
        let first = group * conv.groupOut
        epilogue.bias = epilogue.bias.advanced(first)
        let target = image * conv.outputImage + first * area
        for item in items {
          let (range, panel) = (tiles[item / panelCount], item % panelCount)
          ck_gemm_packed_f32(
            conv.groupOut, area, depth, packed.pointer + group * size, patches, CK_BIAS_ROWS, &epilogue,
            output + target,
            area, range.lowerBound, range.upperBound, panel, panel + 1)
          guard conv.epilogue.add != nil else { continue }
          let columns = panel * ck_gemm_panel_columns()..<min((panel + 1) * ck_gemm_panel_columns(), area)
          for row in range.lowerBound * tall..<min(range.upperBound * tall, conv.groupOut) {
            conv.epilogue.finish(frame, target + row * area + columns.lowerBound, columns.count)
          }
        }
      }
    }
  }
}
