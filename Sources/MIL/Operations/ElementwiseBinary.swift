/// Binary operations with broadcasting (coremltools: `elementwise_binary`).
enum ElementwiseBinaryOperations {
  static let all: [OperationDefinition] =
    ["add", "sub", "mul", "real_div", "floor_div", "mod", "pow", "maximum", "minimum"].map { name in
      OperationDefinition(name, [.required("x"), .required("y")]) { call in
        let x = try call.tensor("x")
        let y = try call.tensor("y")
        try requireSame(x, y, call)
        return [.tensor(TensorType(x.scalar, try call.broadcast(x.shape, y.shape)))]
      }
    }
    + [
      "equal", "not_equal", "greater", "greater_equal", "less", "less_equal", "logical_and", "logical_or",
      "logical_xor",
    ].map { name in
      OperationDefinition(name, [.required("x"), .required("y")]) { call in
        let x = try call.tensor("x")
        let y = try call.tensor("y")
        try requireSame(x, y, call)
        return [.tensor(TensorType(.bool, try call.broadcast(x.shape, y.shape)))]
      }
    }

  private static func requireSame(_ x: TensorType, _ y: TensorType, _ call: Invocation) throws {
    guard x.scalar == y.scalar else {
      throw call.error(
        .invalidType, "'x' is \(x.scalar.rawValue) and 'y' is \(y.scalar.rawValue): they must be of one type")
    }
  }
}
