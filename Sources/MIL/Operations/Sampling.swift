/// Positions of `output` samples along an axis of `input` elements (coremltools: `resize_bilinear`, Notes).
package enum SamplingMode: String, Sendable {
  case strictAlignCorners = "STRICT_ALIGN_CORNERS"
  case alignCorners = "ALIGN_CORNERS"
  case standard = "DEFAULT"
  case offsetCorners = "OFFSET_CORNERS"
  case unalignCorners = "UNALIGN_CORNERS"

  package init(_ call: Invocation) throws {
    let word = try call.string("sampling_mode", default: "DEFAULT")
    guard let mode = SamplingMode(rawValue: word.uppercased()) else {
      throw call.error(.invalidArgument, "the sampling mode '\(word)' is unknown")
    }
    self = mode
  }

  /// The position of sample `index` of `output` on the interval `start ... end`, in elements, not clamped. The interval
  /// of a whole axis with X elements is 0 ... X - 1; that of a box is between its corners.
  package func position(_ index: Int, of output: Int, start: Double, end: Double) -> Double {
    let i = Double(index)
    let count = Double(output)
    let size = end - start + 1
    switch self {
    case .strictAlignCorners: return output > 1 ? start + i * (end - start) / (count - 1) : start
    case .alignCorners: return output > 1 ? start + i * (end - start) / (count - 1) : (start + end) / 2
    case .standard: return start + i * size / count
    case .offsetCorners:
      let spacing = max(1, end - start) / count
      return start + 0.5 * spacing + i * spacing
    case .unalignCorners: return start + (i + 0.5) * size / count - 0.5
    }
  }

  /// The position on a whole axis of `input` elements, clamped to it.
  package func position(_ index: Int, of output: Int, input: Int) -> Double {
    let last = Double(max(input - 1, 0))
    return min(max(position(index, of: output, start: 0, end: last), 0), last)
  }
}
