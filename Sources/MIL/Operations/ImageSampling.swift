/// Sampling of images at computed positions (coremltools: `crop_resize`, `affine`, `resample`).
enum ImageSamplingOperations {
  static let all: [OperationDefinition] = [
    OperationDefinition(
      "crop_resize",
      [
        .required("x"), .optional("boxes"), .optional("box_indices"), .optional("roi"), .optional("target_height"),
        .optional("target_width"), .optional("normalized_coordinates"), .optional("spatial_scale"),
        .optional("box_coordinate_mode"), .optional("sampling_mode"), .optional("pad_value"),
      ], work: Resizing.linearWork
    ) { [.tensor(try CropResize.outputType($0))] },
    OperationDefinition(
      "affine",
      [
        .required("x"), .required("transform_matrix"), .required("output_height"), .required("output_width"),
        .optional("sampling_mode"), .optional("padding_mode"), .optional("padding_value"),
        .optional("coordinates_mode"), .optional("align_corners"),
      ], work: Resizing.linearWork
    ) { call in
      let x = try call.tensor("x")
      let matrix = try call.shape("transform_matrix")
      guard x.rank == 4, matrix.count == 2, matrix[1].agrees(with: 6),
        matrix[0].value == 1 || matrix[0].agrees(with: x.shape[0])
      else {
        throw call.error(
          .invalidShape, "'x' is \(x) and 'transform_matrix' \(matrix): expected [B, C, H, W] and [B or 1, 6]")
      }
      _ = try ImageSampler(call)
      let height = try call.int("output_height")
      let width = try call.int("output_width")
      guard height >= 0, width >= 0 else {
        throw call.error(.invalidArgument, "the output size \(height) by \(width) is negative")
      }
      return [.tensor(TensorType(x.scalar, [x.shape[0], x.shape[1], Dimension(height), Dimension(width)]))]
    },
    OperationDefinition(
      "resample",
      [
        .required("x"), .required("coordinates"), .optional("sampling_mode"), .optional("padding_mode"),
        .optional("padding_value"), .optional("coordinates_mode"), .optional("align_corners"),
      ], work: Resizing.linearWork
    ) { call in
      let x = try call.tensor("x")
      let coordinates = try call.shape("coordinates")
      guard x.rank == 4, coordinates.count == 4, coordinates[3].agrees(with: 2), coordinates[0].agrees(with: x.shape[0])
      else {
        throw call.error(
          .invalidShape, "'x' is \(x) and 'coordinates' \(coordinates): expected [B, C, H, W] and [B, H2, W2, 2]")
      }
      _ = try ImageSampler(call)
      return [.tensor(TensorType(x.scalar, [x.shape[0], x.shape[1], coordinates[1], coordinates[2]]))]
    },
  ]
}

/// How `resample` and `affine` sample an image between and outside of its pixels.
package struct ImageSampler: Sendable {
  package enum Padding: String, Sendable {
    case constant
    /// The nearest pixel.
    case border
    /// Mirrored at the centers of the edge pixels.
    case reflection
    /// Mirrored at the outer edges of the edge pixels.
    case symmetric
  }

  package enum Coordinates: String, Sendable {
    case unnormalized
    case minusOneToOne = "normalized_minus_one_to_one"
    case zeroToOne = "normalized_zero_to_one"
  }

  package let isNearest: Bool
  package let padding: Padding
  package let paddingValue: Double
  package let coordinates: Coordinates
  package let alignCorners: Bool

  package init(_ call: Invocation) throws {
    let sampling = try call.string("sampling_mode", default: "bilinear").lowercased()
    guard sampling == "bilinear" || sampling == "nearest" else {
      throw call.error(.invalidArgument, "the sampling mode '\(sampling)' is unknown")
    }
    isNearest = sampling == "nearest"
    let padding = try call.string("padding_mode", default: "constant").lowercased()
    let coordinates = try call.string("coordinates_mode", default: "normalized_minus_one_to_one").lowercased()
    guard let padding = Padding(rawValue: padding), let coordinates = Coordinates(rawValue: coordinates) else {
      throw call.error(
        .invalidArgument, "the padding mode '\(padding)' or the coordinates mode '\(coordinates)' is unknown")
    }
    self.padding = padding
    self.coordinates = coordinates
    paddingValue = try call.double("padding_value", default: 0)
    alignCorners = try call.bool("align_corners", default: true)
  }

  /// The position of a coordinate along an axis of `size` pixels, where 0 is the center of the first pixel. Except with
  /// constant padding, positions outside are folded into the axis before rounding or interpolation. NaN maps to the
  /// first pixel.
  package func pixel(_ coordinate: Double, size: Int) -> Double {
    let unit: Double
    switch coordinates {
    case .unnormalized: return folded(coordinate, size)
    case .minusOneToOne: unit = (coordinate + 1) / 2
    case .zeroToOne: unit = coordinate
    }
    return folded(alignCorners ? unit * Double(size - 1) : unit * Double(size) - 0.5, size)
  }

  private func folded(_ position: Double, _ size: Int) -> Double {
    let last = Double(max(size - 1, 0))
    guard padding != .constant, !(position >= 0 && position <= last) else { return position }
    guard position.isFinite, size > 1 else { return position > 0 && position.isInfinite ? last : 0 }
    /// Folds a distance from the first mirror into `0...span`, where `span` is the distance of the two mirrors.
    func mirrored(_ distance: Double, _ span: Double) -> Double {
      let rest = abs(distance).truncatingRemainder(dividingBy: 2 * span)
      return rest <= span ? rest : 2 * span - rest
    }
    switch padding {
    case .constant: return position
    case .border: return min(max(position, 0), last)
    case .reflection: return mirrored(position, last)
    case .symmetric: return min(max(mirrored(position + 0.5, Double(size)) - 0.5, 0), last)
    }
  }

  /// The pixel at an integral position returned by `pixel`; nil for the padding value.
  package func source(_ position: Double, size: Int) -> Int? {
    if position >= 0, position <= Double(size - 1) { return Int(position) }
    return padding == .constant || size < 1 ? nil : (position > 0 ? size - 1 : 0)
  }
}

