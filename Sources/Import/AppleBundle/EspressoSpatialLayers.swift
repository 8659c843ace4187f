import CoreMLSpec

/// `upsample`, `crop`, `general_padding`, `space_to_depth`, `split_nd`, `load_constant`.
struct EspressoSpatialLayers {
  let output: EspressoLayerWriter
  let weights: EspressoWeights
  let shapes: EspressoShapes

  func upsample(_ fields: inout EspressoFields) throws {
    let mode = try fields.size("mode", in: 0...1)
    let whole = try [fields.size("scaling_factor_y", default: 1), fields.size("scaling_factor_x", default: 1)]
    let fractions = try [
      fields.float("fractional_scaling_factor_y", default: 1), fields.float("fractional_scaling_factor_x", default: 1),
    ]
    let usesFractions = try fields.flag("use_fractional_scale_factors")
    // The first tools had only one sampling grid, and their files do not name it.
    let isLegacy = try !fields.has("is_legacy_mode") || fields.flag("is_legacy_mode")
    let aligns = try fields.flag("align_corners")
    guard !(isLegacy && aligns) else { throw fields.error("'align_corners' is set, in the mode that has no corners") }
    output.emit(210, fields) { writer in
      if usesFractions {
        writer.append(7, packed: fractions)
      } else {
        writer.append(1, packed: whole.map(Int64.init))
      }
      writer.append(5, uint: UInt64(mode))
      writer.append(6, uint: isLegacy ? 0 : aligns ? 1 : 2)
    }
  }

  func crop(_ fields: inout EspressoFields) throws {
    guard fields.layer.inputs.count == 1 else { throw fields.error("crops to the size of another blob") }
    let amounts = try ["t", "b", "l", "r"].map { try fields.size($0, default: 0, in: 0...(1 << 24)) }
    output.emit(190, fields) { writer in writer.append(1) { EspressoBorders.write(amounts, to: &$0) } }
  }

  func padding(_ fields: inout EspressoFields) throws {
    let mode = try fields.size("pad_pad_mode", default: 0, in: 0...2)
    let value = try fields.float("pad_value", default: 0)
    try fields.require("pad_fill_mode", 0)
    let amounts = try ["pad_t", "pad_b", "pad_l", "pad_r"].map { try fields.size($0, default: 0, in: 0...(1 << 24)) }
    output.emit(200, fields) { writer in
      writer.append(mode + 1) { if mode == 0 { $0.append(1, float: value) } }
      writer.append(10) { EspressoBorders.write(amounts, to: &$0) }
    }
  }

  func reorganize(_ fields: inout EspressoFields) throws {
    let block = try fields.size("block_size", in: 1...(1 << 16))
    let isReverse = try fields.flag("reverse")
    let shuffles = try fields.flag("pixel_shuffle")
    guard isReverse || !shuffles else { throw fields.error("'pixel_shuffle' is set and 'reverse' is not") }
    output.emit(345, fields) { writer in
      writer.append(1, uint: shuffles ? 2 : isReverse ? 1 : 0)
      writer.append(2, uint: UInt64(block))
    }
  }

  /// Splits the channels among the outputs, in order. The shape file gives the number of channels of each output.
  func split(_ fields: inout EspressoFields) throws {
    try fields.require("nd_axis", -3)
    for index in fields.layer.outputs.indices { try fields.require("begin_\(index)", 0) }
    let sizes = try fields.layer.outputs.map { output in
      guard let shape = shapes.shapes[output], shape.k > 0 else {
        throw fields.error(.invalidModel, "the shape file has no shape of '\(output)'")
      }
      return shape.k
    }
    output.emit(975, fields) { writer in
      writer.append(1, int: -3)
      writer.append(2, uint: UInt64(sizes.count))
      writer.append(3, packed: sizes.map(Int64.init))
    }
  }

  func constant(_ fields: inout EspressoFields) throws {
    try fields.require("n", 1)
    try fields.require("nd_rank", 4)
    let shape = try ["k", "h", "w"].map { try fields.size($0, default: 1, in: 1...(1 << 31)) }
    let data = try self.weights.layer("constant_blob", shape, &fields)
    output.emit(290, fields) { writer in
      writer.append(1, packed: shape.map(Int64.init))
      data.write(2, to: &writer)
    }
  }
}
