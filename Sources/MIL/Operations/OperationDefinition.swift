/// One operation of the language: what it takes and what it gives. How it is computed is no concern of this module.
///
/// To add an operation, add its definition to the array of its family's file; nothing else in this module changes.
package struct OperationDefinition: Sendable {
  /// Gives the output types from the input types and whatever values are known. With concrete input types and every
  /// value known it must give concrete types; with less it may leave sizes unknown, and never traps.
  package typealias TypeRule = @Sendable (Invocation) throws -> [ValueType]
  package typealias WorkRule = @Sendable (Invocation, [ValueType]) -> Work

  package let name: String
  package let parameters: [Parameter]
  /// The same inputs give the same outputs and nothing else changes: it may be folded, shared or dropped.
  package let isPure: Bool
  package let outputTypes: TypeRule
  private let workRule: WorkRule?

  package init(
    _ name: String, _ parameters: [Parameter], isPure: Bool = true, work: WorkRule? = nil,
    outputTypes: @escaping TypeRule
  ) {
    self.name = name
    self.parameters = parameters
    self.isPure = isPure
    self.workRule = work
    self.outputTypes = outputTypes
  }

  package func parameter(_ name: String) -> Parameter? { parameters.first { $0.name == name } }

  /// Arithmetic and traffic of one execution; by default one operation an output element.
  package func work(_ invocation: Invocation, outputs: [ValueType]) -> Work {
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
package struct Parameter: Sendable {
  package let name: String
  package let isOptional: Bool
  /// Takes any number of bindings (`values` of `concat`).
  package let isVariadic: Bool

  /// A required parameter.
  package static func required(_ name: String) -> Parameter {
    Parameter(name: name, isOptional: false, isVariadic: false)
  }
  package static func optional(_ name: String) -> Parameter {
    Parameter(name: name, isOptional: true, isVariadic: false)
  }
  package static func variadic(_ name: String) -> Parameter {
    Parameter(name: name, isOptional: false, isVariadic: true)
  }
}

/// What one execution costs any device: arithmetic operations and bytes moved.
package struct Work: Sendable {
  package var flops: Double
  package var bytes: Double

  package init(flops: Double, bytes: Double = 0) {
    self.flops = flops
    self.bytes = bytes
  }
}
