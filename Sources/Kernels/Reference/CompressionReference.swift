import CoreMLBase
import MIL

enum CompressionReference {
  static let all: [Reference] = [
    Reference("constexpr_cast") { call in [try call.result(call.doubles("source_val"))] },
    // scale (q - zero point), one of each for all elements or for each entry of the axis
    Reference.numeric("constexpr_affine_dequantize") { call in
      try affine(call, data: "quantized_data") { q, scale, zero in scale * (q - zero) }
    },
    Reference.numeric("dequantize") { call in
      try affine(call, data: "input") { q, scale, zero in scale * (q - zero) }
    },
    Reference.numeric("quantize") { call in
      let range = try call.outputType().scalar.integerRange ?? -128...127
      return try affine(call, data: "input") { x, scale, zero in
        // NaN becomes the zero point.
        let step = (x / scale).rounded(.toNearestOrEven)
        return min(max((step.isNaN ? 0 : step) + zero, range.lowerBound), range.upperBound)
      }
    },
    Reference("constexpr_sparse_to_dense") { call in
      [try call.result(scatter(call.doubles("nonzero_data"), mask: call.doubles("mask"), call))]
    },
    Reference("constexpr_lut_to_dense") { call in
      let shape = try call.sizes("indices")
      let palette = try PaletteShape(call.invocation, indices: shape.map { Dimension($0) })
      return [try call.result(lookup(call.doubles("indices"), shape, palette, call))]
    },
    Reference("constexpr_lut_to_sparse") { call in
      let shape = try call.sizes("indices_mask")
      let palette = try PaletteShape(call.invocation, indices: shape.map { Dimension($0) })
      let mask = try call.doubles("indices_mask")
      let dense = try lookup(scatter(call.doubles("indices_nonzero_data"), mask: mask, call), shape, palette, call)
      let wide = try widened(mask, shape, palette)
      return [
        try call.result(wide), try call.result(zip(wide, dense).filter { $0.0 != 0 }.map(\.1), 1),
      ]
    },
    Reference.numeric("constexpr_blockwise_shift_scale") { call in
      let shape = try call.sizes("data")
      return try blockwise(call.doubles("data"), shape, call)
    },
    Reference("constexpr_sparse_blockwise_shift_scale") { call in
      let shape = try call.sizes("data_mask")
      let mask = try call.doubles("data_mask")
      let dense = try blockwise(scatter(call.doubles("nonzero_data"), mask: mask, call), shape, call)
      return [
        try call.result(mask), try call.result(zip(mask, dense).filter { $0.0 != 0 }.map(\.1), 1),
      ]
    },
  ]

  private static func affine(
    _ call: ReferenceCall, data: String, _ function: (Double, Double, Double) -> Double
  ) throws -> [Double] {
    let shape = try call.sizes(data)
    let scale = try call.doubles("scale")
    let zero = try call.has("zero_point") ? call.doubles("zero_point") : [0]
    var inner = 1
    var entries = 1
    if scale.count > 1 || zero.count > 1 {
      let axis = try call.invocation.axis("axis", default: 0, rank: shape.count)
      entries = shape[axis]
      inner = shape[(axis + 1)...].reduce(1, *)
      guard [1, entries].contains(scale.count), [1, entries].contains(zero.count) else {
        throw call.invocation.error(
          .invalidShape, "there are \(scale.count) scales for \(entries) entries of axis \(axis)")
      }
    }
    return try call.doubles(data).enumerated().map { index, value in
      let entry = index / max(inner, 1) % max(entries, 1)
      return function(value, scale[scale.count == 1 ? 0 : entry], zero[zero.count == 1 ? 0 : entry])
    }
  }

  /// Writes the nonzero values to the positions where the mask is set.
  private static func scatter(_ values: [Double], mask: [Double], _ call: ReferenceCall) throws -> [Double] {
    guard mask.reduce(0, { $0 + ($1 != 0 ? 1 : 0) }) == values.count else {
      throw call.invocation.error(
        .invalidShape, "the mask does not have as many set bits as there are values (\(values.count))")
    }
    var next = 0
    return mask.map { bit in
      guard bit != 0 else { return 0 }
      defer { next += 1 }
      return values[next]
    }
  }

  /// The palettes' vectors at `indices`. The elements of a vector are laid out along the vector axis.
  private static func lookup(
    _ indices: [Double], _ shape: [Int], _ palette: PaletteShape, _ call: ReferenceCall
  ) throws -> [Double] {
    let lut = try call.doubles("lut")
    let grid = try call.sizes("lut").dropLast(2).map { $0 }
    let strides = rowMajorStrides(grid)
    let output = palette.output.map { $0.value ?? 0 }
    let source = rowMajorStrides(shape)
    return try Indices(output).map { index in
      var place = 0
      var block = 0
      var element = 0
      for axis in index.indices {
        var position = index[axis]
        if axis == palette.vectorAxis {
          element = position % palette.vectorSize
          position /= palette.vectorSize
        }
        place += position * source[axis]
        block += position / palette.blocks[axis] * strides[axis]
      }
      let entry = Int(indices[place])
      guard entry >= 0, entry < palette.paletteSize else {
        throw call.invocation.error(
          .invalidArgument, "an index is \(entry), the palette has \(palette.paletteSize) entries")
      }
      return lut[(block * palette.paletteSize + entry) * palette.vectorSize + element]
    }
  }

  private static func widened(_ mask: [Double], _ shape: [Int], _ palette: PaletteShape) throws -> [Double] {
    let output = palette.output.map { $0.value ?? 0 }
    let source = rowMajorStrides(shape)
    return try Indices(output).map { index in
      var place = 0
      for axis in index.indices {
        place += (axis == palette.vectorAxis ? index[axis] / palette.vectorSize : index[axis]) * source[axis]
      }
      return mask[place]
    }
  }

  private static func blockwise(_ data: [Double], _ shape: [Int], _ call: ReferenceCall) throws -> [Double] {
    let block = try BlockShape(call.invocation, data: shape.map { Dimension($0) })
    let scale = try call.doubles("scale")
    let offset = try call.has("offset") ? call.doubles("offset") : nil
    let strides = rowMajorStrides(try call.sizes("scale"))
    var point = CancellationPoint()
    return try zip(data, Indices(shape)).map { value, index in
      try point.pass()
      var place = 0
      for axis in index.indices { place += index[axis] / block.blocks[axis] * strides[axis] }
      return scale[place] * (value - (offset?[place] ?? 0))
    }
  }
}
