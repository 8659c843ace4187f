import CKernels
import Foundation
import Testing

/// Trees and products over rows of doubles, for every instruction set.
@Suite struct CKernelsRowsOfDoublesTests {
  @Test(arguments: 0...Int(CK_TREE_DEPTH))
  func fullTreesGoWhereTheirTestsSay(depth: Int) {
    var random = Random(depth + 1)
    let (features, slots, trees, dimensions) = (5, 7, 9, 2)
    let slotFeature: [UInt32] = (0..<slots).map { UInt32($0 % features) }
    let missingSecond: [UInt8] = (0..<slots).map { UInt8($0 >= features ? 1 : 0) }
    let values = (0..<slots).map { slot -> [Double] in
      // One slot compares with a single value, and another with none.
      let count = slot == 1 ? 1 : slot == 2 ? 0 : 3 + slot * 4
      return Set(random.floats(count).map { Double(Int($0 * 8)) / 4 }).sorted()
    }
    var begins: [UInt32] = [0]
    for slot in values { begins.append(begins[begins.count - 1] + UInt32(slot.count)) }
    let (branches, leafCount) = ((1 << depth) - 1, 1 << depth)
    let tests = (0..<trees * branches).map { _ -> ck_tree_test in
      let slot = Int(random.next() % UInt64(slots))
      let rank = values[slot].isEmpty ? 0 : Int(random.next() % UInt64(values[slot].count))
      return ck_tree_test(rank: Int16(rank - 32768), slot: UInt16(slot))
    }
    let leaves = random.floats(trees * leafCount).map { Double($0) }
    let dimension: [UInt32] = (0..<trees).map { UInt32($0 % dimensions) }
    for rows in [1, 15, 16, 63, 64, 65, 130] {
      let x = random.floats(rows * features).enumerated().map { $0 % 11 == 3 ? .nan : Double(Int($1 * 8)) / 4 }
      let start = random.floats(rows * dimensions).map { Double($0) }
      var expected = start
      for row in 0..<rows {
        for tree in 0..<trees {
          var place = 0
          for _ in 0..<depth {
            let test = tests[tree * branches + place]
            let slot = Int(test.slot)
            let number = x[row * features + Int(slotFeature[slot])]
            let rank = number.isNaN && missingSecond[slot] == 1 ? 65535 : values[slot].count { $0 < number }
            place = 2 * place + 1 + (rank > Int(test.rank) + 32768 ? 1 : 0)
          }
          expected[row * dimensions + tree % dimensions] += leaves[tree * leafCount + place - branches]
        }
      }
      var owned: [UnsafeMutableRawPointer] = []
      defer { for memory in owned { memory.deallocate() } }
      func place<Element: BitwiseCopyable>(_ elements: [Element]) -> UnsafePointer<Element> {
        let memory = UnsafeMutablePointer<Element>.allocate(capacity: max(elements.count, 1))
        memory.initialize(from: elements, count: elements.count)
        owned.append(memory)
        return UnsafePointer(memory)
      }
      let flat: [Double] = Array(values.joined())
      let depths: [UInt8] = Array(repeating: UInt8(depth), count: trees)
      let testBegin: [UInt32] = (0..<trees).map { UInt32($0 * branches) }
      let leafBegin: [UInt32] = (0..<trees).map { UInt32($0 * leafCount) }
      var made = ck_full_trees(
        features: features, trees: trees, slots: slots, dimensions: dimensions, slot_feature: place(slotFeature),
        missing_second: place(missingSecond), value_begin: place(begins), values: place(flat), depths: place(depths),
        test_begin: place(testBegin), leaf_begin: place(leafBegin), dimension: place(dimension), tests: place(tests),
        leaves: place(leaves))
      let room = UnsafeMutableRawPointer.allocate(byteCount: ck_full_trees_room(&made), alignment: 64)
      owned.append(room)
      withEachISA { set in
        var sums = start
        ck_full_trees_f64(&made, x, rows, room, &sums)
        #expect(sums == expected, "\(set), depth \(depth), \(rows) rows")
      }
    }
  }

  @Test func productsAndDistancesOfRowsAreTheSameBesideOthers() {
    var random = Random(3)
    for depth in oddSizes {
      let (rows, columns) = (5, 3)
      let x = random.floats(rows * depth).map { Double($0) }
      let w = random.floats(columns * depth).map { Double($0) }
      let bias = random.floats(columns).map { Double($0) }
      withEachISA { set in
        var products = Array(repeating: 0.0, count: rows * columns)
        var distances = products
        ck_linear_f64(x, w, bias, &products, rows, columns, depth)
        ck_distances_f64(x, w, &distances, rows, columns, depth)
        for row in 0..<rows {
          for column in 0..<columns {
            var (product, distance) = (bias[column], 0.0)
            for k in 0..<depth {
              let (a, b) = (x[row * depth + k], w[column * depth + k])
              product += a * b
              distance += (a - b) * (a - b)
            }
            #expect(abs(products[row * columns + column] - product) < 1e-12 * Double(depth + 1), "\(set), \(depth)")
            #expect(abs(distances[row * columns + column] - distance) < 1e-12 * Double(depth + 1), "\(set), \(depth)")
          }
          var (alone, apart) = (Array(repeating: 0.0, count: columns), Array(repeating: 0.0, count: columns))
          let own = Array(x[row * depth..<(row + 1) * depth])
          ck_linear_f64(own, w, bias, &alone, 1, columns, depth)
          ck_distances_f64(own, w, &apart, 1, columns, depth)
          #expect(alone == Array(products[row * columns..<(row + 1) * columns]), "\(set), \(depth)")
          #expect(apart == Array(distances[row * columns..<(row + 1) * columns]), "\(set), \(depth)")
        }
      }
    }
  }
}
