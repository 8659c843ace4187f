import CKernels
import MIL

/// Constant weights in the packed layouts of the matrix products, made once for each model and shared by its plans.
/// Packing decodes a weight part by part, so the whole weight is never in memory as fp32, unless it is stored so.
struct PackedWeights: Sendable {
  private let memory: PackedMemory
  /// Weights that are packed as fp32.
  var pointer: UnsafePointer<Float> { memory.pointer.assumingMemoryBound(to: Float.self) }
  /// Weights that are packed as int8.
  var bytes: UnsafePointer<Int8> { memory.pointer.assumingMemoryBound(to: Int8.self) }
  /// Weights that are packed as fp16.
  var f16: UnsafePointer<UInt16> { memory.pointer.assumingMemoryBound(to: UInt16.self) }

  /// fp32 elements that are decoded at a time, unless a tile or a panel has more.
  private static let pieceFloats = 1 << 16

  /// `groups` left operands [rows, depth] in sequence, row-major.
  static func left(
    _ weight: StoredWeight, groups: Int, rows: Int, depth: Int, _ preparation: Preparation
  ) throws -> PackedWeights {
    let size = ck_gemm_packed_a_size(rows, depth)
    return try PackedWeights(
      weight, "gemm.left", [groups, rows, depth], floats: size, times: groups, needs: (groups * rows, depth),
      preparation
    ) { target in
      let tall = ck_gemm_tile_rows()
      let pieces = Chunks((rows + tall - 1) / tall, of: max(pieceFloats / max(depth * tall, 1), 1))
      let window = try WeightWindow(weight, width: depth, capacity: pieces.size * tall * depth)
      for item in 0..<groups * pieces.count {
        let (group, tiles) = (item / pieces.count, pieces[item % pieces.count])
        let lines = group * rows + tiles.lowerBound * tall..<group * rows + min(tiles.upperBound * tall, rows)
        window.read(lines, 0..<depth) { floats, stride in
          ck_gemm_pack_a_part_f32(
            rows, depth, floats, stride, 1, tiles.lowerBound, tiles.upperBound, target + group * size)
        }
      }
    }
  }

  /// Weights [depth, columns] of a linear product, stored as [columns, depth] when `transposed`. fp16 only if fp16
  /// holds them exactly.
  static func columns(
    _ weight: StoredWeight, depth: Int, columns: Int, transposed: Bool, as numbers: PackedType = .floats,
    _ preparation: Preparation
  ) throws -> PackedWeights {
    let wide = 2 * Blocks.size
    let high = transposed ? depth : min(depth, 256)
    return try PackedWeights(
      weight, "rows.weights" + numbers.suffix, [depth, columns, transposed ? 1 : 0],
      numbers: ck_gemm_prepacked_packed_weights_size(numbers.count(depth), columns), width: numbers.width, times: 1,
      needs: (columns, depth), preparation
    ) { bytes in
      let units = Chunks(ck_gemm_prepacked_units(columns), of: max(pieceFloats / max(high * wide, 1), 1))
      let window = try WeightWindow(
        weight, width: transposed ? depth : columns, capacity: units.size * wide * high)
      for item in 0..<units.count {
        let range = units[item]
        let lines = range.lowerBound * wide..<min(range.upperBound * wide, columns)
        for first in stride(from: 0, to: depth, by: max(high, 1)) {
          let last = min(first + high, depth)
          window.read(transposed ? lines : first..<last, transposed ? first..<last : lines) { floats, stride in
            let (row, column) = transposed ? (1, stride) : (stride, 1)
            switch numbers {
            case .floats:
              ck_gemm_prepacked_pack_weights_f32(
                depth, columns, floats, row, column, first, last, range.lowerBound, range.upperBound,
                bytes.assumingMemoryBound(to: Float.self))
            case .f16:
              ck_gemm_prepacked_pack_weights_f16(
                depth, columns, floats, row, column, first, last, range.lowerBound, range.upperBound,
                bytes.assumingMemoryBound(to: UInt16.self))
            case .bf16:
              ck_gemm_prepacked_pack_weights_bf16(
                depth, columns, floats, row, column, first, last, range.lowerBound, range.upperBound,
                bytes.assumingMemoryBound(to: Float.self))
            case .int8:
              ck_gemm_prepacked_pack_weights_i8(
                depth, columns, floats, row, column, first, last, range.lowerBound, range.upperBound,
                bytes.assumingMemoryBound(to: Float.self))
            }
          }
        }
      }
    }
  }

