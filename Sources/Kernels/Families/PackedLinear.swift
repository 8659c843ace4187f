import CKernels
import MIL

/// Rows times constant weights as a product over packed operands: the weights packed once, the rows at each run.
struct PackedLinear: Sendable {
  private let x: Int
  private let weight: Int
  private let weights: StoredWeight
  private let isTransposed: Bool
  private let rows: Int
  private let columns: Int
  private let depth: Int
  private let epilogue: Epilogue
  private let threads: Int
  private let tiles: Pieces
  private let panels: Pieces

  init(_ site: Site, _ linear: LinearSite, _ weights: StoredWeight) throws {
    guard linear.rows > 4 else { throw Refusal("a few rows: reading the weights is all there is to do") }
    (x, weight, self.weights, isTransposed) = (linear.x, linear.weight, weights, linear.isTransposed)
    (rows, columns, depth, epilogue) = (linear.rows, linear.columns, linear.depth, linear.epilogue)
    threads = max(site.threads, 1)
    let down = (rows + ck_gemm_tile_rows() - 1) / ck_gemm_tile_rows()
    let across = (columns + ck_gemm_panel_columns() - 1) / ck_gemm_panel_columns()
    panels = Pieces(across, about: threads == 1 ? 1 : min(4 * threads, across))
    tiles = Pieces(down, about: threads == 1 ? 1 : (4 * threads + panels.count - 1) / panels.count)
  }

  var offer: Offer {
    func share(_ size: Int, _ cost: Double) -> Double { Double(size) / (Double(size) + cost) }
    let efficiency = 0.95 * share(rows, 3) * share(depth, 16) * share(columns, 8)
    let floats = (ck_gemm_packed_a_size(rows, depth) + 15) / 16 * 16
    return Offer(efficiency: efficiency, scratchBytes: floats * 4, packed: [weight]) { preparation in
      let packed = try PackedWeights.right(
        weights, depth: depth, columns: columns, transposed: isTransposed, preparation)
      return .cpu { run($0, packed) }
    }
  }

  private func run(_ frame: CPUFrame, _ packed: PackedWeights) {
    let input: UnsafePointer<Float> = frame.input(x)
    let output: UnsafeMutablePointer<Float> = frame.output()
    let left = frame.scratch.assumingMemoryBound(to: Float.self)
    let (tall, wide) = (ck_gemm_tile_rows(), ck_gemm_panel_columns())
    frame.pool.run(tiles.count) { items in
      for item in items {
        let range = tiles[item]
        let first = range.lowerBound * tall
        ck_gemm_pack_a_f32(
          min(range.upperBound * tall, rows) - first, depth, input + first * depth, depth, 1, left + first * depth)
      }
    }
    frame.pool.run(tiles.count * panels.count) { items in
      var finish = epilogue.whole(frame)
      for item in items {
        let (down, across) = (tiles[item / panels.count], panels[item % panels.count])
        let (row, last) = (down.lowerBound * tall, min(down.upperBound * tall, rows))
        // Rows that were packed together are a product of their own.
        ck_gemm_packed_f32(
          last - row, columns, depth, left + row * depth, packed.pointer, CK_BIAS_COLUMNS, &finish,
          output + row * columns,
          columns, 0, down.count, across.lowerBound, across.upperBound)
        guard epilogue.add != nil else { continue }
        let first = across.lowerBound * wide
        for index in row..<last {
          epilogue.finish(frame, index * columns + first, min(across.upperBound * wide, columns) - first)
        }
      }
    }
  }
}
