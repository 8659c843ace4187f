/// The order of scores, best first. NaN is the worst. Of equal scores the first stays first.
enum BestFirst {
  static func isBetter(_ a: Double, than b: Double) -> Bool { a > b || (b.isNaN && !a.isNaN) }

  /// The places, sorted by their scores.
  static func order(_ places: some Sequence<Int>, _ score: (Int) -> Double) -> [Int] {
    places.sorted { a, b in
      let (first, second) = (score(a), score(b))
      return isBetter(first, than: second) || (!isBetter(second, than: first) && a < b)
    }
  }
}
