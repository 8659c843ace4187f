/// One operation of the language: what it takes and what it gives. How it is computed is no concern of this module.
///
/// To add an operation, add its definition to the array of its family's file; nothing else in this module changes.
public struct OperationDefinition: Sendable {
  /// Gives the output types from the input types and whatever values are known. With concrete input types and every
  /// value known it must give concrete types; with less it may leave sizes unknown, and never traps.
  public typealias TypeRule = @Sendable (Invocation) throws -> [ValueType]
  public typealias WorkRule = @Sendable (Invocation, [ValueType]) -> Work

  public let name: String
  public let parameters: [Parameter]
  /// The same inputs give the same outputs and nothing else changes: it may be folded, shared or dropped.
  public let isPure: Bool
  public let outputTypes: TypeRule
  private let workRule: WorkRule?

  public init(
    _ name: String, _ parameters: [Parameter], isPure: Bool = true, work: WorkRule? = nil,
    outputTypes: @escaping TypeRule
  ) {
    self.name = name
    self.parameters = parameters
    self.isPure = isPure
    self.workRule = work
    self.outputTypes = outputTypes
  }

  public func parameter(_ name: String) -> Parameter? { parameters.first { $0.name == name } }

  /// Arithmetic and traffic of one execution; by default one operation an output element.
  public func work(_ invocation: Invocation, outputs: [ValueType]) -> Work {
    let elements = outputs.reduce(0) { $0 + ($1.tensor?.elementCount ?? 0) }
    var work = workRule?(invocation, outputs) ?? Work(flops: Double(elements))
    if work.bytes == 0 {
      let inputs = invocation.inputTypes.values.joined().reduce(0) { $0 + ($1.tensor?.byteCount ?? 0) }
      work.bytes = Double(inputs + outputs.reduce(0) { $0 + ($1.tensor?.byteCount ?? 0) })
    }
    return work
  }
}

/// A parameter of an operation, as coremltools' op documentation names it.
public struct Parameter: Sendable {
  public let name: String
  public let isOptional: Bool
  /// Takes any number of bindings (`values` of `concat`).
  public let isVariadic: Bool

  /// A required parameter.
  public static func required(_ name: String) -> Parameter {
    Parameter(name: name, isOptional: false, isVariadic: false)
  }
  public static func optional(_ name: String) -> Parameter {
    Parameter(name: name, isOptional: true, isVariadic: false)
  }
  public static func variadic(_ name: String) -> Parameter {
    Parameter(name: name, isOptional: false, isVariadic: true)
  }
}

/// What one execution costs any device: arithmetic operations and bytes moved.
public struct Work: Sendable {
  public var flops: Double
  public var bytes: Double

  public init(flops: Double, bytes: Double = 0) {
    self.flops = flops
    self.bytes = bytes
  }
}
