import MIL

extension MLTensor {
  /// The interpolation of a resized image.
  public enum ResizeMethod: Sendable, Hashable, CustomStringConvertible {
    /// The nearest element: the one that contains the centre of the new element.
    case nearestNeighbor
    /// Linear interpolation between four elements. `alignCorners`: whether the centres of the corner elements of both
    /// images coincide.
    case bilinear(alignCorners: Bool = false)

    /// The case as Swift source code spells it.
    public var description: String {
      switch self {
      case .nearestNeighbor: "nearestNeighbor"
      case .bilinear(let alignsCorners): "bilinear(alignCorners: \(alignsCorners))"
      }
    }
  }

  /// Resizes an image or several. The last two axes are height and width. Types other than floating point are converted
  /// to `Float`.
  ///
  /// - Precondition: the rank is at least 2, and the new sizes are above 0.
  public func resized(
    to size: (newHeight: Int, newWidth: Int), method: ResizeMethod = .nearestNeighbor
  ) -> MLTensor {
    precondition(rank >= 2, "a tensor of shape \(shape) has no rows and columns")
    precondition(size.newHeight > 0 && size.newWidth > 0, "an image cannot have the size \(size)")
    // The resize operations expect the shape (batch, channels, height, width).
    let lead = Array(shape.dropLast(2))
    let channels = lead.reduce(1, *)
    var arguments: [String: TensorOperation.Argument] = [
      "x": .tensor(floating.reshaped(to: [1, channels] + shape.suffix(2))),
      "target_size_height": .int(size.newHeight), "target_size_width": .int(size.newWidth),
    ]
    let result: MLTensor
    switch method {
    case .nearestNeighbor: result = MLTensor.operation("resize_nearest_neighbor", arguments)
    case .bilinear(let alignsCorners):
      arguments["sampling_mode"] = .string(alignsCorners ? "STRICT_ALIGN_CORNERS" : "UNALIGN_CORNERS")
      result = MLTensor.operation("resize_bilinear", arguments)
    }
    return result.reshaped(to: lead + [size.newHeight, size.newWidth])
  }
}
