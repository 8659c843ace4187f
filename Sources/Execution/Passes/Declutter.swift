import MIL

/// What holds for every shape and every device, done once a model: what only training reads is left out, and from here on every
/// operation says what it stands for, so that passes may rename it; then large constants leave loops and branches.
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
