/// MIL's `einsum` for up to four fp32 tensors.
struct CLEinsum: Sendable {
  /// Labels of the result, then the labels that are summed over. `strides` has the step of each tensor for each label.
  struct Labels: Sendable, Hashable {
    var kept: [Int]
    var summed: [Int]
    /// For each tensor, over all labels.
    var strides: [[Int]]
    /// Elements of each tensor.
    var counts: [Int]
  }

  static let mostOperands = 4
  static let mostLabels = 12

  private let launch: OpenCLLaunch
  private let operands: Int

  init(_ context: OpenCLContext, _ labels: Labels) throws {
    let count = try CLSizes.count(labels.kept, "einsum")
    let terms = try CLSizes.count(labels.summed, "einsum")
    operands = labels.counts.count
    guard (1...Self.mostOperands).contains(operands), labels.strides.count == operands,
      labels.kept.count + labels.summed.count <= Self.mostLabels
    else { throw KernelError(.openCLLaunch, "einsum: \(operands) operands") }
    for (strides, size) in zip(labels.strides, labels.counts) where count > 0 && terms > 0 {
      let reach = zip(labels.kept + labels.summed, strides).reduce(0) { $0 + ($1.0 - 1) * $1.1 }
      guard strides.count == labels.kept.count + labels.summed.count, strides.allSatisfy({ $0 >= 0 }), reach < size
      else {
        throw KernelError(.openCLLaunch, "einsum: strides \(strides) reach outside of \(size) elements")
      }
    }
    // The kernel requires the last label to be one that is summed over.
    let summed = labels.summed.isEmpty ? [1] : labels.summed
    let strides = labels.strides.map { labels.summed.isEmpty ? $0 + [0] : $0 }
    let largest = labels.counts.max() ?? 0
    let index = CLSizes(count, largest, terms)
    launch = try context.each(
      "einsum", of: "einsum",
      [
        "OPERANDS": "\(operands)", "RANK": "\(labels.kept.count + summed.count)", "KEPT": "\(labels.kept.count)",
      ], index, count: count,
      labels.counts.map { .floats("values", $0) } + [
        .floats("y", count), index.many(labels.kept + summed + strides.flatMap { $0 }),
        index.one(summed.dropLast().reduce(1, *)), index.one(count),
      ])
  }

  /// `slots` selects the tensors among `inputs`.
  func enqueue(on queue: OpenCLQueue, _ inputs: [OpenCLMemory], _ slots: [Int], y: OpenCLMemory) throws {
    guard slots.count == operands else { throw KernelError(.openCLLaunch, "einsum: \(slots.count) operands") }
    func memory(_ number: Int) -> OpenCLMemory? {
      number < slots.count ? inputs[slots[number]] : number == slots.count ? y : nil
    }
    try launch.enqueue(on: queue, inputs[slots[0]], memory(1), memory(2), memory(3), memory(4))
  }
}
