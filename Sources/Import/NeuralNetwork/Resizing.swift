import CoreMLSpec
import MIL

/// `upsample`, `resizeBilinear`, `cropResize`.
///
/// The format's default grid for n elements resized to m, i (n - n/m) / (m - 1), equals i n/m, MIL's `DEFAULT`.
struct ResizingLayers {
  let graph: NetworkGraph

  func upsample(_ params: Specification.UpsampleLayerParams) throws {
    let whole = try params.scalingFactor.map { Float(try graph.int($0, "scalingFactor")) }
    let fractions = try params.fractionalScalingFactor
    guard whole.isEmpty || fractions.isEmpty else {
      throw graph.error(.invalidModel, "has both 'scalingFactor' and 'fractionalScalingFactor'")
    }
    let factors = !whole.isEmpty ? whole : !fractions.isEmpty ? fractions : [1, 1]
    guard factors.count == 2, factors.allSatisfy({ $0.isFinite && $0 > 0 }) else {
      throw graph.error(.invalidModel, "the scaling factors are \(factors), expected two positive ones")
    }
    let (x, lead) = try graph.imageOrLower(0)
    var arguments: [String: Binding] = [
      "x": .name(x), "scale_factor_height": .float(factors[0]), "scale_factor_width": .float(factors[1]),
    ]
    guard try params.mode == .bilinear else {
      try graph.setImage(0, graph.emit("upsample_nearest_neighbor", arguments), lead: lead)
      return
    }
    let (align, half) =
      switch try params.linearUpsampleMode {
      case .default: (false, false)
      case .alignCornersTrue: (true, false)
      case .alignCornersFalse: (false, true)
      }
    arguments["align_corners"] = .bool(align)
    arguments["half_pixel_centers"] = .bool(half)
    try graph.setImage(0, graph.emit("upsample_bilinear", arguments), lead: lead)
  }

  func resizeBilinear(_ params: Specification.ResizeBilinearLayerParams) throws {
    let size = try graph.ints(params.targetSize, count: 2, default: 1, "targetSize")
    let (x, lead) = try graph.imageOrLower(0)
    try graph.setImage(
      0,
      graph.emit(
        "resize_bilinear",
        [
          "x": .name(x), "target_size_height": .int(size[0]), "target_size_width": .int(size[1]),
          "sampling_mode": .string(Self.word(of: try params.mode?.samplingMethod)),
        ]), lead: lead)
  }

  /// The image is [1, B, C, H, W], the regions are [N, 1, 4 or 5, 1, 1]. With five elements, a region starts with the
  /// index of its image.
  func cropResize(_ params: Specification.CropResizeLayerParams) throws {
    let size = try graph.ints(params.targetSize, count: 2, default: 1, "targetSize")
    let (x, _) = try graph.image(0)
    let coordinates =
      switch try params.boxIndicesMode?.boxMode {
      case .cornersHeightFirst, nil: "CORNERS_HEIGHT_FIRST"
      case .cornersWidthFirst: "CORNERS_WIDTH_FIRST"
      case .centerSizeHeightFirst: "CENTER_SIZE_HEIGHT_FIRST"
      case .centerSizeWidthFirst: "CENTER_SIZE_WIDTH_FIRST"
      }
    let scale = try params.spatialScale
    try graph.set(
      0,
      graph.emit(
        "crop_resize",
        [
          "x": .name(x), "roi": .name(graph.input(1)), "target_height": .int(size[0]), "target_width": .int(size[1]),
          "normalized_coordinates": .bool(params.normalizedCoordinates), "box_coordinate_mode": .string(coordinates),
          "spatial_scale": .float(scale == 0 ? 1 : scale),
          "sampling_mode": .string(Self.word(of: try params.mode?.samplingMethod)),
        ]))
  }

  /// MIL's name of a sampling grid.
  private static func word(of method: Specification.SamplingMode.Method?) -> String {
    switch method {
    case .strictAlignEndpointsMode, nil: "STRICT_ALIGN_CORNERS"
    case .alignEndpointsMode: "ALIGN_CORNERS"
    case .upsampleMode: "DEFAULT"
    case .roiAlignMode: "OFFSET_CORNERS"
    }
  }
}
