import MIL

/// A move of one box of elements from an argument to an output, for OpenCL.
struct OpenCLMove: Sendable {
  let slot: Int
  let output: Int
  let shape: [Int]
  let from: CopyView
  let to: CopyView

  init(slot: Int, output: Int = 0, shape: [Int], from: CopyView, to: CopyView) {
    self.slot = slot
    self.output = output
    self.shape = shape
    self.from = from
    self.to = to
  }

  /// Moves a view of `x` to the whole of the only output.
  init(_ problem: KernelProblem, from view: CopyView) throws {
    self.init(
      slot: try problem.slot("x"), shape: view.shape, from: view, to: CopyView(view.shape, rowMajorStrides(view.shape)))
  }

  /// The bytes that it copies, if they are contiguous in both memories.
  fileprivate func run(_ size: Int) -> Candidate.Run? {
    guard from.isWhole, to.isWhole else { return nil }
    return Candidate.Run(
      operand: slot, source: from.offset * size, output: output, target: to.offset * size,
      count: shape.reduce(size, *))
  }

  /// Bytes of memory traffic. Memory transfers 32 bytes at a time, most of them unused if adjacent elements of the box
  /// are not adjacent in memory.
  fileprivate func bytes(_ size: Int) -> Double {
    func side(_ view: CopyView) -> Double {
      let apart = shape.indices.last { shape[$0] > 1 }.map { abs(view.strides[$0]) } ?? 1
      return Double(min(max(apart, 1) * size, 32))
    }
    return Double(shape.reduce(1, *)) * (side(from) + side(to))
  }
}

extension CopyView {
  /// The view that a rule defines for a problem. Refuses if there is no rule.
  init(_ problem: KernelProblem, _ rule: CopyKernels.Rule?) throws {
    guard let rule else { throw Refusal("no rule says what is copied") }
    self = try rule(problem, problem.sizes("x"))
  }

  /// Whether its elements are contiguous and in order.
  fileprivate var isWhole: Bool {
    var step = 1
    for axis in shape.indices.reversed() where shape[axis] != 1 {
      guard strides[axis] == step else { return false }
      step *= shape[axis]
    }
    return true
  }

  fileprivate func view(of count: Int) -> CLMove.View { CLMove.View(count: count, start: offset, strides: strides) }
}

/// Launches that move elements between the arguments and the outputs of a problem.
struct OpenCLMoves {
  let problem: KernelProblem

  /// A candidate that moves elements between arguments and outputs. `elements` names an argument with their type. Boxes
  /// without elements are left out.
  func candidate(
    _ moves: [OpenCLMove], elements: String = "x", by way: CLMove.Way = .strided
  ) throws -> Candidate {
    let context = try problem.requireOpenCL()
    let size = try problem.openCLElementSize(elements)
    let moves = moves.filter { !$0.shape.contains(0) }
    let views = try moves.map { move in
      (
        from: move.from.view(of: problem.operands[move.slot].type.elementCount ?? 0),
        to: move.to.view(of: try problem.outputSizes(move.output).reduce(1, *))
      )
    }
    if way == .tiles {
      guard context.device.maxWorkGroupSize >= 256 else { throw Refusal("the device's work-groups are too small") }
      for (move, view) in zip(moves, views) where CLMove.Matrices(move.shape, view.from, view.to) == nil {
        throw Refusal("not whole matrices of at least 8 by 8")
      }
    }
    // Tiles read and write along rows.
    let bytes =
      way == .tiles
      ? moves.reduce(0) { $0 + 2 * Double($1.shape.reduce(1, *) * size) } : moves.reduce(0) { $0 + $1.bytes(size) }
    let runs = moves.map { $0.run(size) }
    let joined = try joins(moves, runs, size)
    var candidate = Candidate(efficiency: 1, work: Work(flops: 0, bytes: bytes)) {
      if let joined {
        let join = try CLJoin(
          context, elementSize: size, joined, to: try problem.outputSizes(moves[0].output).reduce(1, *))
        return .openCL { frame in
          guard !runs.allSatisfy({ $0?.isDone(frame) ?? false }) else { return }
          try join.enqueue(on: frame.queue, { frame.inputs[moves[$0].slot] }, y: frame.outputs[moves[0].output])
        }
      }
      let launches = try zip(moves, views).map { move, view in
        try CLMove(context, elementSize: size, sizes: move.shape, from: view.from, to: view.to, by: way)
      }
      return .openCL { frame in
        for index in moves.indices where !(runs[index]?.isDone(frame) ?? false) {
          try launches[index].enqueue(
            on: frame.queue, x: frame.inputs[moves[index].slot], y: frame.outputs[moves[index].output])
        }
      }
    }
    candidate.runs = runs.compactMap { $0 }
    candidate.launches = joined == nil ? max(moves.count, 1) : 1
    return candidate
  }

  /// The moves as runs of one launch, if they copy a few elements each to one output. Nil for others.
  private func joins(_ moves: [OpenCLMove], _ runs: [Candidate.Run?], _ size: Int) throws -> [CLJoin.Run]? {
    guard (2...CLJoin.mostRuns).contains(moves.count), moves.allSatisfy({ $0.output == moves[0].output }) else {
      return nil
    }
    let all = zip(moves, runs).compactMap { move, run in
      run.map {
        CLJoin.Run(
          elements: problem.operands[move.slot].type.elementCount ?? 0, source: $0.source / size,
          count: $0.count / size,
          target: $0.target / size)
      }
    }
    return all.count == moves.count && all.reduce(0) { $0 + $1.count } <= 1 << 12 ? all : nil
  }
}

extension Candidate.Run {
  /// Whether source and target are the same memory.
  fileprivate func isDone(_ frame: OpenCLFrame) -> Bool {
    let (from, to) = (frame.inputs[operand], frame.outputs[output])
    return from.buffer === to.buffer && from.byteOffset + source == to.byteOffset + target
  }
}
