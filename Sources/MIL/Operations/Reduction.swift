/// Reductions over `axes` (default: all), which stay as axes of size 1 with `keep_dims` (coremltools: `reduction`).
/// Also sorting and cumulative sums along one axis.
enum ReductionOperations {
  static let all: [OperationDefinition] =
    [
      "reduce_l1_norm", "reduce_l2_norm", "reduce_log_sum", "reduce_log_sum_exp", "reduce_max", "reduce_mean",
      "reduce_min",
      "reduce_prod", "reduce_sum", "reduce_sum_square",
    ].map { name in
      OperationDefinition(
        name, [.required("x"), .optional("axes"), .optional("keep_dims")],
        work: { call, _ in Work(flops: Double((try? call.tensor("x").elementCount) ?? 0)) }
      ) { call in
        let x = try call.tensor("x")
        let axes = try call.axes("axes", default: Array(0..<x.rank), rank: x.rank)
        return [.tensor(TensorType(x.scalar, try reduced(x.shape, axes, call)))]
      }
    }
    + ["reduce_argmax", "reduce_argmin"].map { name in
      OperationDefinition(
        name, [.required("x"), .optional("axis"), .optional("keep_dims"), .optional("output_dtype")]
      ) { call in
        let x = try call.tensor("x")
        let axis = try call.axis("axis", default: -1, rank: x.rank)
        let scalar = try call.has("output_dtype") ? call.scalarType("output_dtype") : .int32
        return [.tensor(TensorType(scalar, try reduced(x.shape, [axis], call)))]
      }
    } + [
      OperationDefinition(
        "cumsum", [.required("x"), .optional("axis"), .optional("exclusive"), .optional("reverse")]
      ) { call in
        let x = try call.tensor("x")
        _ = try call.axis("axis", default: 0, rank: x.rank)
        return [.tensor(x)]
      },
      OperationDefinition("argsort", [.required("x"), .optional("axis"), .optional("ascending")]) { call in
        let x = try call.tensor("x")
        _ = try call.axis("axis", default: -1, rank: x.rank)
        return [.tensor(x.with(scalar: .int32))]
      },
      OperationDefinition(
        "topk",
        [
          .required("x"), .optional("k"), .optional("axis"), .optional("ascending"), .optional("sort"),
          .optional("return_indices"), .optional("output_indices_dtype"),
        ]
      ) { call in
        var x = try call.tensor("x")
        let axis = try call.axis("axis", default: -1, rank: x.rank)
        if call.has("k"), call.valueIfKnown("k") == nil {
          x.shape[axis] = .unknown
        } else {
          let count = try call.int("k", default: 1)
          if let size = x.shape[axis].value, count > size || count < 0 {
            throw call.error(.invalidArgument, "'k' is \(count) and the axis has \(size) entries")
          }
          x.shape[axis] = Dimension(count)
        }
        guard try call.bool("return_indices", default: true) else { return [.tensor(x)] }
        let scalar = try call.has("output_indices_dtype") ? call.scalarType("output_indices_dtype") : .int32
        return [.tensor(x), .tensor(x.with(scalar: scalar))]
      },
    ]

  private static func reduced(_ shape: [Dimension], _ axes: [Int], _ call: Invocation) throws -> [Dimension] {
    try call.requireDistinct(axes, "axes")
    let isKept = try call.bool("keep_dims", default: false)
    return shape.enumerated().compactMap { axis, size in
      axes.contains(axis) ? (isKept ? 1 : nil) : size
    }
  }
}
