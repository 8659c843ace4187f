import MIL

@testable import CoreMLRuntime

extension GradientCases {
  static let shapes: [GradientCase] = [
    GradientCase("reshape", ["x": .made([2, 6])], ["shape": .ints([3, -1])]),
    GradientCase(
      "reshape_like", all: ["x": [.made([2, 3])]],
      [
        "ref_tensors": .tensor(Tensor(float64: [0, 0, 0, 0, 0, 0], shape: [3, 2])), "begins": .ints([0]),
        "ends": .ints([2]), "end_masks": .literal(.tensor(Tensor(bools: [false], shape: [1]))),
      ]),
    GradientCase("expand_dims", ["x": .made([2, 3])], ["axes": .ints([1])]),
    GradientCase("squeeze", ["x": .made([2, 1, 3])], ["axes": .ints([1])]),
    GradientCase("flatten2d", ["x": .made([2, 2, 3])]),
    GradientCase("transpose", ["x": .made([2, 3, 4])], ["perm": .ints([2, 0, 1])]),
    GradientCase("reverse", ["x": .made([2, 3])], ["axes": .ints([1])]),
    GradientCase("slice_by_size", ["x": .made([4, 5])], ["begin": .ints([1, -3]), "size": .ints([2, 2])]),
    GradientCase("slice_by_index", ["x": .made([4, 5])], ["begin": .ints([1, 0]), "end": .ints([3, 5])]),
    GradientCase(
      "slice_by_index", "strided", ["x": .made([4, 5])],
      ["begin": .ints([3, 0]), "end": .ints([0, 5]), "stride": .ints([-1, 2])]),
    GradientCase(
      "slice_by_index", "squeezed", ["x": .made([4, 5])],
      [
        "begin": .ints([2, 1]), "end": .ints([0, 4]),
        "squeeze_mask": .literal(.tensor(Tensor(bools: [true, false], shape: [2]))),
      ]),
    GradientCase(
      "slice_update", ["x": .made([4, 3]), "update": .made([2, 3])], ["begin": .ints([1, 0]), "end": .ints([3, 3])]),
    GradientCase(
      "concat", all: ["values": [.made([2, 3]), .made([2, 2])]], ["axis": .int(1), "interleave": .bool(false)]),
    GradientCase(
      "concat", "interleaved", all: ["values": [.made([2, 3]), .made([2, 3])]],
      ["axis": .int(1), "interleave": .bool(true)]),
    GradientCase("stack", all: ["values": [.made([2, 3]), .made([2, 3])]], ["axis": .int(1)]),
    GradientCase("split", ["x": .made([2, 5])], ["axis": .int(1), "split_sizes": .ints([2, 3])]),
    GradientCase("tile", ["x": .made([2, 3])], ["reps": .ints([2, 3])]),
    GradientCase(
      "pad", ["x": .made([2, 3])],
      ["pad": .ints([1, 0, 2, 1]), "mode": .string("constant"), "constant_val": float(2)]),
    GradientCase(
      "pad", "reflected to and fro", ["x": .made([3, 4])], ["pad": .ints([5, 9]), "mode": .string("reflect")]),
    GradientCase("pad", "reflect", ["x": .made([3, 4])], ["pad": .ints([1, 2]), "mode": .string("reflect")]),
    GradientCase(
      "pad", "replicate", ["x": .made([3, 4])], ["pad": .ints([1, 1, 0, 2]), "mode": .string("replicate")]),
  ]

  static let gathers: [GradientCase] =
    [
      GradientCase("gather", ["x": .made([4, 3])], ["indices": indices([3, 0, 3, -1], [2, 2]), "axis": .int(0)]),
      GradientCase("gather", "last", ["x": .made([2, 4])], ["indices": indices([1, 1, 2], [3]), "axis": .int(1)]),
      GradientCase(
        "gather", "batch", ["x": .made([2, 4, 2])],
        ["indices": indices([1, 1, 2, 0, -1, 3], [2, 3]), "axis": .int(1), "batch_dims": .int(1)]),
      GradientCase(
        "gather_along_axis", ["x": .made([3, 2])], ["indices": indices([2, 0, 0, 1], [2, 2]), "axis": .int(0)]),
      GradientCase("gather_nd", ["x": .made([3, 2, 2])], ["indices": indices([2, 0, 2, 0, 1, 1], [3, 2])]),
    ]
    + ["add", "sub", "update"].flatMap { mode in
      [
        GradientCase(
          "scatter", mode, ["data": .made([4, 2]), "updates": .made([2, 2])],
          ["indices": indices([3, 1], [2]), "axis": .int(0), "mode": .string(mode)]),
        GradientCase(
          "scatter_along_axis", mode, ["data": .made([4, 2]), "updates": .made([2, 2])],
          ["indices": indices([3, 1, 0, 2], [2, 2]), "axis": .int(0), "mode": .string(mode)]),
        GradientCase(
          "scatter_nd", mode, ["data": .made([4, 2]), "updates": .made([2])],
          ["indices": indices([3, 1, 0, 0], [2, 2]), "mode": .string(mode)]),
      ]
    }

