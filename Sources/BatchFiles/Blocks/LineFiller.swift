import CoreMLRuntime

/// Fills rows from JSON objects.
package struct LineFiller: RecordFiller {
  private let inputs: [BlockInput]
  /// Feature names, and the inputs that they fill.
  private let members: [(name: [UInt8], targets: [Int])]
  /// The number of the last record that contained each member.
  private var filled: [Int]
  private var number = 0

  package init(_ inputs: [BlockInput]) {
    self.inputs = inputs
    var names: [String] = []
    for input in inputs where !names.contains(input.feature) { names.append(input.feature) }
    members = names.map { name in (Array(name.utf8), inputs.indices.filter { inputs[$0].feature == name }) }
    filled = Array(repeating: 0, count: names.count)
  }

  package mutating func fill(_ record: UnsafeRawBufferPointer, _ block: TabularBlock, slot: Int) -> Bool {
    guard let cells = BlockCells(record), var place = cells.take(0x7B, cells.text) else { return false }
    var seen = 0
    number += 1
    while true {
      guard let name = cells.string(place), let value = cells.take(0x3A, name.next),
        let member = member(name.text, expected: seen), filled[member] != number,
        let next = take(member, cells, value, block, slot)
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

  /// The member with a name. Most lines have the members in the same order.
  private func member(_ name: UnsafeRawBufferPointer, expected: Int) -> Int? {
    func isNamed(_ member: Int) -> Bool {
      members[member].name.count == name.count && members[member].name.elementsEqual(name)
    }
    if expected < members.count, isNamed(expected) { return expected }
    return members.indices.first(where: isNamed)
  }

  private func take(
    _ member: Int, _ cells: BlockCells, _ place: BlockCells.Place, _ block: TabularBlock, _ slot: Int
  ) -> BlockCells.Place? {
    var next: BlockCells.Place?
    for input in members[member].targets {
      let target = block.input(input, slot)
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
