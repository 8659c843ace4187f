import Foundation

/// The result of a training, for people and for programs.
struct UpdateReport: Encodable {
  let path: String
  let examples: Int
  let epochs: Int
  /// Means over the examples, by epoch; empty if the training has no loss.
  let lossPerEpoch: [Double]
  let before: Assessment?
  let after: Assessment?
  let seconds: Double

  var text: String {
    var lines = ["learnt from \(examples) example\(examples == 1 ? "" : "s") in \(String(format: "%.1f", seconds)) s"]
    if let first = lossPerEpoch.first, let last = lossPerEpoch.last {
      lines.append(String(format: "loss      %.4g in the first epoch, %.4g in the last of %ld", first, last, epochs))
    }
    if let before, let after {
      if let first = before.accuracy, let last = after.accuracy {
        lines.append(
          String(
            format: "accuracy  %.1f %% before, %.1f %% after, on %ld examples held back", first * 100, last * 100,
            before.examples))
      }
      if let first = before.meanSquaredError, let last = after.meanSquaredError {
        lines.append(
          String(
            format: "error     %.4g before, %.4g after (mean squared, %ld examples held back)", first, last,
            before.examples))
      }
    }
    return (lines + [path]).joined(separator: "\n")
  }
}
