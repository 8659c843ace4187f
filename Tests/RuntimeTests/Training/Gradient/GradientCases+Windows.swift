import MIL

@testable import CoreMLRuntime

extension GradientCases {
  static let convolutions: [GradientCase] = [
    GradientCase("conv", ["x": .made([2, 2, 5, 4]), "weight": .made([3, 2, 3, 2]), "bias": .made([3])]),
    GradientCase(
      "conv", "strided", ["x": .made([1, 2, 6, 5]), "weight": .made([2, 2, 3, 2])],
      ["strides": .ints([2, 3]), "pad_type": .string("same")]),
    GradientCase(
      "conv", "grouped", ["x": .made([1, 4, 4, 4]), "weight": .made([4, 2, 2, 2]), "bias": .made([4])],
      ["groups": .int(2), "pad_type": .string("custom"), "pad": .ints([1, 0, 2, 1])]),
    GradientCase(
      "conv", "depthwise", ["x": .made([1, 3, 4, 4]), "weight": .made([3, 1, 3, 3])],
      ["groups": .int(3), "pad_type": .string("same_lower"), "strides": .ints([2, 2])]),
    GradientCase(
      "conv", "dilated", ["x": .made([1, 1, 7, 6]), "weight": .made([2, 1, 3, 2])], ["dilations": .ints([2, 3])]),
    GradientCase("conv", "line", ["x": .made([2, 2, 7]), "weight": .made([3, 2, 3])], ["strides": .ints([2])]),
    GradientCase(
      "conv", "volume", ["x": .made([1, 1, 3, 4, 3]), "weight": .made([2, 1, 2, 2, 2])],
      ["pad_type": .string("same")]),
    GradientCase("conv_transpose", ["x": .made([2, 2, 3, 2]), "weight": .made([2, 3, 3, 2]), "bias": .made([3])]),
    GradientCase(
      "conv_transpose", "strided", ["x": .made([1, 2, 3, 3]), "weight": .made([2, 2, 3, 3])],
      ["strides": .ints([2, 2]), "pad_type": .string("same")]),
    GradientCase(
      "conv_transpose", "custom", ["x": .made([1, 4, 3, 3]), "weight": .made([4, 1, 3, 3])],
      ["strides": .ints([2, 1]), "pad_type": .string("custom"), "pad": .ints([1, 1, 0, 1]), "groups": .int(2)]),
    GradientCase(
      "conv_transpose", "larger than written", ["x": .made([1, 1, 3, 3]), "weight": .made([1, 2, 2, 2])],
      ["strides": .ints([3, 2]), "output_shape": .ints([1, 2, 9, 6])]),
    GradientCase(
      "conv_transpose", "dilated", ["x": .made([1, 2, 4]), "weight": .made([2, 2, 3])], ["dilations": .ints([2])]),
  ]

  static let pools: [GradientCase] =
    ["max_pool", "avg_pool", "l2_pool"].flatMap { name in
      [
        GradientCase(name, ["x": .made([2, 2, 4, 4])], ["kernel_sizes": .ints([2, 2]), "strides": .ints([2, 2])]),
        GradientCase(
          name, "overlapping", ["x": .made([1, 2, 5, 5])],
          ["kernel_sizes": .ints([3, 2]), "strides": .ints([2, 1]), "pad_type": .string("same")]),
        GradientCase(
          name, "ceiling", ["x": .made([1, 1, 6, 5])],
          [
            "kernel_sizes": .ints([3, 3]), "strides": .ints([2, 2]), "pad_type": .string("custom"),
            "pad": .ints([1, 0, 1, 0]), "ceil_mode": .bool(true),
          ]),
        GradientCase(name, "line", ["x": .made([1, 2, 6])], ["kernel_sizes": .ints([3])]),
      ]
    } + [
      GradientCase(
        "avg_pool", "without padding", ["x": .made([1, 1, 5, 5])],
        [
          "kernel_sizes": .ints([3, 3]), "strides": .ints([2, 2]), "pad_type": .string("same"),
          "exclude_padding_from_average": .bool(true),
        ])
    ]

  static let normalizations: [GradientCase] = [
    GradientCase(
      "batch_norm",
      [
        "x": .made([2, 3, 2]), "mean": .made([3]), "variance": .made([3], from: 0.5, to: 2), "gamma": .made([3]),
        "beta": .made([3]),
      ]),
    GradientCase(
      "batch_norm", "plain", ["x": .made([2, 3, 2, 2]), "mean": .made([3]), "variance": .made([3], from: 1, to: 2)]),
    GradientCase("instance_norm", ["x": .made([2, 2, 3, 2]), "gamma": .made([2]), "beta": .made([2])]),
    GradientCase("instance_norm", "plain", ["x": .made([2, 2, 5])], ["epsilon": float(0.1)]),
    GradientCase(
      "layer_norm", ["x": .made([2, 3, 4]), "gamma": .made([4]), "beta": .made([4])], ["axes": .ints([-1])]),
    GradientCase(
      "layer_norm", "two axes", ["x": .made([2, 3, 2]), "gamma": .made([3, 2])], ["axes": .ints([1, 2])]),
    GradientCase("l2_norm", ["x": .made([2, 2, 2, 2])]),
    GradientCase(
      "local_response_norm", ["x": .made([1, 5, 2, 2])],
      ["size": .int(3), "alpha": float(0.5), "beta": float(0.75), "k": float(1.5)]),
  ]
}
