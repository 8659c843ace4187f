import MIL

@testable import CoreMLRuntime

/// The cases by family. Values stay away from corners and poles, where finite differences are meaningless.
enum GradientCases {
  static let all: [GradientCase] =
    unary + binary + reductions + products + convolutions + pools + shapes + gathers + moves + samplings
    + normalizations
    + recurrent

  static func float(_ value: Double) -> Binding { .tensor(Tensor(float64: [value], shape: [])) }
  static func indices(_ values: [Int], _ shape: [Int]) -> Binding { .tensor(Tensor(int32: values, shape: shape)) }

  private static let unary: [GradientCase] =
    [
      "atan", "cos", "cosh", "erf", "exp", "exp2", "sin", "sinh", "square", "tanh", "sigmoid", "softplus", "abs",
      "nn.asinh", "ceil", "floor", "round", "sign", "identity", "relu", "relu6", "silu", "softsign", "gelu", "elu",
      "leaky_relu", "sigmoid_hard", "scaled_tanh", "linear_activation", "thresholded_relu",
    ].map { GradientCase($0, ["x": .made([2, 3])]) }
    + ["acos", "asin", "atanh", "tan"].map { GradientCase($0, ["x": .made([5], from: -0.8, to: 0.8)]) }
    + ["sqrt", "log", "rsqrt", "inverse"].map { GradientCase($0, ["x": .made([5], from: 0.3, to: 3)]) }
    + [
      GradientCase("nn.acosh", ["x": .made([5], from: 1.2, to: 3)]),
      GradientCase("log", "epsilon", ["x": .made([3], from: 0.3, to: 3)], ["epsilon": float(0.5)]),
      GradientCase("rsqrt", "epsilon", ["x": .made([3], from: 0.3, to: 3)], ["epsilon": float(0.5)]),
      GradientCase("inverse", "epsilon", ["x": .made([3], from: 0.3, to: 3)], ["epsilon": float(0.5)]),
      GradientCase("relu6", "above", ["x": .made([6], from: 4, to: 8)]),
      GradientCase("clip", ["x": .made([9])], ["alpha": float(-0.5), "beta": float(0.7)]),
      GradientCase("threshold", ["x": .made([9])], ["alpha": float(0.2)]),
      GradientCase("thresholded_relu", "alpha", ["x": .made([9])], ["alpha": float(0.2)]),
      GradientCase("leaky_relu", "alpha", ["x": .made([9])], ["alpha": float(0.3)]),
      GradientCase("elu", "alpha", ["x": .made([9])], ["alpha": float(0.3)]),
      GradientCase("sigmoid_hard", "alpha", ["x": .made([9])], ["alpha": float(0.6), "beta": float(0.4)]),
      GradientCase("scaled_tanh", "alpha", ["x": .made([9])], ["alpha": float(0.6), "beta": float(0.4)]),
      GradientCase("linear_activation", "alpha", ["x": .made([9])], ["alpha": float(0.6), "beta": float(0.4)]),
      GradientCase("clamped_relu", ["x": .made([9])], ["alpha": float(0.3), "beta": float(0.6)]),
      GradientCase("gelu", "tanh", ["x": .made([9])], ["mode": .string("TANH_APPROXIMATION")]),
      GradientCase("gelu", "sigmoid", ["x": .made([9])], ["mode": .string("SIGMOID_APPROXIMATION")]),
      GradientCase("prelu", ["x": .made([2, 3, 2]), "alpha": .made([3])]),
      GradientCase("softplus_parametric", ["x": .made([2, 3, 2]), "alpha": .made([3]), "beta": .made([3])]),
      GradientCase("cast", ["x": .made([4])], ["dtype": .string("fp64")]),
      GradientCase("train.parameter", ["x": .made([4])], ["layer": .string("a"), "role": .string("weights")]),
      GradientCase(
        "train.loss", ["x": .made([4])],
        ["kind": .string("mean_squared_error"), "target": .string("y"), "optimizer": .string("sgd")]),
      GradientCase("softmax", ["x": .made([2, 3, 4])]),
      GradientCase("softmax", "axis", ["x": .made([2, 3, 4])], ["axis": .int(1)]),
    ]

  private static let binary: [GradientCase] =
    ["add", "sub", "mul", "maximum", "minimum"].flatMap { name in
      [
        GradientCase(name, ["x": .made([2, 3]), "y": .made([2, 3])]),
        GradientCase(name, "broadcast", ["x": .made([4, 1, 3]), "y": .made([2, 1])]),
        GradientCase(name, "scalar", ["x": .made([]), "y": .made([2, 2])]),
      ]
    } + [
      GradientCase("mul", "square", ["x": .made([3])], ["y": float(2)]),
      GradientCase("real_div", ["x": .made([2, 1, 3]), "y": .made([4, 1], from: 0.5, to: 2)]),
      GradientCase("mod", ["x": .made([2, 3], from: 2, to: 7), "y": .made([3], from: 1.1, to: 1.6)]),
      GradientCase("floor_div", ["x": .made([2, 3], from: 2, to: 7), "y": .made([3], from: 1.1, to: 1.6)]),
      GradientCase("pow", ["x": .made([2, 3], from: 0.4, to: 2), "y": .made([3])]),
      GradientCase("pow", "cube", ["x": .made([2, 3])], ["y": float(3)]),
      GradientCase(
        "select", ["a": .made([2, 3]), "b": .made([3])],
        ["cond": .literal(.tensor(Tensor(bools: [true, false, true, false, false, true], shape: [2, 3])))]),
    ]

