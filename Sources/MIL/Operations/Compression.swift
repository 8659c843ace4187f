/// Compressed weights (`constexpr_*` in their iOS18 forms, to which the importer converts older ones), `quantize` and
/// `dequantize`.
enum CompressionOperations {
  static let all: [OperationDefinition] = [
    OperationDefinition(
      "constexpr_affine_dequantize",
      [.required("quantized_data"), .required("zero_point"), .required("scale"), .required("axis")]
    ) { call in
      let data = try call.tensor("quantized_data")
      let axis = try call.axis("axis", rank: data.rank)
      for name in ["zero_point", "scale"] {
        let shape = try call.shape(name)
        guard shape.isEmpty || (shape.count == 1 && (shape[0].value == 1 || shape[0].agrees(with: data.shape[axis])))
        else {
          throw call.error(.invalidShape, "'\(name)' must have one value, or one per entry of axis \(axis) of \(data)")
        }
      }
      return [.tensor(data.with(scalar: try call.tensor("scale").scalar))]
    },
    OperationDefinition("constexpr_cast", [.required("source_val"), .required("output_dtype")]) { call in
      [.tensor(try call.tensor("source_val").with(scalar: call.scalarType("output_dtype")))]
    },
    OperationDefinition(
      "constexpr_lut_to_dense", [.required("indices"), .required("lut"), .optional("vector_axis")]
    ) { call in
      let lookup = try PaletteShape(call, indices: call.shape("indices"))
      return [.tensor(TensorType(try call.tensor("lut").scalar, lookup.output))]
    },
    OperationDefinition("constexpr_sparse_to_dense", [.required("nonzero_data"), .required("mask")]) { call in
      [.tensor(TensorType(try call.tensor("nonzero_data").scalar, try call.shape("mask")))]
    },
    OperationDefinition(
      "constexpr_blockwise_shift_scale", [.required("data"), .required("scale"), .optional("offset")]
    ) { call in
      let data = try call.tensor("data")
      _ = try BlockShape(call, data: data.shape)
      return [.tensor(data.with(scalar: try call.tensor("scale").scalar))]
    },
    OperationDefinition(
      "constexpr_lut_to_sparse",
      [.required("indices_mask"), .required("indices_nonzero_data"), .required("lut"), .optional("vector_axis")]
    ) { call in
      let mask = try call.tensor("indices_mask")
      let lookup = try PaletteShape(call, indices: mask.shape)
      let count = try call.length("indices_nonzero_data") * Dimension(lookup.vectorSize)
      return [
        .tensor(TensorType(mask.scalar, lookup.output)), .tensor(TensorType(try call.tensor("lut").scalar, [count])),
      ]
    },
    OperationDefinition(
      "constexpr_sparse_blockwise_shift_scale",
      [.required("data_mask"), .required("nonzero_data"), .required("scale"), .optional("offset")]
    ) { call in
      let mask = try call.tensor("data_mask")
      _ = try BlockShape(call, data: mask.shape)
      return [
        .tensor(mask), .tensor(TensorType(try call.tensor("scale").scalar, [try call.length("nonzero_data")])),
      ]
    },
    OperationDefinition(
      "quantize",
      [.required("input"), .required("scale"), .required("output_dtype"), .optional("zero_point"), .optional("axis")]
    ) { call in
      [.tensor(try call.tensor("input").with(scalar: call.scalarType("output_dtype")))]
    },
    OperationDefinition(
      "dequantize", [.required("input"), .required("scale"), .optional("zero_point"), .optional("axis")]
    ) { call in
      [.tensor(try call.tensor("input").with(scalar: call.tensor("scale").scalar))]
    },
  ]
}

/// How palettes apply to indices. `lut` is [d0, .., dK, palettes, vector]. Each d divides the corresponding axis of the
/// indices. The elements of a vector are along `vector_axis` of the output.
package struct PaletteShape: Sendable {
  package let paletteSize: Int
  package let vectorSize: Int
  package let vectorAxis: Int?
  /// The number of indices along each axis that share a palette.
  package let blocks: [Int]
  package let output: [Dimension]

  package init(_ call: Invocation, indices: [Dimension]) throws {
    let lut = try call.sizes("lut")
    guard lut.count == indices.count + 2, lut[indices.count] > 0, lut[indices.count + 1] > 0 else {
      throw call.error(.invalidShape, "'lut' has the shape \(lut), the indices have rank \(indices.count)")
    }
    paletteSize = lut[indices.count]
    vectorSize = lut[indices.count + 1]
    blocks = try zip(indices, lut).map { size, count in
      guard let size = size.value, count > 0, size % count == 0 else {
        throw call.error(.invalidShape, "'lut' has the shape \(lut), which does not divide the indices")
      }
      return max(size / count, 1)
    }
    var output = indices
    if vectorSize > 1 || call.has("vector_axis") {
      let axis = try call.axis("vector_axis", default: 0, rank: indices.count)
      output[axis] = output[axis] * vectorSize
      vectorAxis = axis
    } else {
      vectorAxis = nil
    }
    self.output = output
  }
}

/// How scales apply to data: each axis of `scale` divides that of the data.
package struct BlockShape: Sendable {
  /// The number of elements along each axis that share a scale.
  package let blocks: [Int]

  package init(_ call: Invocation, data: [Dimension]) throws {
    let scale = try call.sizes("scale")
    guard scale.count == data.count else {
      throw call.error(.invalidShape, "'scale' has rank \(scale.count), the data rank \(data.count)")
    }
    if call.has("offset"), try call.sizes("offset") != scale {
      throw call.error(.invalidShape, "'offset' has the shape \(try call.sizes("offset")), 'scale' \(scale)")
    }
    blocks = try zip(data, scale).map { size, count in
      guard let size = size.value, count > 0, size % count == 0 else {
        throw call.error(.invalidShape, "'scale' has the shape \(scale), which does not divide the data")
      }
      return max(size / count, 1)
    }
  }
}
