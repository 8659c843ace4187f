import CoreML
import CoreMLRuntime

/// Reads, predicts and encodes groups of rows. Several threads share one worker.
struct BlockWorker {
  let source: any BlockSource
  let blocks: TabularBlocks
  let encoder: any BlockEncoder
  let statistics: Statistics
  /// Inputs with the same value in all rows; `common` has the values.
  let constants: [Int]
  let common: any MLFeatureProvider

  /// Encodes rows of the batch. Unusual rows are marked to be predicted alone.
  ///
  /// - Throws: If the rows are no longer readable.
  func encode(_ rows: [Int]) throws -> EncodedRows {
    var encoded = EncodedRows()
    guard var filler = source.filler(blocks.inputs) else { return encoded }
    var first = 0
    while first < rows.count {
      guard let block = blocks.begin(rows: rows.count - first) else {
        encoded.addSingle()
        first += 1
        continue
      }
      defer { blocks.end(block) }
      let last = min(first + block.size, rows.count)
      try encode(rows[first..<last], block, &filler, &encoded)
      first = last
    }
    return encoded
  }

  private func encode(
    _ rows: ArraySlice<Int>, _ block: TabularBlock, _ filler: inout any BlockFiller, _ encoded: inout EncodedRows
  ) throws {
    let watch = Stopwatch()
    var (slots, filled): ([Int?], Int) = ([], 0)
    slots.reserveCapacity(rows.count)
    for row in rows {
      let isFilled = try filler.fill(block, slot: filled, row: row)
      slots.append(isFilled ? filled : nil)
      if isFilled { filled += 1 }
    }
    let read = watch.seconds
    let isSound =
      filled > 0 && constants.allSatisfy { blocks.store($0, of: common, block, rows: filled) }
      && block.run(rows: filled)
    let predicted = watch.seconds
    for slot in slots {
      if let slot, isSound {
        encoded.add { try encoder.append(block, slot: slot, to: &$0) }
      } else {
        encoded.addSingle()
      }
    }
    statistics.add(read, to: .read)
    statistics.add(predicted - read, to: .predict, rows: isSound ? filled : 0)
    statistics.add(watch.seconds - predicted, to: .encode)
  }
}
