/// Weight encodings, concatenated.
struct ConcatenatedWeights: Sendable {
  let forms: [WeightEncoding]
  /// Element count of each.
  let counts: [Int]

  init(_ parts: [(form: WeightEncoding, count: Int)]) {
    (forms, counts) = (parts.map(\.form), parts.map(\.count))
  }

  func decode(_ range: Range<Int>, into target: UnsafeMutablePointer<Float>) {
    var first = 0
    for (form, count) in zip(forms, counts) {
      let part = range.clamped(to: first..<first + count)
      if !part.isEmpty {
        form.decode(
          part.lowerBound - first..<part.upperBound - first, into: target + (part.lowerBound - range.lowerBound))
      }
      first += count
    }
  }
}