  /// The weights of an NCHWc convolution, one unit of output channels after the other. fp16 only if fp16 holds them
  /// exactly.
  static func blocked(
    _ weight: StoredWeight, _ shape: ck_window, isDense: Bool, as numbers: PackedType = .floats,
    _ preparation: Preparation
  ) throws -> PackedWeights {
    var shape = shape
    let parameters = [
      shape.in_channels, shape.out_channels, shape.groups, shape.kernel_h, shape.kernel_w, isDense ? 1 : 0,
    ]
    let filter = shape.in_channels / shape.groups * shape.kernel_h * shape.kernel_w
    let count =
      switch numbers {
      case .floats, .f16: ck_block_conv_packed_size(&shape)
      case .bf16: ck_block_conv_bf16_packed_size(&shape)
      case .int8: ck_block_conv_i8_packed_size(&shape)
      }
    let name = shape.groups > 1 ? "block.conv.groups" : "block.conv"
    return try units(
      weight, shape, name + numbers.suffix, parameters, numbers: count, width: numbers.width, filter,
      preparation
    ) {
      switch numbers {
      case .floats:
        ck_block_conv_pack_f32(&shape, isDense, $0, $1, $2, $2 + 1, $3.assumingMemoryBound(to: Float.self))
      case .f16: ck_block_conv_pack_f16(&shape, $0, $1, $2, $2 + 1, $3.assumingMemoryBound(to: UInt16.self))
      case .bf16: ck_block_conv_pack_bf16(&shape, $0, $1, $2, $2 + 1, $3.assumingMemoryBound(to: Float.self))
      case .int8: ck_block_conv_pack_i8(&shape, isDense, $0, $1, $2, $2 + 1, $3.assumingMemoryBound(to: Float.self))
      }
    }
  }

  /// The transformed weights of a Winograd convolution.
  static func winograd(
    _ weight: StoredWeight, _ shape: ck_window, tile: Int, _ preparation: Preparation
  ) throws -> PackedWeights {
    var shape = shape
    let parameters = [shape.in_channels, shape.out_channels, tile]
    return try units(
      weight, shape, "winograd", parameters, numbers: ck_winograd_packed_size(&shape, tile), width: 4,
      shape.in_channels * 9, preparation
    ) {
      ck_winograd_pack_f32(&shape, tile, $0, $1, $2, $2 + 1, $3.assumingMemoryBound(to: Float.self))
    }
  }

  /// Packs unit by unit. `pack` gets the unit's first filter, the fp32 elements between filters, the unit and the
  /// target.
  private static func units(
    _ weight: StoredWeight, _ shape: ck_window, _ layout: String, _ parameters: [Int], numbers: Int, width: Int,
    _ filter: Int, _ preparation: Preparation, _ pack: (UnsafePointer<Float>, Int, Int, UnsafeMutableRawPointer) -> Void
  ) throws -> PackedWeights {
    try PackedWeights(
      weight, layout, parameters, numbers: numbers, width: width, times: 1, needs: (shape.out_channels, filter),
      preparation
    ) { target in
      var shape = shape
      let window = try WeightWindow(weight, width: filter, capacity: 2 * Blocks.size * filter)
      for unit in 0..<ck_block_conv_units(&shape) {
        let rows = ck_block_conv_unit_channel(&shape, unit)..<ck_block_conv_unit_channel(&shape, unit + 1)
        window.read(rows, 0..<filter) { floats, stride in pack(floats, stride, unit, target) }
      }
    }
  }

