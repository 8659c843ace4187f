/// `classify`, and the operations on states.
enum ClassifierAndStateOperations {
  static let all: [OperationDefinition] = [
    // Returns the class with the greatest probability, and all classes with their probabilities.
    OperationDefinition("classify", [.required("probabilities"), .required("classes")]) { call in
      let key: ValueType
      switch try call.type("classes") {
      case .tensor(let type): key = .tensor(TensorType(type.scalar, [Dimension]()))
      case .list(let element, _): key = element
      default: throw call.error(.invalidType, "'classes' must be a list, it is \(try call.type("classes"))")
      }
      let number = ValueType.tensor(TensorType(try call.tensor("probabilities").scalar, [Dimension]()))
      return [key, .dictionary(key: key, value: number)]
    },
    OperationDefinition("read_state", [.required("input")], isPure: false) { call in
      guard case .state(let type) = try call.type("input") else {
        throw call.error(.invalidType, "'input' must be a state, it is \(try call.type("input"))")
      }
      return [.tensor(type)]
    },
    OperationDefinition("write_state", [.required("input"), .required("data")], isPure: false) { call in
      guard case .state(let type) = try call.type("input") else {
        throw call.error(.invalidType, "'input' must be a state, it is \(try call.type("input"))")
      }
      let data = try call.tensor("data")
      guard data.rank == type.rank, zip(data.shape, type.shape).allSatisfy({ $0.agrees(with: $1) }) else {
        throw call.error(.invalidShape, "'data' is \(data), the state \(type)")
      }
      return []
    },
  ]
}
