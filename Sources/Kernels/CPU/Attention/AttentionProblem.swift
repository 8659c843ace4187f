import CKernels
import MIL

/// fp32 attention as its kernels see it: `batch` items of `length` queries over `sources` keys and values.
struct AttentionProblem: Sendable {
  let batch: Int
  let length: Int
  let sources: Int
  let depth: Int
  let width: Int
  let threads: Int
  private let slots: (query: Int, key: Int, value: Int, mask: Int?)
  /// Offsets of each batch item's mask, and the distances of its rows and columns.
  private let masks: [Int]
  private let maskRow: Int
  private let maskColumn: Int
  private let isBool: Bool

  init(_ problem: KernelProblem) throws {
    try problem.requireScalar(.float32, of: ["query", "key", "value"])
    let query = try problem.sizes("query")
    let rank = query.count
    (length, depth) = (query[rank - 2], query[rank - 1])
    sources = try problem.sizes("key")[rank - 2]
    width = try problem.sizes("value")[rank - 1]
    let lead = Array(query[..<(rank - 2)])
    batch = lead.reduce(1, *)
    threads = max(problem.threads, 1)
    guard batch >= 1, batch <= BatchedProduct.placeLimit else { throw Refusal("the batch is empty or too large") }
    try Refusal.unlessProduct(length, depth, sources, width)
    guard sources <= 1 << 24 else { throw Refusal("a row of scores takes more than 64 megabytes") }
    slots = (
      try problem.slot("query"), try problem.slot("key"), try problem.slot("value"), problem.optionalSlot("attn_mask")
    )
    guard slots.mask != nil else {
      (masks, maskRow, maskColumn, isBool) = ([], 0, 0, false)
      return
    }
    let scalar = try problem.scalar("attn_mask")
    guard scalar == .bool || scalar == .float32 else { throw Refusal("'attn_mask' is \(scalar.rawValue)") }
    isBool = scalar == .bool
    let places = Broadcast(from: try problem.sizes("attn_mask"), to: lead + [length, sources])
    masks = try Indices(lead).map { places.offset($0 + [0, 0]) }
    (maskRow, maskColumn) = (places.strides[rank - 2], places.strides[rank - 1])
  }

  func query(_ frame: CPUFrame, _ item: Int, row: Int) -> UnsafePointer<Float> {
    frame.input(slots.query, as: Float.self) + (item * length + row) * depth
  }
  func key(_ frame: CPUFrame, _ item: Int) -> UnsafePointer<Float> {
    frame.input(slots.key, as: Float.self) + item * sources * depth
  }
  func value(_ frame: CPUFrame, _ item: Int) -> UnsafePointer<Float> {
    frame.input(slots.value, as: Float.self) + item * sources * width
  }
  func output(_ frame: CPUFrame, _ item: Int, row: Int) -> UnsafeMutablePointer<Float> {
    frame.output(0, as: Float.self) + (item * length + row) * width
  }

  /// Scales and masks the scores of a range of rows and applies the softmax, in place. `line` has space for one row.
  func softmax(
    _ frame: CPUFrame, _ item: Int, _ rows: Range<Int>, _ scores: UnsafeMutablePointer<Float>,
    _ line: UnsafeMutablePointer<Float>
  ) {
    let scale = 1 / Float(depth).squareRoot()
    guard let slot = slots.mask else {
      ck_softmax_scaled_f32(scores, scale, nil, scores, rows.count, sources)
      return
    }
    for index in 0..<rows.count {
      let mask = masks[item] + (rows.lowerBound + index) * maskRow
      ck_softmax_scaled_f32(
        scores + index * sources, scale, maskLine(frame, slot, mask, line), scores + index * sources, 1, sources)
    }
  }

  /// One row of the mask as values to add to the scores: in place if possible, otherwise written to `scratch`.
  private func maskLine(
    _ frame: CPUFrame, _ slot: Int, _ offset: Int, _ scratch: UnsafeMutablePointer<Float>
  ) -> UnsafePointer<Float> {
    if isBool {
      let source = frame.input(slot, as: UInt8.self) + offset
      for column in 0..<sources { scratch[column] = source[column * maskColumn] != 0 ? 0 : -.infinity }
    } else {
      let source = frame.input(slot, as: Float.self) + offset
      if maskColumn == 1 { return source }
      for column in 0..<sources { scratch[column] = source[column * maskColumn] }
    }
    return UnsafePointer(scratch)
  }
}
