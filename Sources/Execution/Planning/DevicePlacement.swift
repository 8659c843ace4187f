import CoreMLKernels

/// Decides which device runs each operation, by estimated time. Device 0 is the host; costs are in seconds.
///
/// Every operation starts on its fastest device other than the host, or on the host if it has a kernel nowhere else. A
/// device that the caller named gets every operation that it has a kernel for, and keeps all of them.
///
/// A value that one device computes and others read is copied once to each of them. Three steps then lower the total
/// time of operations and copies:
/// - Islands move to cheaper devices. An island is a maximal set of operations on one device that values connect.
/// - Single operations move to cheaper devices.
/// - Operations that do not fit into a device's memory leave it (`DevicePlacement+Memory`).
///
/// Operations on the host form no islands, but can move one by one.
struct DevicePlacement {
  let items: [Workload.Item]
  let values: [Workload.Value]
  let devices: [PlanDevice]
  /// The operation that computes each value. Inputs of the function have none.
  private let makers: [Int: Int]
  /// The operations that read each value.
  private let readers: [[Int]]
  /// The device of each operation.
  private(set) var device: [Int]
  /// The number of readers of each value on each device: `readings[value][device]`. With these counts, the time to
  /// compute a value's copy cost does not depend on its number of readers.
  private var readings: [[Int]]
  /// Messages about placements that were decided by memory, not by time.
  var notes: [String] = []
  /// For each device that had too little memory for its operations, by device number: the message about it.
  var crowded: [Int: String] = [:]
  /// The entries of `crowded` for devices that run no operation in the end.
  private(set) var emptied: [Int: String] = [:]

  /// The maximum number of rounds over all islands, and then over all operations. Every move lowers the total cost, and
  /// a few rounds capture nearly all of the gain.
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

  /// The initial device of an operation: the first named device that has a kernel for it, or else the fastest other
  /// device that has one, or else the host.
  private static func first(_ item: Workload.Item, _ devices: [PlanDevice]) -> Int {
    let able = devices.indices.dropFirst().filter { item.costs[$0] != nil }
    if let named = able.first(where: { devices[$0].isNamed }) { return named }
    return able.min { (item.costs[$0] ?? .infinity) < (item.costs[$1] ?? .infinity) } ?? 0
  }

  // MARK: costs

  /// Estimated seconds of all operations in the current placement, including copies.
  var cost: Double {
    items.indices.reduce(0) { $0 + cost($1, on: device[$1]) } + values.indices.reduce(0) { $0 + transfer(of: $1) }
  }

  /// Estimated seconds of an operation on a device. Infinite if the device has no kernel for it.
  func cost(_ number: Int, on place: Int) -> Double { items[number].costs[place] ?? .infinity }

  /// Seconds of the copies of all values that the operations in `changed` read or write, in the current placement.
  private func transfers(of changed: some Sequence<Int>) -> Double {
    var touched: Set<Int> = []
    for number in changed {
      touched.formUnion(items[number].inputs)
      touched.formUnion(items[number].outputs)
    }
    return touched.reduce(0) { $0 + transfer(of: $1) }
  }

  /// Seconds of copies of one value. A value moves between devices through the host: one download, and one upload to
  /// each device that reads it.
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

  /// Assigns an operation to a device.
  mutating func put(_ number: Int, on place: Int) {
    for value in items[number].inputs {
      readings[value][device[number]] -= 1
      readings[value][place] += 1
    }
    device[number] = place
  }

  /// Whether operations of a device may move as islands: it is neither the host nor a named device.
  private func mayLeave(_ place: Int) -> Bool { place != 0 && !devices[place].isNamed }

  /// Moves each island to the device, host included, where it costs least. Returns true if one moved.
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

  /// Seconds of an island in the current placement, with the copies of the values that it reads and writes.
  func total(_ island: [Int]) -> Double {
    island.reduce(0) { $0 + cost($1, on: device[$1]) } + transfers(of: island)
  }

  /// Moves each operation, unless it is on a named device, to the device where it costs least. Operations on the host
  /// move, too. Returns true if one moved.
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

  /// The islands: maximal sets of operations on one device that values connect. Operations on the host and on named
  /// devices belong to no island.
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
