/// Operations with blocks (coremltools: `control_flow`). Only their types are defined here; the interpreter and plans
/// run the blocks.
///
/// The outputs of a block have their declared types. If two paths to an output have different sizes, the size is
/// unknown.
enum ControlFlowOperations {
  static let all: [OperationDefinition] = [
    OperationDefinition("cond", [.required("pred")], isPure: false, work: { _, _ in Work(flops: 0) }) { call in
      let pred = try call.tensor("pred")
      guard pred.scalar == .bool, pred.elementCount ?? 1 == 1 else {
        throw call.error(.invalidType, "'pred' must be one boolean, it is \(pred)")
      }
      let blocks = try twoBlocks(call, "a true and a false one")
      guard blocks[0].outputs.count == blocks[1].outputs.count else {
        throw call.error(
          .invalidProgram,
          "its blocks give \(blocks[0].outputs.count) and \(blocks[1].outputs.count) values: they must give as many")
      }
      let declared = blocks.map(declaredTypes)
      return try blocks[0].outputs.indices.map { index in
        let ways = try zip(blocks, declared).map { try outputType($0, $1, index, call) }
        return try joined(ways[0], ways[1], "output \(index)", call)
      }
    },
    OperationDefinition("while_loop", [.variadic("loop_vars")], isPure: false, work: { _, _ in Work(flops: 0) }) {
      call in
      let blocks = try twoBlocks(call, "a condition and a body")
      let count = call.count("loop_vars")
      guard blocks[0].outputs.count == 1 else {
        throw call.error(.invalidProgram, "its condition gives \(blocks[0].outputs.count) values, it must give one")
      }
      guard blocks[1].outputs.count == count, blocks.allSatisfy({ $0.inputs.count == count }) else {
        throw call.error(.invalidProgram, "its blocks must take \(count) loop variables and its body must give as many")
      }
      let declared = declaredTypes(blocks[1])
      return try (0..<count).map { index in
        try joined(
          call.type("loop_vars", index), outputType(blocks[1], declared, index, call), "loop variable \(index)", call)
      }
    },
  ]

  private static func twoBlocks(_ call: Invocation, _ what: String) throws -> [Block] {
    let blocks = call.operation.blocks
    guard blocks.count == 2 else {
      throw call.error(.invalidProgram, "it has \(blocks.count) blocks, it needs two: \(what)")
    }
    return blocks
  }

  /// The types of the results of a block's operations, and of its inputs, by name.
  private static func declaredTypes(_ block: Block) -> [String: ValueType] {
    let values = block.operations.reversed().flatMap(\.outputs) + block.inputs
    return Dictionary(values.map { ($0.name, $0.type) }, uniquingKeysWith: { last, _ in last })
  }

  /// The declared type of a block's output. If the output is a captured value, the type that the operation itself
  /// declares.
  private static func outputType(
    _ block: Block, _ declared: [String: ValueType], _ index: Int, _ call: Invocation
  ) throws -> ValueType {
    let name = block.outputs[index]
    if let type = declared[name] { return type }
    guard call.operation.outputs.indices.contains(index) else {
      throw call.error(.unknownValue, "the type of '\(name)', which a block gives, is not known")
    }
    return call.operation.outputs[index].type
  }

  private static func joined(
    _ a: ValueType, _ b: ValueType, _ what: String, _ call: Invocation
  ) throws -> ValueType {
    switch (a, b) {
    case (.tensor(let x), .tensor(let y)) where x.scalar == y.scalar && x.rank == y.rank:
      return .tensor(TensorType(x.scalar, zip(x.shape, y.shape).map { $0 == $1 ? $0 : .unknown }))
    case (.list(let x, let n), .list(let y, let m)):
      return .list(try joined(x, y, what, call), length: n == m ? n : .unknown)
    case (.tuple(let x), .tuple(let y)) where x.count == y.count:
      return .tuple(try zip(x, y).map { try joined($0, $1, what, call) })
    case _ where a == b: return a
    default: throw call.error(.invalidType, "\(what) is \(a) on one way and \(b) on the other")
    }
  }
}