  /// The weights of a depthwise NCHWc convolution.
  static func depthwise(
    _ weight: StoredWeight, _ shape: ck_window, _ preparation: Preparation
  ) throws -> PackedWeights {
    let (channels, taps) = (shape.out_channels, shape.kernel_h * shape.kernel_w)
    return try PackedWeights(
      weight, "block.depthwise", [channels, shape.kernel_h, shape.kernel_w], floats: Blocks.padded(channels) * taps,
      times: 1, needs: (channels, taps), preparation
    ) { target in
      var shape = shape
      let window = try WeightWindow(weight, width: taps, capacity: channels * taps)
      window.read(0..<channels, 0..<taps) { floats, stride in
        ck_block_depthwise_pack_f32(&shape, floats, stride, 0, Blocks.count(channels), target)
      }
    }
  }

  /// The weights of an int8 depthwise NCHWc convolution.
  static func byteDepthwise(
    _ weight: StoredWeight, _ shape: ck_window, _ preparation: Preparation
  ) throws -> PackedWeights {
    var shape = shape
    let (channels, taps) = (shape.out_channels, shape.kernel_h * shape.kernel_w)
    return try PackedWeights(
      weight, "byte.depthwise", [channels, shape.kernel_h, shape.kernel_w],
      numbers: ck_int8_depthwise_packed_size(&shape), width: 1, times: 1, needs: (channels, taps), preparation
    ) { target in
      var shape = shape
      let window = try WeightWindow(weight, width: taps, capacity: channels * taps)
      window.read(0..<channels, 0..<taps) { floats, stride in
        ck_int8_depthwise_pack(&shape, floats, stride, target.assumingMemoryBound(to: Int8.self))
      }
    }
  }

  /// The weights of an NCHWc convolution to few outputs, one output after the other.
  static func few(_ weight: StoredWeight, _ shape: ck_window, _ preparation: Preparation) throws -> PackedWeights {
    let filter = shape.in_channels * shape.kernel_h * shape.kernel_w
    return try PackedWeights(
      weight, "block.small_output", [shape.in_channels, shape.out_channels, shape.kernel_h, shape.kernel_w],
      floats: Blocks.padded(shape.in_channels) * shape.kernel_h * shape.kernel_w, times: shape.out_channels,
      needs: (shape.out_channels, filter), preparation
    ) { target in
      var shape = shape
      let window = try WeightWindow(weight, width: filter, capacity: filter)
      for channel in 0..<shape.out_channels {
        window.read(channel..<channel + 1, 0..<filter) { floats, _ in
          ck_block_small_output_pack_f32(&shape, floats, channel, target)
        }
      }
    }
  }

  init(
    _ weight: StoredWeight, _ layout: String, _ parameters: [Int], floats: Int, times: Int, needs: (Int, Int),
    _ preparation: Preparation, _ pack: (UnsafeMutablePointer<Float>) throws -> Void
  ) throws {
    try self.init(weight, layout, parameters, numbers: floats, width: 4, times: times, needs: needs, preparation) {
      try pack($0.assumingMemoryBound(to: Float.self))
    }
  }

  /// - Parameter width: bytes of a packed lane.
  private init(
    _ weight: StoredWeight, _ layout: String, _ parameters: [Int], numbers: Int, width: Int, times: Int,
    needs: (Int, Int), _ preparation: Preparation, _ pack: (UnsafeMutableRawPointer) throws -> Void
  ) throws {
    let (count, overflow) = numbers.multipliedReportingOverflow(by: times)
    let (least, isTooMany) = needs.0.multipliedReportingOverflow(by: needs.1)
    guard !overflow, count <= TensorType.maximumByteCount / 4, weight.type.scalar == .float32, !isTooMany,
      weight.count >= least
    else { throw KernelError(.outOfMemory, "the weights \(weight.type) cannot be packed") }
    let recipe = PackingRecipe(layout, parameters, byteCount: count * width)
    memory = try preparation.packed(weight, recipe) { bytes in
      guard let target = bytes.baseAddress, least > 0 else { return }
      try pack(target)
    }
  }
}
