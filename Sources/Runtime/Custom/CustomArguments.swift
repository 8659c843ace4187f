import Foundation
import MIL

/// The arguments of a custom operation that describe the class that computes it.
struct CustomArguments {
  private let operation: MIL.Operation
  private let constants: [String: Value]

  init(_ operation: MIL.Operation, constants: [String: Value]) {
    self.operation = operation
    self.constants = constants
  }

  private func error(_ message: String) -> MILError {
    MILError(.invalidArgument, message, operation: operation.label)
  }

  private func tensors(_ parameter: String) throws -> [Tensor] {
    try (operation.inputs[parameter] ?? []).map { binding in
      let value: Value?
      switch binding {
      case .literal(let literal): value = literal
      case .name(let name): value = constants[name]
      }
      guard let tensor = value?.tensor else { throw error("'\(parameter)' is not a constant tensor") }
      return tensor
    }
  }

  func string(_ parameter: String) throws -> String {
    guard let tensor = try tensors(parameter).first, tensor.scalar == .string, tensor.count == 1,
      let text = try tensor.strings().first
    else { throw error("'\(parameter)' is not a string") }
    return text
  }

  /// Copies `uint8` tensors to `Data`.
  func data(_ parameter: String) throws -> [Data] {
    try tensors(parameter).map { tensor in
      guard tensor.scalar == .uint8 else { throw error("'\(parameter)' is \(tensor.type), expected bytes") }
      return tensor.withUnsafeBytes { Data($0) }
    }
  }

  /// The parameters in the types that the class expects.
  func parameters() throws -> [String: Any] {
    let names = try tensors("parameter_names").first?.strings() ?? []
    let values = try tensors("parameter_values")
    guard names.count == values.count else { throw error("it names \(names.count) parameters and has \(values.count)") }
    return Dictionary(try zip(names, values).map { ($0, try any($1, $0)) }, uniquingKeysWith: { first, _ in first })
  }

  private func any(_ tensor: Tensor, _ name: String) throws -> Any {
    switch (tensor.scalar, tensor.rank) {
    case (.string, 0): return try tensor.strings().first ?? ""
    case (.uint8, 1): return tensor.withUnsafeBytes { Data($0) }
    case (.float64, 0): return NSNumber(value: try tensor.doubles().first ?? 0)
    case (.int32, 0): return NSNumber(value: Int32(clamping: try tensor.ints().first ?? 0))
    case (.int64, 0): return NSNumber(value: Int64(try tensor.ints().first ?? 0))
    case (.bool, 0): return NSNumber(value: try tensor.bools().first ?? false)
    default: throw error("the parameter '\(name)' is \(tensor.type), which none can be")
    }
  }
}