  private static let reductions: [GradientCase] =
    [
      "reduce_sum", "reduce_mean", "reduce_max", "reduce_min", "reduce_prod", "reduce_log_sum_exp", "reduce_l1_norm",
      "reduce_l2_norm", "reduce_sum_square",
    ].flatMap { name in
      [
        GradientCase(name, ["x": .made([2, 3, 4])], ["axes": .ints([1])]),
        GradientCase(name, "kept", ["x": .made([2, 3, 4])], ["axes": .ints([0, -1]), "keep_dims": .bool(true)]),
        GradientCase(name, "all", ["x": .made([2, 3])]),
      ]
    } + [
      GradientCase("reduce_log_sum", ["x": .made([2, 3], from: 0.2, to: 2)], ["axes": .ints([1])]),
      GradientCase("cumsum", ["x": .made([3, 4])], ["axis": .int(1)]),
      GradientCase(
        "cumsum", "exclusive", ["x": .made([3, 4])],
        ["axis": .int(0), "exclusive": .bool(true), "reverse": .bool(true)]),
      GradientCase("topk", ["x": .made([3, 5])], ["k": .int(2), "axis": .int(1)]),
      GradientCase("topk", "least", ["x": .made([5, 3])], ["k": .int(3), "axis": .int(0), "ascending": .bool(true)]),
    ]

  private static let products: [GradientCase] = [
    GradientCase("linear", ["x": .made([2, 2, 3]), "weight": .made([4, 3]), "bias": .made([4])]),
    GradientCase("linear", "vector", ["x": .made([3]), "weight": .made([4, 3])]),
    GradientCase("matmul", ["x": .made([2, 3, 4]), "y": .made([2, 4, 2])]),
    GradientCase("matmul", "broadcast", ["x": .made([2, 1, 3, 4]), "y": .made([3, 4, 2])]),
    GradientCase(
      "matmul", "transposed x", ["x": .made([4, 3]), "y": .made([2, 4, 2])], ["transpose_x": .bool(true)]),
    GradientCase(
      "matmul", "transposed y", ["x": .made([2, 3, 4]), "y": .made([5, 4])], ["transpose_y": .bool(true)]),
    GradientCase(
      "matmul", "transposed both", ["x": .made([2, 4, 3]), "y": .made([2, 5, 4])],
      ["transpose_x": .bool(true), "transpose_y": .bool(true)]),
    GradientCase("matmul", "vectors", ["x": .made([4]), "y": .made([4])]),
    GradientCase("matmul", "row", ["x": .made([4]), "y": .made([2, 4, 3])]),
    GradientCase(
      "einsum", all: ["values": [.made([2, 3, 4]), .made([2, 4, 5])]], ["equation": .string("bij,bjk->bik")]),
    GradientCase(
      "einsum", "heads", all: ["values": [.made([2, 3, 2, 2]), .made([2, 4, 2, 2])]],
      ["equation": .string("bqhd,bkhd->bhqk")]),
    GradientCase("einsum", "sum", all: ["values": [.made([2, 3]), .made([4])]], ["equation": .string("ij,k->i")]),
    GradientCase(
      "einsum", "three", all: ["values": [.made([2, 3]), .made([3, 2]), .made([2, 2])]],
      ["equation": .string("ij,jk,ki->ik")]),
    GradientCase(
      "einsum", "broadcast", all: ["values": [.made([2, 1]), .made([3, 4])]], ["equation": .string("ij,jk->ik")]),
    GradientCase(
      "scaled_dot_product_attention",
      ["query": .made([2, 3, 4]), "key": .made([2, 5, 4]), "value": .made([2, 5, 3])]),
    GradientCase(
      "scaled_dot_product_attention", "mask",
      [
        "query": .made([1, 2, 3, 4]), "key": .made([1, 2, 3, 4]), "value": .made([1, 2, 3, 2]),
        "attn_mask": .made([3, 3]),
      ]),
    GradientCase(
      "scaled_dot_product_attention", "causal",
      ["query": .made([1, 2, 3]), "key": .made([1, 2, 3]), "value": .made([1, 2, 2])],
      ["attn_mask": .literal(.tensor(Tensor(bools: [true, false, true, true], shape: [2, 2])))]),
  ]
}

extension Tensor {
  /// A Boolean tensor for tests.
  init(bools: [Bool], shape: [Int]) {
    guard let tensor = try? Tensor(.bool, shape: shape, doubles: bools.map { $0 ? 1 : 0 }) else {
      preconditionFailure("the shape holds as many")
    }
    self = tensor
  }
}