/// How `crop_resize` interprets its boxes.
package struct CropResize: Sendable {
  package let mode: SamplingMode
  package let isNormalized: Bool
  package let scale: Double
  package let isCenterSize: Bool
  package let isWidthFirst: Bool
  package let padValue: Double

  package init(_ call: Invocation) throws {
    mode = try SamplingMode(call)
    isNormalized = try call.bool("normalized_coordinates", default: false)
    scale = try call.double("spatial_scale", default: 1)
    padValue = try call.double("pad_value", default: 0)
    let word = try call.string("box_coordinate_mode", default: "CORNERS_HEIGHT_FIRST").uppercased()
    guard word.hasPrefix("CORNERS_") || word.hasPrefix("CENTER_SIZE_"),
      word.hasSuffix("_HEIGHT_FIRST") || word.hasSuffix("_WIDTH_FIRST")
    else { throw call.error(.invalidArgument, "the box coordinate mode '\(word)' is unknown") }
    isCenterSize = word.hasPrefix("CENTER")
    isWidthFirst = word.hasSuffix("_WIDTH_FIRST")
  }

  /// x is [B, C, H, W]. With `boxes` [N, 4] and `box_indices` [N] (iOS17), the result is [N, C, h, w]. With `roi` [N,
  /// 1, 4, 1, 1], every box is cut from every image: [N, B, C, h, w]. With `roi` [N, 1, 5, 1, 1], where the image's
  /// index comes first: [N, 1, C, h, w].
  static func outputType(_ call: Invocation) throws -> TensorType {
    _ = try CropResize(call)
    let x = try call.tensor("x")
    let height = try call.int("target_height", default: 1)
    let width = try call.int("target_width", default: 1)
    guard x.rank == 4, height >= 0, width >= 0 else {
      throw call.error(
        .invalidShape, "'x' is \(x) and the target \(height) by \(width): expected [B, C, H, W] and a size")
    }
    let size = [Dimension(height), Dimension(width)]
    if call.has("roi") {
      let roi = try call.shape("roi")
      guard roi.count == 5, roi[2].value == nil || roi[2].value == 4 || roi[2].value == 5,
        [1, 3, 4].allSatisfy({ roi[$0].agrees(with: 1) })
      else { throw call.error(.invalidShape, "'roi' is \(try call.tensor("roi")), expected [N, 1, 4 or 5, 1, 1]") }
      let images: Dimension = roi[2].isKnown ? (roi[2].value == 4 ? x.shape[0] : 1) : .unknown
      return TensorType(x.scalar, [roi[0], images, x.shape[1]] + size)
    }
    let boxes = try call.shape("boxes")
    guard boxes.count == 2, boxes[1].agrees(with: 4) else {
      throw call.error(.invalidShape, "'boxes' is \(try call.tensor("boxes")), expected [N, 4]")
    }
    if call.has("box_indices") {
      let indices = try call.shape("box_indices")
      guard try indices.count == 1 && indices[0].agrees(with: boxes[0]) && call.tensor("box_indices").scalar.isInteger
      else {
        throw call.error(
          .invalidShape, "'box_indices' is \(try call.tensor("box_indices")), expected [\(boxes[0])] integers")
      }
    }
    return TensorType(x.scalar, [boxes[0], x.shape[1]] + size)
  }

  /// The position of sample `index` of `output` between the ends of a box, on an axis of `size` pixels. It may be
  /// outside of the axis.
  package func position(_ index: Int, of output: Int, first: Double, second: Double, size: Int) -> Double {
    let unit = (isNormalized ? Double(size - 1) : 1) * scale
    let start = (isCenterSize ? first - second / 2 : first) * unit
    let end = (isCenterSize ? first + second / 2 : second) * unit
    return mode.position(index, of: output, start: start, end: end)
  }
}
