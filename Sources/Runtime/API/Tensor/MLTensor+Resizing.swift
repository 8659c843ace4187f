import MIL

extension MLTensor {
  /// How the elements of a picture of another size come from those of this one.
  public enum ResizeMethod: Sendable, Hashable, CustomStringConvertible {
    /// The element that the middle of the new one lies in.
    case nearestNeighbor
    /// Between four elements, in proportion. `alignCorners`: whether the corners of both pictures are the middles of their corner elements.
    case bilinear(alignCorners: Bool = false)

    /// The case as it is written.
    public var description: String {
      switch self {
      case .nearestNeighbor: "nearestNeighbor"
      case .bilinear(let alignsCorners): "bilinear(alignCorners: \(alignsCorners))"
      }
    }
  }

  /// A picture, or several, in another size: the last two axes are rows and columns.
  ///
  /// - Precondition: there are two axes or more, and the sizes are above 0.
  public func resized(
    to size: (newHeight: Int, newWidth: Int), method: ResizeMethod = .nearestNeighbor
  ) -> MLTensor {
    precondition(rank >= 2, "a tensor of shape \(shape) has no rows and columns")
    precondition(size.newHeight > 0 && size.newWidth > 0, "a picture cannot have the size \(size)")
    // Pictures have a batch and channels before their rows.
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
