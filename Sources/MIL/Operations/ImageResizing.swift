/// Resizing and cropping of the last axes (coremltools: `image_resizing`).
enum ImageResizingOperations {
  static let all: [OperationDefinition] = [
    OperationDefinition("upsample_nearest_neighbor", scaleParameters, work: Resizing.linearWork) {
      [.tensor(try Resizing.scaledType($0))]
    },
    OperationDefinition(
      "upsample_bilinear", scaleParameters + [.optional("align_corners"), .optional("half_pixel_centers")],
      work: Resizing.linearWork
    ) { call in
      _ = try Resizing.upsampleMode(call)
      return [.tensor(try Resizing.scaledType(call))]
    },
    OperationDefinition(
      "resize_nearest_neighbor",
      [.required("x"), .required("target_size_height"), .required("target_size_width")]
    ) { [.tensor(try Resizing.targetType($0))] },
    OperationDefinition(
      "resize_bilinear",
      [.required("x"), .optional("target_size_height"), .optional("target_size_width"), .optional("sampling_mode")],
      work: Resizing.linearWork
    ) { call in
      _ = try SamplingMode(call)
      return [.tensor(try Resizing.targetType(call))]
    },
    OperationDefinition(
      "resize",
      [
        .required("x"), .required("shape"), .required("resized_dims"), .optional("interpolation_mode"),
        .optional("sampling_mode"),
      ], work: Resizing.linearWork
    ) { [.tensor(try Resizing.resizeType($0))] },
    OperationDefinition("crop", [.required("x"), .required("crop_height"), .required("crop_width")]) { call in
      let x = try call.tensor("x")
      guard x.rank >= 2 else { throw call.error(.invalidShape, "'x' is \(x), expected at least two axes") }
      let height = try Resizing.crop(call, "crop_height", x.shape[x.rank - 2])
      let width = try Resizing.crop(call, "crop_width", x.shape[x.rank - 1])
      return [.tensor(TensorType(x.scalar, Array(x.shape.dropLast(2)) + [height, width]))]
    },
  ]

  private static let scaleParameters: [Parameter] = [
    .required("x"), .optional("scale_factor_height"), .optional("scale_factor_width"),
  ]
}

/// The arguments of the resizing operations.
package enum Resizing {
  package enum Interpolation: Sendable {
    case linear
    case nearest
  }

  /// The sizes multiplied by the scale factors, rounded down.
  static func scaledType(_ call: Invocation) throws -> TensorType {
    let x = try call.tensor("x")
    guard x.rank >= 2 else { throw call.error(.invalidShape, "'x' is \(x), expected at least two axes") }
    func scaled(_ name: String, _ size: Dimension) throws -> Dimension {
      let factor = try call.double(name, default: 1)
      guard factor.isFinite, factor > 0 else {
        throw call.error(.invalidArgument, "'\(name)' is \(factor), it must be above 0")
      }
      guard let value = size.value else { return .unknown }
      // In fp32, the type of the stored factor: 0.7 times 10 is 7.
      let product = (Float(value) * Float(factor)).rounded(.down)
      guard product <= 1e9 else { throw call.error(.invalidShape, "'\(name)' gives \(product) elements") }
      return Dimension(Int(product))
    }
    return TensorType(
      x.scalar,
      Array(x.shape.dropLast(2)) + [
        try scaled("scale_factor_height", x.shape[x.rank - 2]), try scaled("scale_factor_width", x.shape[x.rank - 1]),
      ])
  }

  static func targetType(_ call: Invocation) throws -> TensorType {
    let x = try call.tensor("x")
    guard x.rank >= 2 else { throw call.error(.invalidShape, "'x' is \(x), expected at least two axes") }
    let height = try call.int("target_size_height", default: 1)
    let width = try call.int("target_size_width", default: 1)
    guard height >= 0, width >= 0 else {
      throw call.error(.invalidArgument, "the target size \(height) by \(width) is negative")
    }
    return TensorType(x.scalar, Array(x.shape.dropLast(2)) + [Dimension(height), Dimension(width)])
  }

  /// The last `resized_dims` entries of `shape` replace the sizes of the last axes. An entry of 0 keeps the size.
  static func resizeType(_ call: Invocation) throws -> TensorType {
    _ = try interpolation(call)
    _ = try SamplingMode(call)
    let x = try call.tensor("x")
    let resized = try call.int("resized_dims")
    let shape = try call.shape("shape")
    guard shape.count == 1, resized >= 0, resized <= x.rank,
      shape[0].value.map({ resized <= $0 && $0 <= x.rank }) ?? true
    else {
      throw call.error(
        .invalidShape, "'shape' is \(try call.tensor("shape")) and 'resized_dims' \(resized), for 'x' of rank \(x.rank)"
      )
    }
    var sizes = x.shape
    let known = try call.valueIfKnown("shape").map { _ in try call.ints("shape") }
    for index in 0..<resized {
      let axis = x.rank - resized + index
      guard let known else {
        sizes[axis] = .unknown
        continue
      }
      let size = known[known.count - resized + index]
      guard size >= 0 else { throw call.error(.invalidArgument, "'shape' holds the negative size \(size)") }
      if size > 0 { sizes[axis] = Dimension(size) }
    }
    return TensorType(x.scalar, sizes)
  }

  package static func interpolation(_ call: Invocation) throws -> Interpolation {
    switch try call.string("interpolation_mode", default: "LINEAR").uppercased() {
    case "LINEAR": return .linear
    case "NEAREST_NEIGHBOR": return .nearest
    case let word: throw call.error(.invalidArgument, "the interpolation mode '\(word)' is unknown")
    }
  }

  /// The sampling grid of `upsample_bilinear`. The default of `half_pixel_centers` is the opposite of `align_corners`
  /// (iOS16).
  package static func upsampleMode(_ call: Invocation) throws -> SamplingMode {
    let align = try call.bool("align_corners", default: true)
    let half = try call.bool("half_pixel_centers", default: !align)
    switch (align, half) {
    case (true, false): return .strictAlignCorners
    case (false, true): return .unalignCorners
    case (false, false): return .standard
    case (true, true):
      throw call.error(.invalidArgument, "'align_corners' and 'half_pixel_centers' cannot both be true")
    }
  }

  static func crop(_ call: Invocation, _ name: String, _ size: Dimension) throws -> Dimension {
    let amounts = try call.ints(name)
    guard amounts.count == 2, amounts.allSatisfy({ $0 >= 0 }) else {
      throw call.error(.invalidArgument, "'\(name)' must be two numbers from 0 up, it is \(amounts)")
    }
    let left = size - amounts[0] - amounts[1]
    if let value = left.value, value < 0 {
      throw call.error(.invalidShape, "'\(name)' \(amounts) takes more than the \(size) elements that are there")
    }
    return left
  }

  @Sendable static func linearWork(_ call: Invocation, _ outputs: [ValueType]) -> Work {
    Work(flops: 8 * Double(outputs.first?.tensor?.elementCount ?? 0))
  }
}
