import CoreMLKernels

/// Decides which device runs each operation: the other device wherever it has a row, then back what does not pay.
///
/// A value that one device makes and another reads is copied once. So operations are first moved in whole islands (those
/// that hand values to each other on the device), while an island's copies cost more than it saves; then one by one at the borders.
struct Place {
  private let drafts: [Draft]
  private let slots: [Drafts.Slot]
  private let devices: [PlanDevice]
  private let makers: [Int: Int]
  private let readers: [Int: [Int]]
  private let outputs: Set<Int>
  private(set) var device: [Int]

  /// `outputs` are the slots that the host must have at the end.
  init(_ drafts: Drafts, outputs: Set<Int>) {
    self.drafts = drafts.drafts
    slots = drafts.slots
    devices = drafts.devices
    self.outputs = outputs
    var makers: [Int: Int] = [:]
    var readers: [Int: [Int]] = [:]
    for (number, draft) in drafts.drafts.enumerated() {
      for slot in draft.outputs { makers[slot] = number }
      for slot in Set(draft.inputs + draft.captured) { readers[slot, default: []].append(number) }
    }
    self.makers = makers
    self.readers = readers
    device = Array(repeating: 0, count: drafts.drafts.count)
    guard devices.count > 1 else { return }
    for (number, draft) in drafts.drafts.enumerated() where draft.pick(on: 1) != nil { device[number] = 1 }
    guard !devices[1].isNamed else { return }
    while moveIslands() {}
    for _ in 0..<4 where moveBorders() == false { break }
  }

  // MARK: costs

  private func cost(_ number: Int, on place: Int) -> Double {
    if let pick = drafts[number].pick(on: place) { return pick.cost }
    return place == 0 ? devices[0].profile.launch : .infinity
  }

  /// Seconds of copies that the operations in `changed` have a part in, as devices stand.
  private func transfers(of changed: Set<Int>) -> Double {
    var touched: Set<Int> = []
    for number in changed { touched.formUnion(drafts[number].inputs + drafts[number].outputs) }
    return touched.reduce(0) { $0 + transfer(of: $1) }
  }

  private func transfer(of slot: Int) -> Double {
    guard slots[slot].literal == nil else { return 0 }  // constants are uploaded once, not every time
    let home = makers[slot].map { device[$0] } ?? 0
    var places = Set((readers[slot] ?? []).map { device[$0] })
    if outputs.contains(slot) { places.insert(0) }
    return places.contains { $0 != home } ? devices[1].profile.transfer(bytes: Double(slots[slot].byteCount)) : 0
  }

  // MARK: moves

  /// Moves every island to the host that costs more than it saves; true when one moved.
  private mutating func moveIslands() -> Bool {
    var moved = false
    for island in islands() {
      let members = Set(island)
      let here = island.reduce(0) { $0 + cost($1, on: 1) } + transfers(of: members)
      for number in island { device[number] = 0 }
      let there = island.reduce(0) { $0 + cost($1, on: 0) } + transfers(of: members)
      if there < here { moved = true } else { for number in island { device[number] = 1 } }
    }
    return moved
  }

  /// Tries every operation on the other device; true when one stayed there.
  private mutating func moveBorders() -> Bool {
    var moved = false
    for number in drafts.indices where drafts[number].pick(on: 1) != nil && drafts[number].pick(on: 0) != nil {
      let home = device[number]
      let before = cost(number, on: home) + transfers(of: [number])
      device[number] = 1 - home
      let after = cost(number, on: 1 - home) + transfers(of: [number])
      if after < before { moved = true } else { device[number] = home }
    }
    return moved
  }

  /// Operations on the other device that are connected by values, each set once.
  private func islands() -> [[Int]] {
    var seen: Set<Int> = []
    var result: [[Int]] = []
    for start in drafts.indices where device[start] == 1 && !seen.contains(start) {
      var island: [Int] = []
      var queue = [start]
      seen.insert(start)
      while let number = queue.popLast() {
        island.append(number)
        let neighbours =
          drafts[number].inputs.compactMap { makers[$0] } + drafts[number].outputs.flatMap { readers[$0] ?? [] }
        for next in neighbours where device[next] == 1 && seen.insert(next).inserted { queue.append(next) }
      }
      result.append(island)
    }
    return result
  }
}
