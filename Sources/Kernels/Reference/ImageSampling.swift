import MIL

extension References {
  static let imageSampling: [Reference] = [
    Reference.numeric("crop_resize") { try cropResize($0) },
    Reference.numeric("affine") { call in
      let matrix = try call.doubles("transform_matrix")
      let isShared = try call.sizes("transform_matrix")[0] == 1
      let sampler = try ImageSampler(call.invocation)
      let output = try call.outputSizes()
      return try sampled(call, sampler) { n, row, column in
        let m = isShared ? 0 : n * 6
        // The output's own coordinates are in the mode of the input's.
        let x = sampler.coordinate(column, size: output[3])
        let y = sampler.coordinate(row, size: output[2])
        return (
          matrix[m] * x + matrix[m + 1] * y + matrix[m + 2], matrix[m + 3] * x + matrix[m + 4] * y + matrix[m + 5]
        )
      }
    },
    Reference.numeric("resample") { call in
      let coordinates = try call.doubles("coordinates")
      let output = try call.outputSizes()
      return try sampled(call, ImageSampler(call.invocation)) { n, row, column in
        let at = ((n * output[2] + row) * output[3] + column) * 2
        return (coordinates[at], coordinates[at + 1])
      }
    },
  ]

  /// Every output pixel read at the coordinates (x, y) that `place(image, row, column)` gives.
  private static func sampled(
    _ call: ReferenceCall, _ sampler: ImageSampler, place: (Int, Int, Int) -> (Double, Double)
  ) throws -> [Double] {
    let x = try call.doubles("x")
    let sizes = try call.sizes("x")
    return try Indices(call.outputSizes()).map { index in
      let (column, row) = place(index[0], index[2], index[3])
      let plane = (index[0] * sizes[1] + index[1]) * sizes[2] * sizes[3]
      func pixel(_ r: Double, _ c: Double) -> Double {
        guard let r = sampler.source(r, size: sizes[2]), let c = sampler.source(c, size: sizes[3]) else {
          return sampler.paddingValue
        }
        return x[plane + r * sizes[3] + c]
      }
      let r = sampler.pixel(row, size: sizes[2])
      let c = sampler.pixel(column, size: sizes[3])
      if sampler.isNearest { return pixel(r.rounded(.toNearestOrEven), c.rounded(.toNearestOrEven)) }
      let (top, left) = (r.rounded(.down), c.rounded(.down))
      let (down, right) = r.isFinite && c.isFinite ? (r - top, c - left) : (0, 0)
      return (1 - down) * ((1 - right) * pixel(top, left) + right * pixel(top, left + 1))
        + down * ((1 - right) * pixel(top + 1, left) + right * pixel(top + 1, left + 1))
    }
  }

  private static func cropResize(_ call: ReferenceCall) throws -> [Double] {
    let rule = try CropResize(call.invocation)
    let x = try call.doubles("x")
    let sizes = try call.sizes("x")
    let output = Array(try call.outputSizes().suffix(2))
    let (height, width) = (sizes[2], sizes[3])
    return try CropBoxes(call).crops.flatMap { image, box -> [Double] in
      guard image >= 0, image < sizes[0] else {
        throw KernelError(
          .invalidInput, "crop_resize: the image index \(image) is not below the batch size \(sizes[0])")
      }
      let (h, w) = rule.isWidthFirst ? (1, 0) : (0, 1)
      var result: [Double] = []
      for channel in 0..<sizes[1] {
        let plane = (image * sizes[1] + channel) * height * width
        for row in 0..<output[0] {
          let r = rule.position(row, of: output[0], first: box[h], second: box[h + 2], size: height)
          for column in 0..<output[1] {
            let c = rule.position(column, of: output[1], first: box[w], second: box[w + 2], size: width)
            guard r >= 0, r <= Double(height - 1), c >= 0, c <= Double(width - 1) else {
              result.append(rule.padValue)
              continue
            }
            let (top, left) = (Int(r), Int(c))
            let (bottom, right) = (min(top + 1, height - 1), min(left + 1, width - 1))
            func pixel(_ r: Int, _ c: Int) -> Double { x[plane + r * width + c] }
            let (v, u) = (r - Double(top), c - Double(left))
            result.append(
              (1 - v) * ((1 - u) * pixel(top, left) + u * pixel(top, right))
                + v * ((1 - u) * pixel(bottom, left) + u * pixel(bottom, right)))
          }
        }
      }
      return result
    }
  }
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

/// What `crop_resize` cuts, in the order of its output: an image's index and a box's four numbers.
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
    let images = try call.sizes("x")[0]
    crops = (0..<roi.count / width).flatMap { row -> [(Int, [Double])] in
      let values = Array(roi[row * width..<(row + 1) * width])
      guard width == 5 else { return (0..<images).map { ($0, values) } }
      let image = values[0].isFinite && abs(values[0]) < 1e9 ? Int(values[0]) : -1
      return [(image, Array(values.dropFirst()))]
    }
  }
}
