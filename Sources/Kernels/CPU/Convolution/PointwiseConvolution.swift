import CKernels
import MIL

/// A convolution with a filter of one element whose output position p reads only input position p. For each image and
/// group it is the product of weights [C_out, C_in] and input [C_in, positions]. Threads share the tiles of the
/// product.
struct PointwiseConvolution: Sendable {
  private let conv: ConvolutionProblem
  private let rows: Chunks
  private let columns: Chunks

  init(_ conv: ConvolutionProblem) throws {
    let g = conv.geometry
    guard g.kernelArea == 1, g.strides == [1, 1, 1], g.input == g.output, g.padBefore == [0, 0, 0] else {
      throw Refusal("the kernel is not 1 wide, or strided or padded")
    }
    try Refusal.unlessProduct(conv.groupOut, conv.groupIn, g.outputArea)
    self.conv = conv
    (rows, columns) = ProductTiles.choose(
      rows: conv.groupOut, columns: g.outputArea, products: g.batch * g.groups, threads: conv.threads)
  }

  var candidate: Candidate {
    let g = conv.geometry
    if g.outputArea == 1, g.groups == 1 { return vectorCandidate }
    let (groupIn, groupOut, area) = (conv.groupIn, conv.groupOut, g.outputArea)
    return .cpu(efficiency: BLAS.efficiency(m: groupOut, n: area, k: groupIn)) { frame in
      let input: UnsafePointer<Float> = frame.input(conv.x)
      let weights: UnsafePointer<Float> = frame.input(conv.weight)
      let output: UnsafeMutablePointer<Float> = frame.output()
      let add = conv.epilogue.add(frame)
      frame.pool.run(g.batch * g.groups * rows.count * columns.count) { items in
        for item in items {
          let column = columns[item % columns.count]
          let row = rows[item / columns.count % rows.count]
          let product = item / (columns.count * rows.count)
          let channel = product % g.groups * groupOut + row.lowerBound
          let offset = product / g.groups * conv.outputImage + channel * area + column.lowerBound
          Tile.load(add, offset, output, rows: row.count, columns: column.count, stride: area)
          BLAS.multiply(
            weights + channel * groupIn, lda: groupIn, input + product * groupIn * area + column.lowerBound, ldb: area,
            output + offset, ldc: area, m: row.count, n: column.count, k: groupIn, beta: add == nil ? 0 : 1)
          conv.epilogue.applyChannels(
            frame, channel: channel, output + offset, channels: row.count, columns: column.count, stride: area)
        }
      }
    }
  }

  /// Like `vectorCandidate`, but reads the weights in the form in which they are stored, such as fp16 or quantized.
  func storedCandidate(_ weights: StoredWeight) throws -> Candidate {
    let g = conv.geometry
    guard g.outputArea == 1, g.groups == 1 else { throw Refusal("the images have more than one position, or groups") }
    let linear = LinearProblem(
      x: conv.x, weight: conv.weight, isTransposed: true, rows: g.batch, columns: conv.groupOut, depth: conv.groupIn,
      epilogue: conv.epilogue)
    return try StoredLinear(linear, weights, threads: conv.threads, efficiency: 0.3).candidate
  }

  /// A convolution with one position per image: the images are the rows of a product with the transposed weights.
  private var vectorCandidate: Candidate {
    let (batch, depth, channels) = (conv.geometry.batch, conv.groupIn, conv.groupOut)
    let pieces = Chunks(channels, about: RowProduct.pieces(columns: channels, depth: depth, threads: conv.threads))
    return .cpu(efficiency: 0.3) { frame in
      let row = RowProduct(
        x: frame.input(conv.x), weight: frame.input(conv.weight), ldw: depth, isTransposed: true,
        output: frame.output(), rows: batch, columns: channels, depth: depth)
      frame.pool.run(pieces.count) { items in
        for item in items { row.run(pieces[item], conv.epilogue, frame) }
      }
    }
  }
}
