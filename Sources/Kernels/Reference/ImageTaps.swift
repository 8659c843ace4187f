import CoreMLBase
import MIL

/// The definition of `affine`, `resample` and `crop_resize`, and of their gradients. Every output pixel is a weighted
/// sum of up to four pixels of a plane, with the same weights for all channels.
package struct ImageTaps: Sendable {
  /// For each output image, in order, the index of its input image.
  package private(set) var images: [Int] = []
  /// For each pixel of each output image four pixel offsets in a row-major plane. -1 is outside of the image, -2 is
  /// unused.
  package private(set) var places: [Int] = []
  package private(set) var weights: [Double] = []
  /// The value outside of the image.
  package let outside: Double

  /// Input pixels for each output pixel.
  package static let count = 4

  /// Every argument but `x` must be known. Only the shape of `x` is used.
  package init(_ invocation: Invocation) throws {
    let call = ReferenceCall(
      invocation: invocation, outputs: try Operations.definition(of: invocation.operation).outputTypes(invocation))
    let (size, output) = (try invocation.sizes("x"), try call.outputSizes())
    guard call.operation != "crop_resize" else {
      let rule = try CropResize(invocation)
      outside = rule.padValue
      try crop(call, rule, size, output)
      return
    }
    let sampler = try ImageSampler(invocation)
    outside = sampler.paddingValue
    let isAffine = call.operation == "affine"
    let numbers = try call.doubles(isAffine ? "transform_matrix" : "coordinates")
    let isShared = try isAffine && call.sizes("transform_matrix")[0] == 1
    try admit([output[0], output[2], output[3]])
    var point = CancellationPoint()
    for image in 0..<output[0] {
      images.append(image)
      for row in 0..<output[2] {
        try point.pass(max(output[3], 1))
        for column in 0..<output[3] {
          guard isAffine else {
            let at = ((image * output[2] + row) * output[3] + column) * 2
            add(sampler, x: numbers[at], y: numbers[at + 1], size)
            continue
          }
          let m = isShared ? 0 : image * 6
          // The output's own coordinates use the same mode as the input's.
          let x = sampler.coordinate(column, size: output[3])
          let y = sampler.coordinate(row, size: output[2])
          add(
            sampler, x: numbers[m] * x + numbers[m + 1] * y + numbers[m + 2],
            y: numbers[m + 3] * x + numbers[m + 4] * y + numbers[m + 5], size)
        }
      }
    }
  }

  /// Charges the memory budget for the four offsets and weights of every pixel.
  private func admit(_ pixels: [Int]) throws {
    try MemoryBudget.current.admit(
      TensorType.elementCount(pixels) ?? .max, of: 2 * 16 * Self.count, for: "the places of \(pixels) sampled pixels")
  }

  private mutating func add(_ sampler: ImageSampler, x: Double, y: Double, _ size: [Int]) {
    func place(_ r: Double, _ c: Double) -> Int {
      guard let r = sampler.source(r, size: size[2]), let c = sampler.source(c, size: size[3]) else { return -1 }
      return r * size[3] + c
    }
    let r = sampler.pixel(y, size: size[2])
    let c = sampler.pixel(x, size: size[3])
    if sampler.isNearest {
      add([place(r.rounded(.toNearestOrEven), c.rounded(.toNearestOrEven)), -2, -2, -2], [1, 0, 0, 0])
      return
    }
    let (top, left) = (r.rounded(.down), c.rounded(.down))
    let (down, right) = r.isFinite && c.isFinite ? (r - top, c - left) : (0, 0)
    add(
      [place(top, left), place(top, left + 1), place(top + 1, left), place(top + 1, left + 1)],
      Self.corners(down, right))
  }

  private mutating func crop(_ call: ReferenceCall, _ rule: CropResize, _ size: [Int], _ output: [Int]) throws {
    let (rows, columns) = (output[output.count - 2], output[output.count - 1])
    let (height, width) = (size[2], size[3])
    let (h, w) = rule.isWidthFirst ? (1, 0) : (0, 1)
    let crops = try CropBoxes(call).crops
    try admit([crops.count, rows, columns])
    var point = CancellationPoint()
    for (image, box) in crops {
      guard image >= 0, image < size[0] else {
        throw KernelError(.invalidInput, "crop_resize: the image index \(image) is not below the batch size \(size[0])")
      }
      images.append(image)
      for row in 0..<rows {
        try point.pass(max(columns, 1))
        let r = rule.position(row, of: rows, first: box[h], second: box[h + 2], size: height)
        for column in 0..<columns {
          let c = rule.position(column, of: columns, first: box[w], second: box[w + 2], size: width)
          guard r >= 0, r <= Double(height - 1), c >= 0, c <= Double(width - 1) else {
            add([-1, -2, -2, -2], [1, 0, 0, 0])
            continue
          }
          let (top, left) = (Int(r), Int(c))
          let (bottom, right) = (min(top + 1, height - 1), min(left + 1, width - 1))
          add(
            [top * width + left, top * width + right, bottom * width + left, bottom * width + right],
            Self.corners(r - Double(top), c - Double(left)))
        }
      }
    }
  }

  private static func corners(_ down: Double, _ right: Double) -> [Double] {
    [(1 - down) * (1 - right), (1 - down) * right, down * (1 - right), down * right]
  }

  private mutating func add(_ places: [Int], _ weights: [Double]) {
    self.places += places
    self.weights += weights
  }

  /// The output elements for the elements of `x`, [images, channels, height, width].
  func sampled(_ x: [Double], _ size: [Int], area: Int) throws -> [Double] {
    let plane = size[2] * size[3]
    var point = CancellationPoint()
    return try images.indices.flatMap { view in
      try (0..<size[1]).flatMap { channel -> [Double] in
        try point.pass(area)
        let start = (images[view] * size[1] + channel) * plane
        return (0..<area).map { pixel in
          let first = (view * area + pixel) * Self.count
          return (first..<first + Self.count).reduce(0) { sum, tap in
            if places[tap] == -2 { return sum }
            return sum + weights[tap] * (places[tap] < 0 ? outside : x[start + places[tap]])
          }
        }
      }
    }
  }
}
