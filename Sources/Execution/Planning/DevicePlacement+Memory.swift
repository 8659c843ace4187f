/// Moves operations off a device whose memory cannot hold them. Operations that would be slower elsewhere by the least
/// time per byte of constants leave first. Each moves to the cheapest other device that has room, or else to the host.
extension DevicePlacement {
  /// The memory that operations need on a device: all constants, plus twice the largest working set of one operation.
  /// The factor is two because the values of the next operation are allocated while an operation runs.
  private struct Need {
    var constants = 0
    var values = 0
    var bytes: Int { constants + 2 * values }

    mutating func add(_ item: Workload.Item, values working: Int) {
      constants += item.constantBytes
      values = max(values, working)
    }
  }

  mutating func fit() {
    var needs = Array(repeating: Need(), count: devices.count)
    for number in items.indices { needs[device[number]].add(items[number], values: working(number)) }
    for place in devices.indices.dropFirst() {
      guard let limit = devices[place].memoryLimit, !devices[place].isNamed, needs[place].bytes > limit else {
        continue
      }
      let note =
        "\(devices[place].name(place)) has no room for the \(needs[place].bytes) bytes that its operations need; the limit is \(limit)"
      notes.append(note)
      crowded[place] = note
      move(leave(place, limit, &needs), from: place, &needs)
    }
  }

  private func working(_ number: Int) -> Int {
    (items[number].inputs + items[number].outputs).reduce(0) { $0 + values[$1].bytes }
  }

  /// Returns the operations that must leave a device so that the others fit, and updates the device's need. Operations
  /// that do not fit even alone leave in any case.
  private func leave(_ place: Int, _ limit: Int, _ needs: inout [Need]) -> Set<Int> {
    let here = items.indices.filter { device[$0] == place }
    var leaving: Set<Int> = []
    var need = Need()
    for number in here {
      var alone = Need()
      alone.add(items[number], values: working(number))
      if alone.bytes > limit { leaving.insert(number) } else { need.add(items[number], values: working(number)) }
    }
    func gain(_ number: Int) -> Double {
      let elsewhere = devices.indices.filter { $0 != place }.map { cost(number, on: $0) }.min() ?? 0
      return (elsewhere - cost(number, on: place)) / Double(max(items[number].constantBytes, 1))
    }
    let heavy = here.filter { !leaving.contains($0) && items[$0].constantBytes > 0 }.map {
      (gain: gain($0), number: $0)
    }
    for (_, number) in heavy.sorted(by: <) {
      guard need.bytes > limit else { break }
      leaving.insert(number)
      need.constants -= items[number].constantBytes
    }
    needs[place] = need
    return leaving
  }

  /// Moves operations to the cheapest device with room. Afterwards moves islands back to the host where that is
  /// cheaper.
  private mutating func move(_ leaving: Set<Int>, from place: Int, _ needs: inout [Need]) {
    var taken: Set<Int> = [place]
    for number in leaving.sorted() {
      let others = devices.indices.filter { $0 != place && $0 != 0 && cost(number, on: $0) < cost(number, on: 0) }
      let room = others.sorted { cost(number, on: $0) < cost(number, on: $1) }.first { other in
        var need = needs[other]
        need.add(items[number], values: working(number))
        return need.bytes <= devices[other].memoryLimit ?? .max
      }
      put(number, on: room ?? 0)
      needs[room ?? 0].add(items[number], values: working(number))
      if let room { taken.insert(room) }
    }
    for other in taken.sorted() where !devices[other].isNamed {
      for _ in 0..<Self.rounds where !moveHome(other) { break }
    }
  }

  /// Moves islands of a device that no longer pay off to the host. Returns true if one moved.
  private mutating func moveHome(_ place: Int) -> Bool {
    var moved = false
    for island in islands() where device[island[0]] == place {
      let stays = total(island)
      for number in island { put(number, on: 0) }
      if total(island) < stays { moved = true } else { for number in island { put(number, on: place) } }
    }
    return moved
  }
}
