import CNumbers
import CoreMLRuntime

/// Cells of a table.
package struct TableFiller: RecordFiller {
  private let inputs: [BlockInput]
  /// By column, the inputs that its cells are for.
  private let targets: [[Int]]
  private let separator: UInt8
  /// The inputs of the columns, where each column is one number of one input.
  private let numbers: [Int]?
  /// The columns of `numbers` in the memory of the block that was filled last.
  private var columns: [CNumbersColumn] = []
  private var block: TabularBlock?

  package init(_ names: [String?], _ inputs: [BlockInput], _ separator: UInt8) {
    (self.inputs, self.separator) = (inputs, separator)
    targets = names.map { name in inputs.indices.filter { inputs[$0].feature == name } }
    let isOfNumbers = targets.allSatisfy { $0.count == 1 && $0.allSatisfy { inputs[$0].isNumber } }
    numbers = isOfNumbers ? targets.flatMap { $0 } : nil
  }

  package mutating func fill(_ record: UnsafeRawBufferPointer, _ block: TabularBlock, slot: Int) -> Bool {
    // The carriage return before a line's end is no part of the last cell.
    let length = record.last == 0x0D ? record.count - 1 : record.count
    guard let cells = BlockCells(UnsafeRawBufferPointer(rebasing: record[..<length])) else { return false }
    if let numbers {
      if self.block !== block { (self.block, columns) = (block, Self.columns(numbers, inputs, block)) }
      if cnumbers_read_cells(cells.text, cells.end, separator, columns, columns.count, slot) == cells.end {
        return true
      }
    }
    var place = cells.text
    for column in targets.indices {
      if column > 0 {
        guard place < cells.end, place.pointee == separator else { return false }
        place += 1
      }
      guard let next = take(column, cells, place, block, slot) else { return false }
      place = next
    }
    return place == cells.end
  }

  private static func columns(_ numbers: [Int], _ inputs: [BlockInput], _ block: TabularBlock) -> [CNumbersColumn] {
    numbers.compactMap { input in
      inputs[input].storing.list.map {
        CNumbersColumn(store: $0.store, first: block.input(input, 0), stride: inputs[input].byteCount)
      }
    }
  }

  /// The place behind a column's cell.
  private func take(
    _ column: Int, _ cells: BlockCells, _ place: BlockCells.Place, _ block: TabularBlock, _ slot: Int
  ) -> BlockCells.Place? {
    let isQuoted = place < cells.end && place.pointee == 0x22
    let first = isQuoted ? place + 1 : place
    var last = first
    // Numbers tell themselves where they end.
    if !isQuoted, targets[column].count == 1, let input = targets[column].first, inputs[input].isNumber {
      return cells.number(first, isWord: true, inputs[input], at: 0, block.input(input, slot))
    }
    let stop = isQuoted ? 0x22 : separator
    while last < cells.end, last.pointee != stop { last += 1 }
    var next = last
    if isQuoted {
      // A quote within the cell is written twice.
      guard last < cells.end, last + 1 == cells.end || (last + 1).pointee == separator else { return nil }
      next = last + 1
    }
    let cell = UnsafeRawBufferPointer(start: first, count: last - first)
    for input in targets[column] {
      let target = block.input(input, slot)
      if inputs[input].isCategory {
        // An empty cell may leave an optional feature out.
        guard !cell.isEmpty, inputs[input].store(cell, target) else { return nil }
      } else {
        guard let inner = BlockCells(cell),
          let end = inner.array(inner.text, isWord: true, inputs[input], target), end == inner.end
        else { return nil }
      }
    }
    return next
  }
}
