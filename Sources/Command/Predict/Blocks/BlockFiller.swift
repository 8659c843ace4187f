import CoreML
import CoreMLRuntime
import Foundation

/// Rows that a block can be filled with.
protocol BlockSource: BatchRows {
  var text: RecordText { get }
  var reader: FeatureReader { get }
  /// The record that has the first row.
  var firstRecord: Int { get }
  /// Features that rows have besides `common`; nil where that is not known before they are read.
  var features: [String]? { get }
  func filler(_ inputs: [BlockInput]) -> any BlockFiller
}

/// Fills rows of a block from records.
protocol BlockFiller {
  /// False for a record that is unusual: it is left to a single prediction, which takes it or says what is wrong.
  mutating func fill(_ record: UnsafeRawBufferPointer, _ block: RowBlock, row: Int) -> Bool
}

extension TableRows: BlockSource {
  var firstRecord: Int { 1 }
  var features: [String]? { names.compactMap { $0 } }
  func filler(_ inputs: [BlockInput]) -> any BlockFiller { TableFiller(names, inputs, separator) }
}

extension LineRows: BlockSource {
  var firstRecord: Int { 0 }
  var features: [String]? { nil }
  func filler(_ inputs: [BlockInput]) -> any BlockFiller { LineFiller(inputs) }
}

/// Cells of a table.
private struct TableFiller: BlockFiller {
  private let inputs: [BlockInput]
  /// By column, the inputs that its cells are for.
  private let targets: [[Int]]
  private let separator: UInt8

  init(_ names: [String?], _ inputs: [BlockInput], _ separator: UInt8) {
    (self.inputs, self.separator) = (inputs, separator)
    targets = names.map { name in inputs.indices.filter { inputs[$0].feature == name } }
  }

  mutating func fill(_ record: UnsafeRawBufferPointer, _ block: RowBlock, row: Int) -> Bool {
    // The carriage return before a line's end is no part of the last cell.
    let length = record.last == 0x0D ? record.count - 1 : record.count
    guard let cells = BlockCells(UnsafeRawBufferPointer(rebasing: record[..<length])) else { return false }
    var place = cells.text
    for column in targets.indices {
      if column > 0 {
        guard place < cells.end, place.pointee == separator else { return false }
        place += 1
      }
      guard let next = take(column, cells, place, block, row) else { return false }
      place = next
    }
    return place == cells.end
  }

  /// The place behind a column's cell.
  private func take(
    _ column: Int, _ cells: BlockCells, _ place: BlockCells.Place, _ block: RowBlock, _ row: Int
  ) -> BlockCells.Place? {
    let isQuoted = place < cells.end && place.pointee == 0x22
    let first = isQuoted ? place + 1 : place
    var last = first
    // Numbers tell themselves where they end.
    if !isQuoted, targets[column].count == 1, let input = targets[column].first, !inputs[input].isCategory,
      inputs[input].shape.isEmpty || inputs[input].count == 1 && inputs[input].shape == [1]
    {
      return cells.number(first, isWord: true, inputs[input], at: 0, block.input(input, row))
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
      let target = block.input(input, row)
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

/// Objects of JSON.
private struct LineFiller: BlockFiller {
  private let inputs: [BlockInput]
  /// Names of features, and the inputs that they are for.
  private let members: [(name: [UInt8], targets: [Int])]
  /// The number of the record that had a member last.
  private var filled: [Int]
  private var number = 0

  init(_ inputs: [BlockInput]) {
    self.inputs = inputs
    var names: [String] = []
    for input in inputs where !names.contains(input.feature) { names.append(input.feature) }
    members = names.map { name in (Array(name.utf8), inputs.indices.filter { inputs[$0].feature == name }) }
    filled = Array(repeating: 0, count: names.count)
  }

  mutating func fill(_ record: UnsafeRawBufferPointer, _ block: RowBlock, row: Int) -> Bool {
    guard let cells = BlockCells(record), var place = cells.take(0x7B, cells.text) else { return false }
    var seen = 0
    number += 1
    while true {
      guard let name = cells.string(place), let value = cells.take(0x3A, name.next),
        let member = member(name.text, expected: seen), filled[member] != number,
        let next = take(member, cells, value, block, row)
      else { return false }
      filled[member] = number
      seen += 1
      place = next
      if let next = cells.take(0x2C, place) {
        place = next
      } else {
        break
      }
    }
    guard let end = cells.take(0x7D, place), seen == members.count else { return false }
    return cells.skip(end) == cells.end
  }

  /// The member of a name: most lines have them in one order.
  private func member(_ name: UnsafeRawBufferPointer, expected: Int) -> Int? {
    func isNamed(_ member: Int) -> Bool {
      members[member].name.count == name.count && members[member].name.elementsEqual(name)
    }
    if expected < members.count, isNamed(expected) { return expected }
    return members.indices.first(where: isNamed)
  }

  private func take(
    _ member: Int, _ cells: BlockCells, _ place: BlockCells.Place, _ block: RowBlock, _ row: Int
  ) -> BlockCells.Place? {
    var next: BlockCells.Place?
    for input in members[member].targets {
      let target = block.input(input, row)
      if inputs[input].isCategory {
        guard let text = cells.string(place), inputs[input].store(text.text, target) else { return nil }
        next = text.next
      } else {
        next = cells.array(place, isWord: false, inputs[input], target)
      }
      guard next != nil else { return nil }
    }
    return next
  }
}
