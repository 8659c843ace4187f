import MIL

/// OpenCL kernels that sort lines.
enum OpenCLSortingKernels {
  static let all: [KernelImplementation] = CLSort.Way.allCases.map { way in
    KernelImplementation("sort.opencl.\(way.rawValue)", for: ["argsort", "topk"], on: .openCL) {
      try openCLSort($0, by: way)
    }
  }

  private static func openCLSort(_ problem: KernelProblem, by way: CLSort.Way) throws -> Candidate {
    let context = try problem.requireOpenCL()
    let line = try AxisLines(problem, "axis", default: -1)
    let isTop = problem.operation == "topk"
    let keep = isTop ? try problem.known { try problem.invocation.int("k", default: 1) } : line.count
    let places = isTop ? 1 : 0
    let lines = CLSort.Lines(
      outer: line.outer, axis: line.count, inner: line.inner, keep: keep, scalar: try problem.scalar("x"),
      isAscending: try problem.invocation.bool("ascending", default: false), hasValues: isTop,
      places: problem.outputs.indices.contains(places) ? problem.outputs[places].scalar : nil)
    if let reason = CLSort.refusal(of: lines, by: way) { throw Refusal(reason) }
    let count = line.outer * line.count * line.inner
    let scratch = try Refusal.onLaunchError { try CLSort.scratchBytes(of: lines, by: way) }
    guard count <= 1 << 30 else { throw Refusal("\(count) numbers to sort") }
    let x = try problem.slot("x")
    let launches = CLSort.launches(of: lines, by: way)
    // Passes over all positions, of a bitonic network and of merges.
    let passes = way == .group ? 45.0 : 45.0 + 20 * Double(launches)
    var candidate = Candidate(
      efficiency: 0.1, scratchBytes: scratch,
      work: Work(flops: passes * Double(count), bytes: 8 * Double(count) * Double(launches))
    ) {
      let sort = try CLSort(context, lines, by: way)
      return .openCL { frame in
        try sort.enqueue(
          on: frame.queue, x: frame.inputs[x], values: isTop ? frame.outputs[0] : nil,
          places: frame.outputs.count > places ? frame.outputs[places] : nil, scratch: frame.scratch)
      }
    }
    candidate.launches = launches
    return candidate
  }
}
