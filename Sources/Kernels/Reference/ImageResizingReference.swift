import CoreMLBase
import MIL

enum ImageResizingReference {
  static let all: [Reference] = [
    Reference.numeric("upsample_nearest_neighbor") { call in
      try interpolated(call, axes: 2) { Double(NearestSample.ofStart($0, of: $1, input: $2)) }
    },
    Reference.numeric("resize_nearest_neighbor") { call in
      try interpolated(call, axes: 2) { Double(NearestSample.ofMiddle($0, of: $1, input: $2)) }
    },
    Reference.numeric("upsample_bilinear") { call in
      let mode = try Resizing.upsampleMode(call.invocation)
      return try interpolated(call, axes: 2) { mode.position($0, of: $1, input: $2) }
    },
    Reference.numeric("resize_bilinear") { call in
      let mode = try SamplingMode(call.invocation)
      return try interpolated(call, axes: 2) { mode.position($0, of: $1, input: $2) }
    },
    Reference.numeric("resize") { call in
      let mode = try SamplingMode(call.invocation)
      let isNearest = try Resizing.interpolation(call.invocation) == .nearest
      return try interpolated(call, axes: call.invocation.int("resized_dims")) {
        isNearest ? Double(NearestSample.inGrid(mode, $0, of: $1, input: $2)) : mode.position($0, of: $1, input: $2)
      }
    },
    Reference.numeric("crop") { call in
      let x = try call.doubles("x")
      let sizes = try call.sizes("x")
      let strides = rowMajorStrides(sizes)
      let top = try call.invocation.ints("crop_height")[0]
      let left = try call.invocation.ints("crop_width")[0]
      let start = top * strides[sizes.count - 2] + left
      return try Indices(call.outputSizes()).map { index in
        x[start + zip(index, strides).reduce(0) { $0 + $1.0 * $1.1 }]
      }
    },
  ]

  /// Linear interpolation along the last `axes` axes. `place(index, output size, input size)` returns the position,
  /// which must be inside of the input.
  private static func interpolated(
    _ call: ReferenceCall, axes: Int, place: (Int, Int, Int) -> Double
  ) throws -> [Double] {
    var values = try call.doubles("x")
    var shape = try call.sizes("x")
    let output = try call.outputSizes()
    for axis in shape.count - axes..<shape.count {
      let (outer, inner) = (shape[..<axis].reduce(1, *), shape[(axis + 1)...].reduce(1, *))
      let size = shape[axis]
      guard size > 0 || output[axis] == 0 else {
        throw call.invocation.error(.invalidShape, "an axis without elements cannot be resized")
      }
      let count = TensorType.elementCount([outer, output[axis], inner]) ?? .max
      try MemoryBudget.current.admit(count, of: 8, for: "a resized axis")
      var result: [Double] = []
      result.reserveCapacity(count)
      var point = CancellationPoint()
      for o in 0..<outer {
        for index in 0..<output[axis] {
          try point.pass(max(inner, 1))
          let position = place(index, output[axis], size)
          let low = min(max(Int(position), 0), size - 1)
          let high = min(low + 1, size - 1)
          let weight = position - Double(low)
          for i in 0..<inner {
            let (a, b) = (values[(o * size + low) * inner + i], values[(o * size + high) * inner + i])
            result.append(weight == 0 ? a : a + (b - a) * weight)
          }
        }
      }
      values = result
      shape[axis] = output[axis]
    }
    return values
  }
}

/// The element that a sample between two elements takes.
///
/// For TensorFlow's nearest neighbor with half-pixel centers coremltools writes `resize_nearest_neighbor`, or, for
/// run-time sizes, `resize` in its default mode. Without half-pixel centers it writes `upsample_nearest_neighbor`. The
/// tests of coremltools compare with TensorFlow.
enum NearestSample {
  /// The element that contains the start of output `index`, floor(index * input / output).
  static func ofStart(_ index: Int, of output: Int, input: Int) -> Int { index * input / output }

  /// The element that contains the center of output `index`, floor((index + 0.5) * input / output).
  static func ofMiddle(_ index: Int, of output: Int, input: Int) -> Int {
    Int((Double(index) + 0.5) * Double(input) / Double(output))
  }

  /// The element for `resize`. In other modes than the default it is the nearest to the grid position. Of two equally
  /// near elements the first wins.
  static func inGrid(_ mode: SamplingMode, _ index: Int, of output: Int, input: Int) -> Int {
    mode == .standard
      ? ofMiddle(index, of: output, input: input)
      : Int((mode.position(index, of: output, input: input) - 0.5).rounded(.up))
  }
}
