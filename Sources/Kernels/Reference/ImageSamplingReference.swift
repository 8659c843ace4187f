import MIL

enum ImageSamplingReference {
  static let all: [Reference] = [
    Reference.numeric("crop_resize", "affine", "resample") { call in
      let x = try call.doubles("x")
      return try ImageTaps(call.invocation).sampled(
        x, call.sizes("x"), area: call.outputSizes().suffix(2).reduce(1, *))
    }
  ]
}

extension ImageSampler {
  /// The coordinate of an output pixel, in this sampler's mode.
  func coordinate(_ pixel: Int, size: Int) -> Double {
    if coordinates == .unnormalized { return Double(pixel) }
    let unit =
      alignCorners ? (size > 1 ? Double(pixel) / Double(size - 1) : 0) : (Double(pixel) + 0.5) / Double(size)
    return coordinates == .zeroToOne ? unit : 2 * unit - 1
  }
}

/// The crops of `crop_resize` in the order of its output: an image index, and the four values of a box.
struct CropBoxes {
  let crops: [(image: Int, box: [Double])]

  init(_ call: ReferenceCall) throws {
    guard call.has("roi") else {
      let boxes = try call.doubles("boxes")
      let indices = try call.has("box_indices") ? call.doubles("box_indices") : nil
      crops = (0..<boxes.count / 4).map { box in
        (Int(indices?[box] ?? Double(box)), Array(boxes[box * 4..<box * 4 + 4]))
      }
      return
    }
    let roi = try call.doubles("roi")
    let width = try call.sizes("roi")[2]
    let images = try call.invocation.sizes("x")[0]
    crops = (0..<roi.count / width).flatMap { row -> [(Int, [Double])] in
      let values = Array(roi[row * width..<(row + 1) * width])
      guard width == 5 else { return (0..<images).map { ($0, values) } }
      let image = values[0].isFinite && abs(values[0]) < 1e9 ? Int(values[0]) : -1
      return [(image, Array(values.dropFirst()))]
    }
  }
}
