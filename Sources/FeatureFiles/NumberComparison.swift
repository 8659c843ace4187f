import Foundation

extension OutputComparison {
  /// The result of comparing one output.
  struct Found {
    var passed: Bool
    var maxAbs: Double?
    var maxRel: Double?
    var psnr: Double?
    var note: String?

    static func differs(_ note: String) -> Found { Found(passed: false, note: note) }
  }

  /// Accumulates the elements of an output that are not equal.
  struct NumberComparison {
    private let tolerance: OutputComparison
    private var (maxAbs, maxRel, squares) = (0.0, 0.0, 0.0)
    private var passed = true
    private var odd = 0

    init(_ tolerance: OutputComparison) { self.tolerance = tolerance }

    /// - Parameter difference: |found - expected|. It is NaN or infinite if one of them is, or if it overflows.
    mutating func add(difference: Double, expected: Double) {
      if !difference.isFinite { odd += 1 }
      let difference = difference.isNaN ? .infinity : difference
      maxAbs = max(maxAbs, difference)
      let relative = difference / max(abs(expected), .leastNormalMagnitude)
      maxRel = max(maxRel, relative.isNaN ? .infinity : relative)
      squares += difference * difference
      // An infinite difference is never within the tolerance, even if `expected` makes the tolerance infinite.
      let isWithin = difference.isFinite && difference <= tolerance.atol + tolerance.rtol * abs(expected)
      if !isWithin { passed = false }
    }

    func found(_ expected: [Double]) -> Found {
      var peak = 0.0
      for number in expected where number.isFinite { peak = max(peak, abs(number)) }
      let mean = squares / Double(max(expected.count, 1))
      return Found(
        passed: passed, maxAbs: maxAbs, maxRel: maxRel,
        psnr: mean == 0 ? Double.infinity : mean.isFinite ? 10 * log10(peak * peak / mean) : nil,
        note: odd > 0 ? "\(odd) of \(expected.count) elements are not finite on one side alone" : nil)
    }
  }
}
