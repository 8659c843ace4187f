import CKernels
import MIL

/// Reductions over adjacent axes, argmin and argmax, cumulative sums, softmax.
enum ReductionKernels {
  static let all: [KernelImplementation] =
    reductions.map { name, op in
      KernelImplementation("\(name).vector", for: name) { problem in
        let x = try problem.slot("x")
        let sizes = try problem.sizes("x")
        let axes = try problem.invocation.axes("axes", default: Array(sizes.indices), rank: sizes.count).sorted()
        // Axes of size 1 may be between them; the others must be adjacent.
        let real = axes.filter { sizes[$0] != 1 }
        let first = real.first ?? 0
        let last = real.last ?? -1
        guard
          (first...max(last, first)).allSatisfy({ real.contains($0) || sizes.isEmpty || sizes[$0] == 1 || real.isEmpty }
          )
        else {
          throw Refusal("the axes \(axes) are not neighbours")
        }
        let count = real.map { sizes[$0] }.reduce(1, *)
        let outer = real.isEmpty ? 1 : sizes[..<first].reduce(1, *)
        let inner = real.isEmpty ? sizes.reduce(1, *) : sizes[(last + 1)...].reduce(1, *)
        switch try problem.scalar("x") {
        case .float32:
          return .cpu(efficiency: 0.1) { frame in
            let source = frame.input(x, as: Float.self)
            let target = frame.output(0, as: Float.self)
            let grain = max(ThreadPool.elementGrain / max(count * inner, 1), 1)
            frame.pool.run(outer, grain: grain) { range in
              ck_reduce_f32(
                op, source + range.lowerBound * count * inner, target + range.lowerBound * inner, range.count, count,
                inner)
            }
          }
        case .int32 where ["reduce_sum", "reduce_max", "reduce_min", "reduce_prod"].contains(name):
          return .cpu(efficiency: 0.1) { frame in
            _ = ck_reduce_i32(op, frame.input(x), frame.output(0), outer, count, inner)
          }
        case let scalar: throw Refusal("'x' is \(scalar.rawValue), the kernel takes fp32 and int32")
        }
      }
    }
    + [("reduce_argmax", CK_ARG_MAX), ("reduce_argmin", CK_ARG_MIN)].map { name, op in
      KernelImplementation("\(name).vector", for: name) { problem in
        let lines = try AxisLines(problem, "axis", default: -1)
        guard problem.outputs[0].scalar == .int32, lines.count > 0 else { throw Refusal("positions other than int32") }
        let x = try problem.slot("x")
        switch try problem.scalar("x") {
        case .float32:
          return .cpu(efficiency: 0.1) { frame in
            let source = frame.input(x, as: Float.self)
            let target = frame.output(0, as: Int32.self)
            lines.share(frame) { range in
              ck_reduce_arg_f32(
                op, source + range.lowerBound * lines.count * lines.inner, target + range.lowerBound * lines.inner,
                range.count, lines.count, lines.inner)
            }
          }
        case .int32:
          return .cpu(efficiency: 0.1) { frame in
            ck_reduce_arg_i32(op, frame.input(x), frame.output(0), lines.outer, lines.count, lines.inner)
          }
        case let scalar: throw Refusal("'x' is \(scalar.rawValue), the kernel takes fp32 and int32")
        }
      }
    } + [
      KernelImplementation("cumsum.vector", for: "cumsum") { problem in
        let lines = try AxisLines(problem, "axis", default: 0)
        let x = try problem.slot("x")
        let isExclusive = try problem.invocation.bool("exclusive", default: false)
        let isReversed = try problem.invocation.bool("reverse", default: false)
        switch try problem.scalar("x") {
        case .float32:
          return sums(of: x, lines) { ck_cumsum_f32($0, $1, $2, lines.count, lines.inner, isExclusive, isReversed) }
        case .int32:
          return sums(of: x, lines) { ck_cumsum_i32($0, $1, $2, lines.count, lines.inner, isExclusive, isReversed) }
        case let scalar: throw Refusal("'x' is \(scalar.rawValue), the kernel takes fp32 and int32")
        }
      },
      KernelImplementation("softmax.vector", for: "softmax") { problem in
        let lines = try AxisLines(problem, "axis", default: -1)
        let x = try problem.slot("x")
        try problem.requireScalar(.float32, of: ["x"])
        return .cpu(efficiency: 0.05, inPlace: [x]) { frame in
          let source = frame.input(x, as: Float.self)
          let target = frame.output(0, as: Float.self)
          let size = lines.count * lines.inner
          frame.pool.run(lines.outer, grain: max(4096 / max(size, 1), 1)) { range in
            ck_softmax_f32(
              source + range.lowerBound * size, target + range.lowerBound * size, range.count, lines.count, lines.inner)
          }
        }
      },
    ]

  private static let reductions: [(String, ck_reduce_op)] = [
    ("reduce_sum", CK_REDUCE_SUM), ("reduce_mean", CK_REDUCE_MEAN), ("reduce_max", CK_REDUCE_MAX),
    ("reduce_min", CK_REDUCE_MIN), ("reduce_prod", CK_REDUCE_PROD), ("reduce_l1_norm", CK_REDUCE_L1),
    ("reduce_l2_norm", CK_REDUCE_L2), ("reduce_sum_square", CK_REDUCE_SUM_SQUARE),
    ("reduce_log_sum", CK_REDUCE_LOG_SUM),
    ("reduce_log_sum_exp", CK_REDUCE_LOG_SUM_EXP),
  ]

  /// Cumulative sums. `kernel` gets the source and target of a range of outer entries, and their number.
  private static func sums<Number>(
    of x: Int, _ lines: AxisLines,
    _ kernel: @escaping @Sendable (UnsafePointer<Number>, UnsafeMutablePointer<Number>, Int) -> Void
  ) -> Candidate {
    let size = lines.count * lines.inner
    return .cpu(efficiency: 0.05, inPlace: [x]) { frame in
      let source = frame.input(x, as: Number.self)
      let target = frame.output(0, as: Number.self)
      lines.share(frame) { range in
        kernel(source + range.lowerBound * size, target + range.lowerBound * size, range.count)
      }
    }
  }
}