  static let moves: [GradientCase] = [
    GradientCase(
      "reverse_sequence", ["x": .made([3, 2])],
      ["lengths": indices([2, 3], [2]), "seq_axis": .int(0), "batch_axis": .int(1)]),
    GradientCase("depth_to_space", ["x": .made([1, 4, 2, 1])], ["block_size": .int(2)]),
    GradientCase("pixel_shuffle", ["x": .made([1, 4, 2, 1])], ["upscale_factor": .int(2)]),
    GradientCase("space_to_depth", ["x": .made([1, 1, 4, 2])], ["block_size": .int(2)]),
    GradientCase("pixel_unshuffle", ["x": .made([1, 1, 4, 2])], ["downscale_factor": .int(2)]),
    GradientCase(
      "space_to_batch", ["x": .made([1, 1, 3, 2])],
      ["block_shape": .ints([2, 1]), "paddings": indices([0, 1, 1, 0], [2, 2])]),
    GradientCase(
      "batch_to_space", ["x": .made([2, 1, 2, 2])],
      ["block_shape": .ints([2, 1]), "crops": indices([0, 1, 0, 0], [2, 2])]),
    GradientCase("band_part", ["x": .made([3, 4])], ["lower": .int(1), "upper": .int(0)]),
    GradientCase("sliding_windows", ["x": .made([5, 2])], ["axis": .int(0), "size": .int(3), "stride": .int(1)]),
    GradientCase("crop", ["x": .made([1, 4, 5])], ["crop_height": .ints([1, 0]), "crop_width": .ints([0, 2])]),
    GradientCase(
      "upsample_nearest_neighbor", ["x": .made([1, 2, 2, 3])],
      ["scale_factor_height": float(2), "scale_factor_width": float(3)]),
    GradientCase(
      "resize_nearest_neighbor", ["x": .made([1, 1, 3, 4])],
      ["target_size_height": .int(5), "target_size_width": .int(2)]),
    GradientCase(
      "upsample_bilinear", ["x": .made([1, 2, 2, 3])],
      ["scale_factor_height": float(2), "scale_factor_width": float(3), "align_corners": .bool(false)]),
    GradientCase(
      "upsample_bilinear", "corners", ["x": .made([1, 1, 3, 2])],
      ["scale_factor_height": float(2), "scale_factor_width": float(2), "align_corners": .bool(true)]),
    GradientCase(
      "resize_bilinear", ["x": .made([2, 1, 3, 4])], ["target_size_height": .int(5), "target_size_width": .int(2)]),
    GradientCase(
      "resize", ["x": .made([1, 2, 3, 2])],
      ["shape": .ints([4, 5]), "resized_dims": .int(2), "interpolation_mode": .string("LINEAR")]),
  ]

