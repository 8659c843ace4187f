import MIL

/// Replaces the declared types of outputs by the inferred ones if a file declares another rank with axes of unknown
/// size.
///
/// coremltools' `squeeze` keeps an axis of unknown size, and later operations are declared accordingly. Core ML uses
/// the inferred type.
struct DeclaredRanks {
  private var scope = Scope()

  static func corrected(_ function: Function) -> Function {
    guard hasUnknownAxes(function.body) else { return function }
    var rewrite = DeclaredRanks()
    for input in function.inputs { rewrite.scope.define(input.name, input.type) }
    var function = function
    rewrite.correct(&function.body)
    return function
  }

  private static func hasUnknownAxes(_ block: Block) -> Bool {
    block.operations.contains { operation in
      operation.outputs.contains { $0.type.tensor?.hasUnknownAxes == true }
        || operation.blocks.contains(where: hasUnknownAxes)
    }
  }

  /// The recursion is bounded, because importers limit the nesting of blocks. An invalid operation is reported when the
  /// program is verified.
  private mutating func correct(_ block: inout Block) {
    scope.enter()
    defer { scope.leave() }
    for input in block.inputs { scope.define(input.name, input.type) }
    for place in block.operations.indices {
      for index in block.operations[place].blocks.indices { correct(&block.operations[place].blocks[index]) }
      let operation = block.operations[place]
      let types = (try? scope.outputTypes(of: operation)) ?? []
      for (index, type) in types.enumerated() where operation.outputs.indices.contains(index) {
        guard let declared = operation.outputs[index].type.tensor, let given = type.tensor, declared.hasUnknownAxes,
          declared.shape.count != given.shape.count
        else { continue }
        block.operations[place].outputs[index].type = type
      }
      let value = operation.outputs.count == 1 ? operation.constant : nil
      for output in block.operations[place].outputs { scope.define(output.name, output.type, value: value) }
    }
  }
}

extension TensorType {
  fileprivate var hasUnknownAxes: Bool { shape.contains { !$0.isKnown } }
}
