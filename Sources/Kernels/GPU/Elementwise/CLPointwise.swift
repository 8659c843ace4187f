import MIL

/// A chain of elementwise functions. Its kernel source is generated.
struct CLPointwise: Sendable {
  struct Operand: Sendable {
    let sizes: [Int]
    let isF16: Bool
  }

  struct Step: Sendable {
    /// Nil for a function of two operands, which is identified by `name`.
    let function: CLFunction?
    let name: String
    let arguments: [PointwiseProgram.Argument]
  }

  private let launch: OpenCLLaunch
  private let count: Int

  /// Limit for the operands of one launch, without the result.
  static let most = 5

  static func check(_ operands: [Operand], _ steps: [Step]) throws {
    guard operands.count <= most else {
      throw KernelError(.openCLLaunch, "\(operands.count) operands, a launch takes \(most)")
    }
    for step in steps where step.function == nil { _ = try CLBinary.result(of: step.name, .float) }
  }

  init(
    _ context: OpenCLContext, _ operands: [Operand], _ output: Operand, _ steps: [Step], for operation: String
  ) throws {
    try Self.check(operands, steps)
    let counts = try operands.map { try CLSizes.count($0.sizes, operation) }
    let total = try CLSizes.count(output.sizes, operation)
    let index = CLSizes(max(counts.max() ?? 0, total))
    // Operands with the result's element count, or with a single element, need no index computation.
    let walked = operands.indices.filter { counts[$0] != total && counts[$0] != 1 }
    let walk = CLWalk(
      output.sizes, try walked.map { try CLWalk.broadcast(operands[$0].sizes, to: output.sizes, operation) })
    let places = operands.indices.map { number in
      counts[number] == total ? "i" : counts[number] == 1 ? "0" : "i\(number)"
    }
    let kernel = try context.kernel(
      "pointwise", of: .generated(Self.text(operands, output, steps, walked, places), for: operation),
      ["INDEX": index.definition, "RANK": "\(walk.sizes.count)"])
    let size = CLElements(total, kernel)
    launch = try kernel.launch(
      operands.indices.map { .memory("v\($0)", count: counts[$0], size: operands[$0].isF16 ? 2 : 4) }
        + [.memory("z", count: total, size: output.isF16 ? 2 : 4), index.one(total)]
        + (walked.isEmpty ? [] : [walk.argument(index)]), global: [size.global], local: [size.local])
    count = operands.count
  }

  private static func text(
    _ operands: [Operand], _ output: Operand, _ steps: [Step], _ walked: [Int], _ places: [String]
  ) throws -> String {
    func half(_ operand: Operand) -> String { operand.isF16 ? "1" : "0" }
    func name(_ argument: PointwiseProgram.Argument) -> String {
      switch argument {
      case .value(let number): "x\(number)"
      case .step(let number): "s\(number)"
      }
    }
    var lines = ["#define FUNCTIONS_ALONE", try OpenCLSource.body("binary")]
    if !walked.isEmpty {
      let strides = walked.map { "  INDEX v\($0)[RANK];" }
      lines += ["typedef struct {", "  INDEX size[RANK];"] + strides + ["} Walk;"]
    }
    let tensors = operands.indices.map { "global const ELEMENT(\(half(operands[$0]))) *v\($0), ulong v\($0)0, " }
    lines += [
      "kernel void pointwise(\(tensors.joined())global ELEMENT(\(half(output))) *z, ulong z0, INDEX count"
        + "\(walked.isEmpty ? "" : ", Walk walk")) {"
    ]
    lines += operands.indices.map { "  v\($0) += v\($0)0;" }
    lines += [
      "  z += z0;", "  INDEX step = (INDEX)get_global_size(0);",
      "  for (INDEX i = (INDEX)get_global_id(0); i < count; i += step) {",
    ]
    if !walked.isEmpty {
      lines += walked.map { "    INDEX i\($0) = 0;" }
      lines += [
        "    INDEX rest = i;", "    for (int d = RANK - 1; d >= 0; d--) {",
        "      INDEX place = d == 0 ? rest : rest % walk.size[d];", "      rest /= walk.size[d];",
      ]
      lines += walked.map { "      i\($0) += place * walk.v\($0)[d];" } + ["    }"]
    }
    lines += operands.indices.map { "    float x\($0) = AT(\(half(operands[$0])), v\($0), \(places[$0]));" }
    for (number, step) in steps.enumerated() {
      let arguments = step.arguments.map(name)
      let call =
        step.function.map { $0.call(on: arguments[0]) } ?? "f_\(step.name)(\(arguments.joined(separator: ", ")))"
      lines.append("    float s\(number) = \(call);")
    }
    lines += ["    PUT(\(half(output)), z, i, s\(steps.count - 1));", "  }", "}", ""]
    return lines.joined(separator: "\n")
  }

  func enqueue(_ frame: OpenCLFrame, _ slots: [Int]) throws {
    func memory(_ place: Int) -> OpenCLMemory? {
      place < count ? frame.inputs[slots[place]] : place == count ? frame.outputs[0] : nil
    }
    guard let first = memory(0) else { return }
    try launch.enqueue(on: frame.queue, first, memory(1), memory(2), memory(3), memory(4), memory(5))
  }
}
