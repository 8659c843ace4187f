/// The order of the examples in an epoch: as given, or shuffled (Fisher-Yates) with SplitMix64 numbers (Steele, Lea,
/// Flood 2014). The numbers depend only on the seed and the epoch, so a training is reproducible on any machine.
struct ShuffledOrder {
  static func indices(_ count: Int, shuffle: Bool, seed: Int64, epoch: Int) -> [Int] {
    var order = Array(0..<count)
    guard shuffle, count > 1 else { return order }
    var generator = SplitMix64(state: UInt64(bitPattern: seed) &+ 0x9E37_79B9_7F4A_7C15 &* UInt64(epoch &+ 1))
    for last in stride(from: count - 1, to: 0, by: -1) {
      order.swapAt(last, Int(generator.next(below: UInt64(last) + 1)))
    }
    return order
  }

  private struct SplitMix64 {
    var state: UInt64

    mutating func next() -> UInt64 {
      state &+= 0x9E37_79B9_7F4A_7C15
      var z = state
      z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
      z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
      return z ^ (z >> 31)
    }

    /// The high half of the product (Lemire 2019, without the rejection step; the bias is below count / 2^64).
    mutating func next(below bound: UInt64) -> UInt64 { next().multipliedFullWidth(by: bound).high }
  }
}
