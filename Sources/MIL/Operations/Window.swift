/// The sliding window of a convolution or pooling over the spatial axes: kernel, strides, dilations and padding, as
/// given by the operation's arguments (coremltools: `conv`, `avg_pool`).
package struct Window: Sendable {
  package enum Padding: String, Sendable {
    case valid
    /// `ceil(input / stride)` outputs. Of an odd amount of padding, the larger half is at the end.
    case same
    /// `same` with the larger half at the start.
    case sameLower = "same_lower"
    case custom
  }

  /// One entry per spatial axis.
  package let kernel: [Dimension]
  package let strides: [Int]
  package let dilations: [Int]
  package let padding: Padding
  /// The amounts of `custom` padding, otherwise 0.
  package let customBefore: [Int]
  package let customAfter: [Int]
  /// Pooling only: the last window may start inside the input and end beyond its padding.
  package let ceilMode: Bool

  /// Larger strides, dilations and pads are refused, so that no geometry overflows.
  static let limit = Int(Int32.max)

  /// Reads `strides`, `dilations`, `pad_type`, `pad` and `ceil_mode` for `kernel.count` spatial axes.
  init(_ call: Invocation, kernel: [Dimension]) throws {
    let rank = kernel.count
    for size in kernel {
      if let value = size.value, value < 1 {
        throw call.error(.invalidShape, "the kernel size \(value) must be at least 1")
      }
    }
    func positive(_ name: String) throws -> [Int] {
      let values = try call.ints(name, default: Array(repeating: 1, count: rank))
      guard values.count == rank, values.allSatisfy({ $0 >= 1 && $0 <= Window.limit }) else {
        throw call.error(.invalidArgument, "'\(name)' must be \(rank) positive numbers, it is \(values)")
      }
      return values
    }
    strides = try positive("strides")
    dilations = try positive("dilations")
    self.kernel = kernel
    let word = try call.string("pad_type", default: "valid").lowercased()
    guard let padding = Padding(rawValue: word) else {
      throw call.error(.invalidArgument, "'pad_type' is '\(word)', expected valid, same, same_lower or custom")
    }
    self.padding = padding
    var pads = Array(repeating: 0, count: 2 * rank)
    if padding == .custom {
      pads = try call.ints("pad", default: pads)
      guard pads.count == 2 * rank, pads.allSatisfy({ $0 >= 0 && $0 <= Window.limit }) else {
        throw call.error(.invalidArgument, "'pad' must be \(2 * rank) numbers from 0 up, it is \(pads)")
      }
    }
    customBefore = (0..<rank).map { pads[2 * $0] }
    customAfter = (0..<rank).map { pads[2 * $0 + 1] }
    ceilMode = try call.bool("ceil_mode", default: false)
    if ceilMode, padding == .same || padding == .sameLower {
      throw call.error(.invalidArgument, "'ceil_mode' does not go with 'pad_type' \(word)")
    }
  }

  /// The extent of the dilated kernel along an axis.
  package func extent(_ axis: Int) -> Dimension { (kernel[axis] - 1) * dilations[axis] + 1 }

  /// The output size along an axis of `input` elements.
  package func output(_ axis: Int, input: Dimension) -> Dimension {
    let stride = strides[axis]
    switch padding {
    case .same, .sameLower: return (input + (stride - 1)) / stride
    case .valid, .custom:
      let span = input + customBefore[axis] + customAfter[axis] - extent(axis)
      if let value = span.value, value < 0 { return 0 }  // shorter than the kernel: no window fits
      guard ceilMode else { return span / stride + 1 }
      let rounded = (span + (stride - 1)) / stride + 1
      let last = (rounded - 1) * stride
      if let start = last.value, let end = (input + customBefore[axis]).value, start >= end,
        customBefore[axis] + customAfter[axis] > 0
      {
        return rounded - 1  // the last window would start in the padding
      }
      return rounded
    }
  }

  /// The padding before and after an axis of `input` elements. Unknown sizes give unknown padding.
  package func pads(_ axis: Int, input: Dimension) -> (before: Dimension, after: Dimension) {
    switch padding {
    case .valid, .custom: return (Dimension(customBefore[axis]), Dimension(customAfter[axis]))
    case .same, .sameLower:
      let needed = (output(axis, input: input) - 1) * strides[axis] + extent(axis) - input
      return Window.split(needed, lower: padding == .sameLower)
    }
  }

  /// Splits a total padding of `needed` (at least 0), with the larger half at the end unless `lower`.
  static func split(_ needed: Dimension, lower: Bool) -> (before: Dimension, after: Dimension) {
    guard let total = needed.value.map({ max($0, 0) }) else { return (.unknown, .unknown) }
    let small = total / 2
    return lower ? (Dimension(total - small), Dimension(small)) : (Dimension(small), Dimension(total - small))
  }
}
