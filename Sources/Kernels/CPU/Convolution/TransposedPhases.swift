import CKernels
import MIL

/// One phase of a transposed convolution: the outputs at every `stride`-th position from `first` on. A phase is a
/// convolution of stride 1 over the input. Its taps are those that reach these outputs, in reverse order. For output o,
/// input i and tap:
///
///     o + pad = stride i + tap:   o = stride q + first   reads   i = q + ahead - m   through   tap = rest + stride m
struct TransposedPhase: Sendable {
  /// Along one axis: the first output, the number of outputs, their taps in reading order, and the padding before.
  struct Axis: Sendable {
    let first: Int
    let count: Int
    let taps: [Int]
    let pad: Int

    /// All phases of an axis. Nil if no tap reaches the outputs of some phase, or if a phase needs negative padding.
    static func all(output: Int, kernel: Int, stride: Int, pad: Int) -> [Axis]? {
      guard pad >= 0, stride > 0 else { return nil }
      var axes: [Axis] = []
      for first in 0..<min(stride, output) {
        let rest = (first + pad) % stride
        let taps = Array(Swift.stride(from: rest, to: kernel, by: stride).reversed())
        let before = taps.count - 1 - (first + pad - rest) / stride
        guard !taps.isEmpty, before >= 0 else { return nil }
        axes.append(Axis(first: first, count: (output - first + stride - 1) / stride, taps: taps, pad: before))
      }
      return axes
    }
  }

  let rows: Axis
  let columns: Axis
  /// The convolution that computes the outputs of this phase and stores them contiguously.
  let window: ck_window
  /// Offset of the packed weights of this phase in those of all phases, in fp32 elements.
  let begin: Int
  var packedSize: Int {
    var window = window
    return ck_block_conv_packed_size(&window)
  }
  var taps: Int { rows.taps.count * columns.taps.count }

  static func all(_ g: WindowGeometry) throws -> [TransposedPhase] {
    guard g.groups == 1, g.dilations.allSatisfy({ $0 == 1 }), g.input[0] == 1, g.output[0] == 1, g.kernel[0] == 1,
      g.padBefore[0] == 0
    else { throw Refusal("groups, dilations, or three dimensions") }
    guard
      let rows = Axis.all(output: g.output[1], kernel: g.kernel[1], stride: g.strides[1], pad: g.padBefore[1]),
      let columns = Axis.all(output: g.output[2], kernel: g.kernel[2], stride: g.strides[2], pad: g.padBefore[2])
    else { throw Refusal("some outputs read nothing, or begin within the input") }
    var begin = 0
    return rows.flatMap { row in
      columns.map { column in
        var window = g.window
        (window.out_h, window.out_w) = (row.count, column.count)
        (window.kernel_h, window.kernel_w) = (row.taps.count, column.taps.count)
        (window.stride_h, window.stride_w, window.stride_d) = (1, 1, 1)
        (window.pad_h, window.pad_w) = (row.pad, column.pad)
        let phase = TransposedPhase(rows: row, columns: column, window: window, begin: begin)
        begin += phase.packedSize
        return phase
      }
    }
  }
}
