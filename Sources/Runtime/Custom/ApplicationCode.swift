import MIL

/// Binds the custom layers and models of a function to the classes that the application registered.
enum ApplicationCode {
  /// Returns the function, ready to run. Throws if a class is not registered or cannot be instantiated.
  static func bound(_ function: Function) throws -> Function {
    guard contains(function.body) else { return function }
    var result = function
    try bind(&result.body, function.constants)
    return result
  }

  private static func contains(_ block: Block) -> Bool {
    block.operations.contains { isCustom($0) || $0.blocks.contains(where: contains) }
  }

  private static func isCustom(_ operation: Operation) -> Bool {
    operation.type == "nn.custom" || operation.type == "ml.custom"
  }

  private static func bind(_ block: inout Block, _ constants: [String: Value]) throws {
    for index in block.operations.indices {
      let arguments = CustomArguments(block.operations[index], constants: constants)
      switch block.operations[index].type {
      case "nn.custom": block.operations[index].code = try CustomLayerCode(arguments)
      case "ml.custom": block.operations[index].code = try CustomModelCode(arguments)
      default:
        for nested in block.operations[index].blocks.indices {
          try bind(&block.operations[index].blocks[nested], constants)
        }
      }
    }
  }
}
