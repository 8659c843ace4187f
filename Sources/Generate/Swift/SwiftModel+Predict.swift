/// The prediction methods.
extension SwiftModel {
  private var input: String { context.classes.input }
  private var output: String { context.classes.output }

  func states(_ code: inout CodeWriter) {
    let states = context.function.states
    guard !states.isEmpty else { return }
    code.line()
    code.document("A state at its beginning:")
    for state in states { code.document("- \(state.sentence)") }
    code.available(.states, in: context.version)
    code.block("\(access)func makeState() -> MLState") { $0.line("self.model.makeState()") }
    structured("using state: MLState", "using: state", "a state, which it changes", .states, &code)
  }

  func predictions(_ code: inout CodeWriter) {
    structured(nil, nil, nil, .predictingInBackground, &code)
    for form in [SwiftParameters.Form.values, .shapedArrays] {
      let parameters = SwiftParameters(inputs, form)
      guard parameters.isOffered else { continue }
      convenience(parameters, &code)
    }
    code.line()
    code.document("Predicts many inputs at once; the outputs are in their order.")
    code.available(.images, in: context.version)
    code.block(
      "\(access)func predictions(inputs: [\(input)], options: MLPredictionOptions = MLPredictionOptions()) throws -> [\(output)]"
    ) { code in
      code.line("let batchIn = MLArrayBatchProvider(array: inputs)")
      code.line("let batchOut = try self.model.predictions(from: batchIn, options: options)")
      code.line("return (0..<batchOut.count).map { \(output)(features: batchOut.features(at: $0)) }")
    }
  }

  /// Predictions from an input object: plain, with options, and asynchronous.
  private func structured(
    _ parameter: String?, _ argument: String?, _ words: String?, _ background: SwiftAvailability.Member,
    _ code: inout CodeWriter
  ) {
    let more = parameter.map { ", \($0)" } ?? ""
    let handed = argument.map { ", \($0)" } ?? ""
    let with = words.map { " with \($0)" } ?? ""
    let member: SwiftAvailability.Member? = parameter == nil ? nil : background
    code.line()
    code.document("Predicts\(with).")
    if let member { code.available(member, in: context.version) }
    code.block("\(access)func prediction(input: \(input)\(more)) throws -> \(output)") { code in
      code.line("try self.prediction(input: input\(handed), options: MLPredictionOptions())")
    }
    code.line()
    code.document("Predicts\(with), with options.")
    if let member { code.available(member, in: context.version) }
    code.block(
      "\(access)func prediction(input: \(input)\(more), options: MLPredictionOptions) throws -> \(output)"
    ) { code in
      code.line("\(output)(features: try self.model.prediction(from: input\(handed), options: options))")
    }
    code.line()
    code.document("Predicts\(with) without blocking.")
    code.available(background, in: context.version)
    code.block(
      "\(access)func prediction(input: \(input)\(more), options: MLPredictionOptions = MLPredictionOptions()) async throws -> \(output)"
    ) { code in
      code.line("\(output)(features: try await self.model.prediction(from: input\(handed), options: options))")
    }
  }

  /// A prediction from separate inputs.
  private func convenience(_ parameters: SwiftParameters, _ code: inout CodeWriter) {
    code.line()
    code.guarded(parameters) { code in
      code.document("Predicts.")
      if !inputs.isEmpty {
        code.line("///")
        code.line("/// - Parameters:")
        for input in inputs {
          code.document("  - \(input.identifier): \(CommentText.line(input.feature.sentence))")
        }
      }
      if let member = parameters.availability(in: context.version) {
        code.available(member, in: context.version)
      }
      code.block("\(access)func prediction(\(parameters.declaration)) throws -> \(output)") { code in
        code.line("try self.prediction(input: \(input)(\(parameters.forwarded)))")
      }
    }
  }
}
