import CoreMLKernels
import MIL

/// Sampling of images at constant positions. The gradient of each output pixel is distributed to the input pixels of
/// its weighted sum.
enum SamplingGradients {
  static let rules: [GradientRule] = [
    GradientRule("affine", "resample", "crop_resize") { call in
      for parameter in ["transform_matrix", "coordinates", "boxes", "box_indices", "roi"] where call.has(parameter) {
        guard call.invocation.valueIfKnown(parameter) != nil else {
          throw call.invocation.error(.unsupported, "has a gradient only where '\(parameter)' is a constant")
        }
      }
      try call.give("x") { try spread(call) }
    }
  ]

  /// Treats pixels as rows of channels. The gradients of each tap are weighted and added to the rows that the tap read.
  private static func spread(_ call: GradientCall) throws -> Binding {
    let e = call.emit
    let taps = try ImageTaps(call.invocation)
    let shape = try e.shape(call.x)
    let (channels, plane) = (shape[1], shape[2] * shape[3])
    let area = try e.shape(call.y).suffix(2).reduce(1, *)
    let pixels = taps.images.count * area
    guard let rows = TensorType.elementCount([shape[0], plane]), rows < Int(Int32.max) else {
      throw call.invocation.error(.unsupported, "is too large for its gradient")
    }
    let gradient = try e.reshape(
      e.transpose(e.reshape(call.gradient, [taps.images.count, channels, area]), [0, 2, 1]), [pixels, channels])
    // Taps outside the image are scattered to an additional last row, which is cut off.
    var sum = try e.zeros([rows + 1, channels], like: call.x)
    for tap in 0..<ImageTaps.count {
      let own = (0..<pixels).map { $0 * ImageTaps.count + tap }
      let weights = own.map { taps.weights[$0] }
      guard weights.contains(where: { $0 != 0 }) else { continue }
      let targets = own.enumerated().map { pixel, place in
        taps.places[place] < 0 ? rows : taps.images[pixel / area] * plane + taps.places[place]
      }
      sum = try e(
        "scatter",
        [
          "data": sum, "indices": .tensor(Tensor(int32: targets, shape: [pixels])),
          "updates": e.mul(gradient, e.tensor(weights, shape: [pixels, 1], like: gradient)), "axis": .int(0),
          "mode": .string("add"),
        ])
    }
    let images = try e.reshape(e.slice(sum, axis: 0, from: 0, count: rows), [shape[0], plane, channels])
    return try e.reshape(e.transpose(images, [0, 2, 1]), shape)
  }
}
