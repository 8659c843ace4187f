import MIL

/// Simplifications that hold for all shapes and devices, done once per model. It removes operations that only training
/// uses. It sets the origins of all operations, so that later passes may rename them. Then it moves large constants out
/// of loops and conditionals.
struct Declutter: Pass {
  func callAsFunction(_ function: Function) throws -> Function {
    var result = function
    result.body.operations.removeAll { $0.type == "train.loss" }
    result = try result.after(RemoveDeadCode())
    result.body.nameOrigins()
    return try result.after(HoistConstants())
  }
}

extension Block {
  fileprivate mutating func nameOrigins() {
    for index in operations.indices where operations[index].type != "const" {
      operations[index].origins = operations[index].named
      for block in operations[index].blocks.indices { operations[index].blocks[block].nameOrigins() }
    }
  }
}
