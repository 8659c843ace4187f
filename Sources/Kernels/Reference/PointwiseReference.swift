import MIL

/// Evaluates each step with the reference of its operation.
enum PointwiseReference {
  static let all: [Reference] = [
    Reference("fused.pointwise") { call in
      let program = try PointwiseProgram(call.invocation)
      var found: [Value] = []
      for step in program.steps {
        let arguments = try step.arguments.map { argument in
          switch argument {
          case .value(let number): try call.value("values", number)
          case .step(let number): found[number]
          }
        }
        let own = program.invocation(of: step, call.invocation, arguments.map { ($0.type, $0) })
        guard let value = try References.evaluate(own).first else {
          throw call.invocation.error(.invalidType, "'\(step.operation)' gives nothing")
        }
        found.append(value)
      }
      return [found[found.count - 1]]
    }
  ]
}
