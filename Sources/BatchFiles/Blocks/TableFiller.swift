import CNumbers
import CoreMLRuntime

/// Fills rows from table records.
package struct TableFiller: RecordFiller {
  private let inputs: [BlockInput]
  /// The inputs that the cells of each column fill.
  private let targets: [[Int]]
  private let separator: UInt8
  /// The inputs of all columns, if each column is one number of one input.
  private let numbers: [Int]?
  /// The columns of `numbers` in the memory of the most recent block.
  private var columns: [CNumbersColumn] = []
  private var block: TabularBlock?

  package init(_ names: [String?], _ inputs: [BlockInput], _ separator: UInt8) {
    (self.inputs, self.separator) = (inputs, separator)
    targets = names.map { name in inputs.indices.filter { inputs[$0].feature == name } }
    let isOfNumbers = targets.allSatisfy { $0.count == 1 && $0.allSatisfy { inputs[$0].isNumber } }
    numbers = isOfNumbers ? targets.flatMap { $0 } : nil
  }

  package mutating func fill(_ record: UnsafeRawBufferPointer, _ block: TabularBlock, slot: Int) -> Bool {
    // A carriage return before the line end does not belong to the last cell.
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

  /// The position after a column's cell.
  private func take(
    _ column: Int, _ cells: BlockCells, _ place: BlockCells.Place, _ block: TabularBlock, _ slot: Int
  ) -> BlockCells.Place? {
    let isQuoted = place < cells.end && place.pointee == 0x22
    let first = isQuoted ? place + 1 : place
    var last = first
    // The number parser finds the end of a number.
    if !isQuoted, targets[column].count == 1, let input = targets[column].first, inputs[input].isNumber {
      return cells.number(first, isWord: true, inputs[input], at: 0, block.input(input, slot))
    }
    let stop = isQuoted ? 0x22 : separator
    while last < cells.end, last.pointee != stop { last += 1 }
    var next = last
    if isQuoted {
      // A cell with an escaped quote ("" inside quotes) is unusual.
      guard last < cells.end, last + 1 == cells.end || (last + 1).pointee == separator else { return nil }
      next = last + 1
    }
    let cell = UnsafeRawBufferPointer(start: first, count: last - first)
    for input in targets[column] {
      let target = block.input(input, slot)
      if inputs[input].isCategory {
        // An empty cell may omit an optional feature, which is unusual too.
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
