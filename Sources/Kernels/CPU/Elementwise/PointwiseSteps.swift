import CKernels
import MIL

/// A `fused.pointwise` program as kernels run it over a tile: the C function of each step, and the location of its
/// operands.
struct PointwiseSteps: Sendable {
  /// The location of an argument.
  struct Source: Sendable {
    /// Whether it is a tile buffer (room) that an earlier step has written; otherwise it is an operand.
    let isRoom: Bool
    let number: Int
  }

  struct Step: Sendable {
    let unary: ck_unary_op
    let alpha: Float
    let beta: Float
    let binary: ck_binary_op
    let x: Source
    /// Nil for a function of one operand.
    let y: Source?
    /// The buffer that the step writes. Nil for the last step, which writes the result.
    let room: Int?
  }

  let steps: [Step]
  /// The greatest number of buffers in use at the same time.
  let rooms: Int
  /// The slot and the sizes of each operand.
  let slots: [Int]
  let sizes: [[Int]]

  init(_ problem: KernelProblem) throws {
    try problem.requireScalar(.float32, of: ["values"])
    guard problem.outputs.allSatisfy({ $0.scalar == .float32 }) else { throw Refusal("a result other than fp32") }
    let program = try problem.known { try PointwiseProgram(problem.invocation) }
    slots = try (0..<problem.invocation.count("values")).map { try problem.slot("values", $0) }
    sizes = try slots.indices.map { try problem.sizes("values", $0) }
    var lastUse: [Int: Int] = [:]
    for (number, step) in program.steps.enumerated() {
      for case .step(let used) in step.arguments { lastUse[used] = number }
    }
    var (free, rooms, places): ([Int], Int, [Int]) = ([], 0, [])
    var made: [Step] = []
    for (number, step) in program.steps.enumerated() {
      func source(_ argument: PointwiseProgram.Argument) -> Source {
        switch argument {
        case .value(let operand): Source(isRoom: false, number: operand)
        case .step(let other): Source(isRoom: true, number: places[other])
        }
      }
      let taken = step.arguments.map(source)
      // A function may overwrite its operands.
      for other in Set(step.arguments.compactMap(\.step)) where lastUse[other] == number { free.append(places[other]) }
      let isLast = number == program.steps.count - 1
      var room: Int?
      if !isLast {
        if free.isEmpty {
          free.append(rooms)
          rooms += 1
        }
        room = free.removeLast()
      }
      places.append(room ?? -1)
      let unary: (op: ck_unary_op, alpha: Float, beta: Float)
      let binary: ck_binary_op
      if taken.count == 1 {
        let call = program.invocation(of: step, problem.invocation, [(.tensor(problem.outputs[0]), nil)])
        (unary, binary) = (try problem.known { try UnaryFunctions.function(of: call) }, CK_BINARY_ADD)
      } else {
        guard let op = ElementwiseBinaryKernels.arithmetic.first(where: { $0.0 == step.operation })?.1 else {
          throw Refusal("there is no vector kernel for '\(step.operation)'")
        }
        (unary, binary) = ((CK_UNARY_IDENTITY, 0, 0), op)
      }
      made.append(
        Step(
          unary: unary.op, alpha: unary.alpha, beta: unary.beta, binary: binary, x: taken[0],
          y: taken.count == 2 ? taken[1] : nil, room: room))
    }
    (steps, self.rooms) = (made, rooms)
  }
}

extension PointwiseProgram.Argument {
  fileprivate var step: Int? {
    if case .step(let number) = self { return number }
    return nil
  }
}
