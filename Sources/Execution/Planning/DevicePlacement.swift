import CoreMLKernels

/// Decides which device runs each operation: first the one that does it fastest, the host left aside, then back what does not pay.
///
/// A value that one device makes and another reads is copied once to each. So operations are first moved in whole islands (those
/// that hand values to each other on a device), while an island's copies cost more than it saves; then one by one at the borders.
/// Last, what a device's memory does not hold leaves it (`Place+Memory`).
struct DevicePlacement {
  let items: [Workload.Item]
  let values: [Workload.Value]
  let devices: [PlanDevice]
  private let makers: [Int: Int]
  private let readers: [[Int]]
  private(set) var device: [Int]
  /// How many operations of each device read a value: kept, so that a value that everything reads is no slower than others.
  private var readings: [[Int]]
  /// What was decided by something else than time.
  var notes: [String] = []
  /// Why operations left a device, by number.
  var crowded: [Int: String] = [:]
  /// Why a device has nothing left of the function, by number: its memory holds none of what it was given.
  private(set) var emptied: [Int: String] = [:]

  /// Rounds of moves: each makes the whole cheaper, and a few settle what a person would see.
  static let rounds = 8

  init(_ workload: Workload, devices: [PlanDevice]) {
    items = workload.items
    values = workload.values
    self.devices = devices
    var makers: [Int: Int] = [:]
    var readers = Array(repeating: [Int](), count: workload.values.count)
    for (number, item) in workload.items.enumerated() {
      for value in item.outputs { makers[value] = number }
      for value in item.inputs { readers[value].append(number) }
    }
    self.makers = makers
    self.readers = readers
    device = workload.items.map { item in Self.first(item, devices) }
    readings = Array(repeating: Array(repeating: 0, count: devices.count), count: workload.values.count)
    for (number, item) in workload.items.enumerated() {
      for value in item.inputs { readings[value][device[number]] += 1 }
    }
    let canMove = device.contains { $0 != 0 && !devices[$0].isNamed }
    if canMove {
      for _ in 0..<Self.rounds where !moveIslands() { break }
      for _ in 0..<Self.rounds where !moveBorders() { break }
    }
    fit()
    for (number, note) in crowded where !device.contains(number) { emptied[number] = note }
  }

  /// Where an operation begins: on a device that the caller named, else on the fastest but the host.
  private static func first(_ item: Workload.Item, _ devices: [PlanDevice]) -> Int {
    let able = devices.indices.dropFirst().filter { item.costs[$0] != nil }
    if let named = able.first(where: { devices[$0].isNamed }) { return named }
    return able.min { (item.costs[$0] ?? .infinity) < (item.costs[$1] ?? .infinity) } ?? 0
  }

  // MARK: costs

  /// Estimated seconds of everything as it is placed, copies included.
  var cost: Double {
    items.indices.reduce(0) { $0 + cost($1, on: device[$1]) } + values.indices.reduce(0) { $0 + transfer(of: $1) }
  }

  func cost(_ number: Int, on place: Int) -> Double { items[number].costs[place] ?? .infinity }

  /// Seconds of copies that the operations in `changed` have a part in, as devices stand.
  private func transfers(of changed: some Sequence<Int>) -> Double {
    var touched: Set<Int> = []
    for number in changed {
      touched.formUnion(items[number].inputs)
      touched.formUnion(items[number].outputs)
    }
    return touched.reduce(0) { $0 + transfer(of: $1) }
  }

  /// A value goes to another device through the host: down once, and up to each device that reads it.
  private func transfer(of value: Int) -> Double {
    let home = makers[value].map { device[$0] } ?? 0
    let bytes = Double(values[value].bytes)
    var seconds = 0.0
    var leaves = home != 0 && values[value].isResult
    for place in devices.indices where place != home && readings[value][place] > 0 {
      leaves = true
      if place != 0 { seconds += devices[place].placing.transfer(bytes: bytes) }
    }
    return leaves && home != 0 ? seconds + devices[home].placing.transfer(bytes: bytes) : seconds
  }

  // MARK: moves

  mutating func put(_ number: Int, on place: Int) {
    for value in items[number].inputs {
      readings[value][device[number]] -= 1
      readings[value][place] += 1
    }
    device[number] = place
  }

  private func mayLeave(_ place: Int) -> Bool { place != 0 && !devices[place].isNamed }

  /// Moves every island to where it costs least; true when one moved.
  private mutating func moveIslands() -> Bool {
    var moved = false
    for island in islands() {
      let home = device[island[0]]
      var best = (place: home, cost: total(island))
      for place in devices.indices where place != home {
        for number in island { put(number, on: place) }
        let cost = total(island)
        if cost < best.cost { best = (place, cost) }
      }
      for number in island { put(number, on: best.place) }
      moved = moved || best.place != home
    }
    return moved
  }

  func total(_ island: [Int]) -> Double {
    island.reduce(0) { $0 + cost($1, on: device[$1]) } + transfers(of: island)
  }

  /// Tries every operation on the other devices; true when one moved.
  private mutating func moveBorders() -> Bool {
    var moved = false
    for number in items.indices where device[number] == 0 || mayLeave(device[number]) {
      let home = device[number]
      var best = (place: home, cost: cost(number, on: home) + transfers(of: [number]))
      for place in devices.indices where place != home && items[number].costs[place] != nil {
        put(number, on: place)
        let cost = cost(number, on: place) + transfers(of: [number])
        if cost < best.cost { best = (place, cost) }
      }
      put(number, on: best.place)
      moved = moved || best.place != home
    }
    return moved
  }

  /// Operations of one device that are connected by values there, each set once. A named device keeps its own.
  func islands() -> [[Int]] {
    var seen: Set<Int> = []
    var result: [[Int]] = []
    for start in items.indices where mayLeave(device[start]) && !seen.contains(start) {
      var island: [Int] = []
      var queue = [start]
      seen.insert(start)
      while let number = queue.popLast() {
        island.append(number)
        let item = items[number]
        let neighbours = item.inputs.compactMap { makers[$0] } + item.outputs.flatMap { readers[$0] }
        for next in neighbours where device[next] == device[start] && seen.insert(next).inserted {
          queue.append(next)
        }
      }
      result.append(island)
    }
    return result
  }
}
