import CoreMLSpec

/// `transpose`, `reshape`, `reduce`, `slice`.
///
/// Compiled layers number axes from the last one: width 0, height 1, channels 2, batch 3, sequence 4.
struct EspressoAxisLayers {
  let output: EspressoLayerWriter
  let shapes: EspressoShapes

  /// Rejects a layer of a network whose values keep the rank of their features: the layer's meaning is known only for
  /// five axes.
  func requireFiveAxes(_ fields: EspressoFields) throws {
    for name in fields.layer.inputs {
      if let rank = shapes.shapes[name]?.rank, rank != 5 {
        throw fields.error("'\(name)' has rank \(rank), expected 5")
      }
    }
  }

  /// `axis_X` is the input axis that becomes axis X of the output.
  func transpose(_ fields: inout EspressoFields) throws {
    try fields.expect("axis_n", 3)
    let sequence = try fields.size("axis_seq", in: 0...4)
    let axes = try ["axis_k", "axis_h", "axis_w"].map { try fields.size($0, in: 0...4) }
    guard Set([sequence] + axes) == [0, 1, 2, 4] else {
      throw fields.error(
        .invalidModel,
        "'axis_seq', 'axis_k', 'axis_h' and 'axis_w' are \([sequence] + axes), expected each of 4, 2, 1 and 0 once")
    }
    let rank = fields.layer.inputs.first.flatMap { shapes.shapes[$0]?.rank } ?? 5
    guard rank == 5 || rank == 4 && sequence == 4 else {
      throw fields.error("the input has rank \(rank), expected 4 or 5")
    }
    // `permute` of five axes omits the batch; `transpose` of four axes starts with it.
    output.emit(rank == 4 ? 985 : 310, fields) { writer in
      writer.append(1, packed: ([sequence] + axes).map { $0 == 4 ? 0 : Int64(3 - $0) })
    }
  }

  /// `squeeze` and `expand_dims`. `axes_I` counts from the last axis, as in the source.
  func axes(_ kind: Int, _ fields: inout EspressoFields) throws {
    let count = try fields.size("size_of_axes", in: 1...5)
    let axes = try (0..<count).map { index in
      let axis = try fields.number("axes_\(index)")
      guard (-5 ... -1).contains(axis), let axis = Int64(exactly: axis) else {
        throw fields.error("'axes_\(index)' is \(axis), expected -5 to -1")
      }
      return axis
    }
    output.emit(kind, fields) { $0.append(1, packed: axes) }
  }

  /// With `dst_nd_rank`, the last sizes of (n, k, h, w) are the whole shape. Otherwise the shape is (sequence, k, h,
  /// w).
  func reshape(_ fields: inout EspressoFields) throws {
    try fields.require("version", 0, 1)
    try fields.require("dynamic_shape", 0)
    let rank = try fields.size("dst_nd_rank", default: 0, in: 0...5)
    guard rank > 0 else {
      try reshapeFiveAxes(&fields)
      return
    }
    guard (2...3).contains(rank) else { throw fields.error("'dst_nd_rank' is \(rank), expected 2 or 3") }
    try fields.expect("mode", 0)
    for name in ["dst_seq", "dst_n", "dst_k"].prefix(5 - rank) { try fields.expect(name, 1) }
    let sizes = try ["dst_k", "dst_h", "dst_w"].suffix(rank).map { try Self.target($0, &fields) }
    output.emit(1140, fields) { $0.append(1, packed: sizes) }
  }

  private func reshapeFiveAxes(_ fields: inout EspressoFields) throws {
    try requireFiveAxes(fields)
    try fields.expect("dst_n", 0)
    let mode = try fields.size("mode", in: 0...1)
    let sizes = try ["dst_seq", "dst_k", "dst_h", "dst_w"].map { try Self.target($0, &fields) }
    if mode == 1 {
      // Elements are counted in channel-last order. This equals mode 0 if height and width are 1 before and after.
      let input = fields.layer.inputs.first.flatMap { shapes.shapes[$0] }
      guard input?.h == 1, input?.w == 1, sizes[2] == 1, sizes[3] == 1 else {
        throw fields.error("'mode' is 1, and the height or the width is not 1")
      }
    }
    output.emit(300, fields) { $0.append(1, packed: sizes) }
  }

  /// A size of a shape, or -1 for the inferred size.
  private static func target(_ name: String, _ fields: inout EspressoFields) throws -> Int64 {
    let value = try fields.number(name)
    guard let size = Int64(exactly: value), size == -1 || (1...(1 << 31)).contains(size) else {
      throw fields.error("'\(name)' is \(value), expected -1 or at least 1")
    }
    return size
  }

  /// Sums along the channels.
  func reduce(_ fields: inout EspressoFields) throws {
    try requireFiveAxes(fields)
    try fields.expect("use_version", 1)
    try fields.expect("mode", 0)
    try fields.expect("axis_mode", 4)
    output.emit(280, fields) { $0.append(3, uint: 2) }
  }

  /// Slices the channels from `start` up to `end`, or up to the last channel if there are fewer.
  func slice(_ fields: inout EspressoFields) throws {
    try requireFiveAxes(fields)
    try fields.expect("axis", 2)
    let start = try fields.size("start")
    let end = try fields.size("end", in: 1...(1 << 31))
    output.emit(350, fields) { writer in
      writer.append(1, int: Int64(start))
      writer.append(2, int: Int64(end))
      writer.append(3, uint: 1)
    }
  }
}
