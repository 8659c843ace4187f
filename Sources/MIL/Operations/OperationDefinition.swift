/// The definition of one operation: its parameters and output types. This module does not compute operations.
///
/// To add an operation, add its definition to the array of its family's file. Nothing else in this module changes.
package struct OperationDefinition: Sendable {
  /// Computes the output types from the input types and all known values. If all input types are concrete and all
  /// values known, the result must be concrete. Otherwise sizes may be unknown. A rule must not trap.
  package typealias TypeRule = @Sendable (Invocation) throws -> [ValueType]
  package typealias WorkRule = @Sendable (Invocation, [ValueType]) -> Work

  package let name: String
  package let parameters: [Parameter]
  /// Whether equal inputs give equal outputs, without side effects. Pure operations may be folded, shared or removed.
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

  /// The arithmetic and memory traffic of one execution. The default is one operation per output element.
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

/// A parameter of an operation, with the name from coremltools' documentation.
package struct Parameter: Sendable {
  package let name: String
  package let isOptional: Bool
  /// Whether it accepts any number of bindings (`values` of `concat`).
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

/// The cost of one execution on any device: arithmetic operations and bytes moved.
package struct Work: Sendable {
  package var flops: Double
  package var bytes: Double

  package init(flops: Double, bytes: Double = 0) {
    self.flops = flops
    self.bytes = bytes
  }
}
