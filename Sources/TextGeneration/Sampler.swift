import Foundation

/// SplitMix64, the generator of pseudorandom numbers of `Sampler`.
struct SplitMix64 {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// A number from 0 up to 1, with 53 random bits.
  mutating func unit() -> Double { Double(next() >> 11) * 0x1p-53 }
}

/// Chooses the next token from logits.
///
/// A random choice takes one number `u` of SplitMix64. Tokens are in the order of falling logits, those with equal logits
/// in the order of their ids. The choice is the first token at which the sum of weights exceeds `u` times the sum of
/// all. The weight is exp((logit - maximum) / temperature) in double precision.
struct Sampler {
  private let mode: GenerationOptions.SamplingMode
  private let temperature: Double
  private var random: SplitMix64
  /// The seed of this sampler; nil if it is greedy.
  let seed: UInt64?

  init(_ options: GenerationOptions) {
    mode = options.sampling
    temperature = options.temperature ?? 1
    seed = mode.isGreedy ? nil : mode.seed ?? UInt64.random(in: .min ... .max)
    random = SplitMix64(seed: seed ?? 0)
  }

  /// - Throws: `GenerationError` of code `.invalidLogits` if no logit is a number.
  mutating func next(_ logits: [Float]) throws -> Int {
    guard let best = Self.greatest(logits), logits[best] > -.infinity else {
      throw GenerationError(
        .invalidLogits, "none of the model's \(logits.count) logits is a number above minus infinity")
    }
    if mode.isGreedy { return best }
    let maximum = Double(logits[best])
    let weights = logits.map { logit -> Double in
      logit.isNaN ? 0 : logit == logits[best] ? 1 : exp((Double(logit) - maximum) / temperature)
    }
    let chance = random.unit()
    if mode.top == nil, mode.probabilityThreshold == nil {
      return choose(chance * weights.reduce(0, +), of: FallingOrder(logits), weights, best)
    }
    let kept = kept(logits, weights)
    return choose(chance * kept.reduce(0) { $0 + weights[$1] }, of: kept, weights, best)
  }

  /// The first of the greatest logits.
  static func greatest(_ logits: [Float]) -> Int? {
    var best: Int?
    for (id, logit) in logits.enumerated() where !logit.isNaN && logit > best.map({ logits[$0] }) ?? -.infinity {
      best = id
    }
    return best
  }

  private func choose(_ goal: Double, of ids: some Sequence<Int>, _ weights: [Double], _ best: Int) -> Int {
    var sum = 0.0
    var last = best
    for id in ids where weights[id] > 0 {
      sum += weights[id]
      last = id
      if sum > goal { return id }
    }
    return last
  }

  /// The tokens to choose from, in falling order.
  private func kept(_ logits: [Float], _ weights: [Double]) -> [Int] {
    var kept = Array(FallingOrder(logits).prefix(mode.top ?? .max))
    guard let threshold = mode.probabilityThreshold else { return kept }
    let total = kept.reduce(0) { $0 + weights[$1] }
    var sum = 0.0
    if let end = kept.firstIndex(where: {
      sum += weights[$0]
      return sum >= threshold * total
    }) {
      kept.removeSubrange((end + 1)...)
    }
    return kept
  }
}

/// Token ids in the order of falling logits. A heap makes the first ones cheap.
private struct FallingOrder: Sequence, IteratorProtocol {
  private let logits: [Float]
  private var heap: [Int32]

  init(_ logits: [Float]) {
    self.logits = logits
    heap = logits.indices.filter { !logits[$0].isNaN }.map { Int32($0) }
    for place in stride(from: heap.count / 2, through: 0, by: -1) { sink(place) }
  }

  mutating func next() -> Int? {
    guard let first = heap.first, let last = heap.popLast() else { return nil }
    if !heap.isEmpty {
      heap[0] = last
      sink(0)
    }
    return Int(first)
  }

  private func precedes(_ left: Int32, _ right: Int32) -> Bool {
    let (a, b) = (logits[Int(left)], logits[Int(right)])
    return a > b || (a == b && left < right)
  }

  private mutating func sink(_ start: Int) {
    var parent = start
    while true {
      var first = parent
      for child in [2 * parent + 1, 2 * parent + 2] where child < heap.count && precedes(heap[child], heap[first]) {
        first = child
      }
      guard first != parent else { return }
      heap.swapAt(parent, first)
      parent = first
    }
  }
}