  static let samplings: [GradientCase] =
    ["constant", "border", "reflection", "symmetric"].map { padding in
      GradientCase(
        "affine", padding, ["x": .made([2, 3, 4, 5])],
        [
          "transform_matrix": numbers([0.8, 0.3, 0.2, -0.4, 1.1, 0.1, 1.2, 0, -0.5, 0.2, 0.7, 0.4], [2, 6]),
          "output_height": .int(3), "output_width": .int(4), "padding_mode": .string(padding),
          "padding_value": float(0.5),
        ])
    } + [
      GradientCase(
        "affine", "nearest, one matrix", ["x": .made([2, 1, 3, 3])],
        [
          "transform_matrix": numbers([0.7, 0.2, 0.1, 0.3, 0.9, 0], [1, 6]), "output_height": .int(4),
          "output_width": .int(2), "sampling_mode": .string("nearest"),
        ]),
      GradientCase(
        "resample", ["x": .made([2, 2, 3, 4])],
        [
          "coordinates": numbers(
            [0.2, 0.3, 2.6, 1.9, -0.4, 1.1, 3.4, 2.2, 1.5, 0.5, 9, 9, 2.25, -0.75, 0.2, 0.3], [2, 2, 2, 2]),
          "coordinates_mode": .string("unnormalized"), "padding_mode": .string("constant"),
        ]),
      GradientCase(
        "crop_resize", ["x": .made([2, 2, 4, 5])],
        [
          "boxes": numbers([0, 0.5, 2.5, 3.5, 1, 1, 3, 4, -1, 0, 2, 6], [3, 4]),
          "box_indices": indices([1, 0, 1], [3]), "target_height": .int(3), "target_width": .int(2),
          "pad_value": float(0.3),
        ]),
      GradientCase(
        "crop_resize", "regions of every image", ["x": .made([2, 1, 4, 4])],
        [
          "roi": numbers([0, 0, 0.7, 0.8, 0.2, 0.1, 1, 0.9], [2, 1, 4, 1, 1]), "target_height": .int(2),
          "target_width": .int(3), "normalized_coordinates": .bool(true),
          "box_coordinate_mode": .string("CORNERS_WIDTH_FIRST"),
        ]),
    ]

  private static func numbers(_ values: [Double], _ shape: [Int]) -> Binding {
    .tensor(Tensor(float64: values, shape: shape))
  }

  static let recurrent: [GradientCase] = [
    lstm("lstm", [:]),
    lstm("lstm", ["direction": .string("reverse"), "output_sequence": .bool(true), "clip": float(0.4)]),
    GradientCase(
      "lstm", "both ways",
      [
        "x": .made([3, 2, 2]), "initial_h": .made([2, 4]), "initial_c": .made([2, 4]), "weight_ih": .made([8, 2]),
        "weight_hh": .made([8, 2]), "bias": .made([8]), "peephole": .made([6]), "weight_ih_back": .made([8, 2]),
        "weight_hh_back": .made([8, 2]), "bias_back": .made([8]), "peephole_back": .made([6]),
      ], ["direction": .string("bidirectional"), "output_sequence": .bool(true)]),
    lstm("nn.lstm", layer(["recurrent_activation", "cell_activation", "activation"])),
    lstm(
      "nn.lstm",
      layer(["recurrent_activation", "cell_activation", "activation"]).merging(
        ["coupled_gates": .bool(true), "output_sequence": .bool(true)]) { first, _ in first }),
    cell("gru", gates: 3, ["output_sequence": .bool(true)]),
    cell(
      "gru", gates: 3, ["reset_after": .bool(true), "direction": .string("reverse")], more: ["input_bias": .made([6])]),
    cell("nn.gru", gates: 3, layer(["recurrent_activation", "activation"])),
    cell("rnn", gates: 1, ["output_sequence": .bool(true)]),
    cell("nn.rnn", gates: 1, layer(["activation"]).merging(["direction": .string("reverse")]) { first, _ in first }),
  ]

  private static func layer(_ names: [String]) -> [String: Binding] {
    Dictionary(
      uniqueKeysWithValues: names.map { ($0, .string($0 == "recurrent_activation" ? "sigmoid" : "tanh")) })
  }

  private static func lstm(_ name: String, _ constants: [String: Binding]) -> GradientCase {
    GradientCase(
      name, constants.keys.sorted().joined(separator: " "),
      [
        "x": .made([3, 2, 3]), "initial_h": .made([2, 2]), "initial_c": .made([2, 2]), "weight_ih": .made([8, 3]),
        "weight_hh": .made([8, 2]), "bias": .made([8]), "peephole": .made([6]),
      ], constants)
  }

  private static func cell(
    _ name: String, gates: Int, _ constants: [String: Binding], more: [String: GradientCase.Made] = [:]
  ) -> GradientCase {
    GradientCase(
      name, constants.keys.sorted().joined(separator: " "),
      [
        "x": .made([3, 2, 3]), "initial_h": .made([2, 2]), "weight_ih": .made([2 * gates, 3]),
        "weight_hh": .made([2 * gates, 2]), "bias": .made([2 * gates]),
      ].merging(more) { first, _ in first }, constants)
  }
}
