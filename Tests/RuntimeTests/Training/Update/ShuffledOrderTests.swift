import Testing

@testable import CoreMLRuntime

@Suite struct ShuffledOrderTests {
  private func order(_ count: Int = 100, _ seed: Int64 = 7, _ epoch: Int = 0) -> [Int] {
    ShuffledOrder.indices(count, shuffle: true, seed: seed, epoch: epoch)
  }

  @Test func everyExampleComesOnce() {
    for count in [0, 1, 2, 3, 1000] { #expect(order(count).sorted() == Array(0..<count)) }
    #expect(ShuffledOrder.indices(5, shuffle: false, seed: 1, epoch: 3) == [0, 1, 2, 3, 4])
  }

  @Test func seedAndEpochDecide() {
    #expect(order() == order())
    #expect(order() != order(100, 8) && order() != order(100, 7, 1) && order() != Array(0..<100))
  }

  /// Every example is at every position about equally often: chi-squared with 81 degrees of freedom.
  @Test func allPlacesAreAlike() {
    var counts = [[Double]](repeating: [Double](repeating: 0, count: 10), count: 10)
    for seed in 0..<5000 { for (place, index) in order(10, Int64(seed)).enumerated() { counts[place][index] += 1 } }
    let deviation = counts.joined().reduce(0) { $0 + ($1 - 500) * ($1 - 500) / 500 }
    #expect(deviation < 140)
  }
}
