import CKernels
import MIL

/// Rows times constant weights as a product over packed operands: the weights packed once, as halves where they are halves, the rows at each
/// run.
struct PackedLinear: Sendable {
  private let x: Int
  private let weight: Int
  private let weights: StoredWeight
  private let asHalves: Bool
  private let isTransposed: Bool
  private let rows: Int
  private let columns: Int
  private let depth: Int
  private let epilogue: Epilogue
  private let threads: Int
  private let strips: Pieces
  private let units: Pieces

  init(_ site: Site, _ linear: LinearSite, _ weights: StoredWeight) throws {
    guard linear.rows > 4 else { throw Refusal("a few rows: reading the weights is all there is to do") }
    (x, weight, self.weights, isTransposed) = (linear.x, linear.weight, weights, linear.isTransposed)
    asHalves = HalfRows.canHold(weights)
    (rows, columns, depth, epilogue) = (linear.rows, linear.columns, linear.depth, linear.epilogue)
    threads = max(site.threads, 1)
    let count = ck_rows_units(columns)
    units = Pieces(count, about: threads == 1 ? 1 : min(4 * threads, count))
    // Rows whose packed form stays in the second-level cache while all weights pass.
    let most = max((1 << 17) / max(depth, 1), 28)
    let wanted = threads == 1 ? 1 : (4 * threads + units.count - 1) / units.count
    strips = Pieces(rows, of: min(most, max((rows + wanted - 1) / wanted, 1)))
  }

  var offer: Offer {
    func share(_ size: Int, _ cost: Double) -> Double { Double(size) / (Double(size) + cost) }
    let efficiency = 0.95 * share(rows, 2) * share(depth, 8) * share(columns, 8)
    let floats = ck_rows_packed_size(rows, depth)
    let add = epilogue.add
    return Offer(
      efficiency: efficiency, scratchBytes: floats * 4, inPlace: add.map { [$0] } ?? [], packed: [weight]
    ) { preparation in
      let packed = try PackedWeights.columns(
        weights, depth: depth, columns: columns, transposed: isTransposed, asHalves: asHalves, preparation)
      return .cpu { run($0, packed) }
    }
  }

  private func run(_ frame: CPUFrame, _ packed: PackedWeights) {
    let input: UnsafePointer<Float> = frame.input(x)
    let output: UnsafeMutablePointer<Float> = frame.output()
    let left = frame.scratch.assumingMemoryBound(to: Float.self)
    let add = epilogue.add(frame)
    frame.pool.run(strips.count) { items in
      for item in items {
        let range = strips[item]
        ck_rows_pack_f32(input, depth, rows, depth, 1, range.lowerBound, range.upperBound, left)
      }
    }
    frame.pool.run(strips.count * units.count) { items in
      var finish = epilogue.withoutSum(frame)
      for item in items {
        let (down, across) = (strips[item % strips.count], units[item / strips.count])
        if asHalves {
          ck_rows_product_f16w_f32(
            rows, columns, depth, left, packed.halves, &finish, add, columns, output, columns, down.lowerBound,
            down.upperBound, across.lowerBound, across.upperBound)
        } else {
          ck_rows_product_f32(
            rows, columns, depth, left, packed.pointer, &finish, add, columns, output, columns, down.lowerBound,
            down.upperBound, across.lowerBound, across.upperBound)
        }
      }
    }
  }
}
