import CKernels
import MIL

/// Any convolution as a matrix product (im2col): each column holds the input elements of one window, and the weights
/// are multiplied by the columns.
///
/// If all columns of a group fit in a cache, the threads fill them concurrently and then share the product
/// (`wholeCandidate`). Otherwise each thread fills and multiplies its own tiles of output positions (`tiledCandidate`).
struct Im2colConvolution: Sendable {
  private let conv: ConvolutionProblem
  /// Elements of a column (K).
  private let depth: Int
  private let area: Int

  /// Limit in fp32 elements for the columns of a group that are filled at once.
  private static let wholeLimit = 1 << 21
  /// Target size in fp32 elements of a thread's tile of columns, and the least number of columns of a tile, which may
  /// exceed the target.
  private static let tileFloats = 1 << 20
  private static let tileColumns = 256

  init(_ conv: ConvolutionProblem) throws {
    self.conv = conv
    area = conv.geometry.outputArea
    let (depth, overflow) = conv.groupIn.multipliedReportingOverflow(by: conv.geometry.kernelArea)
    guard !overflow else { throw Refusal("the kernel is too large") }
    self.depth = depth
    try Refusal.unlessProduct(conv.groupOut, depth, area)
  }

  private var isWhole: Bool {
    let (floats, overflow) = depth.multipliedReportingOverflow(by: area)
    return !overflow && floats <= Self.wholeLimit
  }

  private func efficiency(columns: Int) -> Double {
    // Filling a column costs about as much as multiplying it by 16 more rows of weights.
    BLAS.efficiency(m: conv.groupOut, n: columns, k: depth) * Double(conv.groupOut) / Double(conv.groupOut + 16)
  }

  func wholeCandidate() throws -> Candidate {
    guard isWhole else { throw Refusal("the columns of a group do not fit in a cache") }
    let g = conv.geometry
    let (groupIn, groupOut) = (conv.groupIn, conv.groupOut)
    let (rows, columns) = ProductTiles.choose(rows: groupOut, columns: area, products: 1, threads: conv.threads)
    let channels = Chunks(groupIn, about: conv.threads == 1 ? 1 : 3 * conv.threads)
    return .cpu(efficiency: efficiency(columns: area), scratchBytes: depth * area * 4) { frame in
      let input: UnsafePointer<Float> = frame.input(conv.x)
      let weights: UnsafePointer<Float> = frame.input(conv.weight)
      let output: UnsafeMutablePointer<Float> = frame.output()
      let laid = frame.scratch.assumingMemoryBound(to: Float.self)
      let add = conv.epilogue.add(frame)
      for product in 0..<g.batch * g.groups {
        let (image, group) = (product / g.groups, product % g.groups)
        frame.pool.run(channels.count) { items in
          var shape = conv.window
          for item in items {
            let range = channels[item]
            ck_im2col_f32(
              &shape, input + image * conv.inputImage, group * groupIn + range.lowerBound,
              group * groupIn + range.upperBound, 0, g.output[0] * g.output[1],
              laid + range.lowerBound * g.kernelArea * area)
          }
        }
        frame.pool.run(rows.count * columns.count) { items in
          for item in items {
            let (row, column) = (rows[item / columns.count], columns[item % columns.count])
            let channel = group * groupOut + row.lowerBound
            let offset = image * conv.outputImage + channel * area + column.lowerBound
            Tile.load(add, offset, output, rows: row.count, columns: column.count, stride: area)
            BLAS.multiply(
              weights + channel * depth, lda: depth, laid + column.lowerBound, ldb: area, output + offset, ldc: area,
              m: row.count, n: column.count, k: depth, beta: add == nil ? 0 : 1)
            conv.epilogue.applyChannels(
              frame, channel: channel, output + offset, channels: row.count, columns: column.count, stride: area)
          }
        }
      }
    }
  }

  func tiledCandidate() throws -> Candidate {
    guard !isWhole else { throw Refusal("the columns of a group fit in a cache, all threads can share them") }
    let g = conv.geometry
    let (groupIn, groupOut, threads) = (conv.groupIn, conv.groupOut, conv.threads)
    let target = max(Self.tileColumns, Self.tileFloats / depth)
    // A tile consists of whole output rows, or is a part of the row if there is only one.
    let isLine = g.output[0] * g.output[1] == 1
    let unit = isLine ? 1 : g.output[2]
    let lines = area / unit
    let share = threads == 1 ? lines : (lines + 2 * threads - 1) / (2 * threads)
    let tiles = Chunks(lines, of: min(max(target / unit, 1), max(share, 1)))
    let (tileFloats, overflow) = depth.multipliedReportingOverflow(by: tiles.size * unit)
    guard !overflow, tileFloats <= 1 << 28 else { throw Refusal("one row of columns takes more than a gigabyte") }
    let (tileBytes, columns) = ((tileFloats * 4 + 63) / 64 * 64, tiles.size * unit)
    return .cpu(efficiency: efficiency(columns: columns), scratchBytes: tileBytes * threads) { frame in
      let input: UnsafePointer<Float> = frame.input(conv.x)
      let weights: UnsafePointer<Float> = frame.input(conv.weight)
      let output: UnsafeMutablePointer<Float> = frame.output()
      let add = conv.epilogue.add(frame)
      frame.pool.run(g.batch * g.groups * tiles.count, workers: threads) { items, worker in
        let laid = (frame.scratch + worker * tileBytes).assumingMemoryBound(to: Float.self)
        for item in items {
          let range = tiles[item % tiles.count]
          let product = item / tiles.count
          let (image, group) = (product / g.groups, product % g.groups)
          var shape = conv.window
          if isLine {
            shape.pad_w -= range.lowerBound * shape.stride_w
            shape.out_w = range.count
          }
          ck_im2col_f32(
            &shape, input + image * conv.inputImage, group * groupIn, (group + 1) * groupIn,
            isLine ? 0 : range.lowerBound, isLine ? 1 : range.upperBound, laid)
          let count = range.count * unit
          let channel = group * groupOut
          let offset = image * conv.outputImage + channel * area + range.lowerBound * unit
          Tile.load(add, offset, output, rows: groupOut, columns: count, stride: area)
          BLAS.multiply(
            weights + channel * depth, lda: depth, laid, ldb: count, output + offset, ldc: area, m: groupOut, n: count,
            k: depth, beta: add == nil ? 0 : 1)
          conv.epilogue.applyChannels(
            frame, channel: channel, output + offset, channels: groupOut, columns: count, stride: area)
        }
      }
    }
  }
}
