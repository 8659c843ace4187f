import CoreMLExecution

extension MLModel {
  /// The plan that a prediction of these features runs, or without any the one for the declared shapes (see
  /// `ModelInspection.plan`). It is the model's own: what is planned here is not planned again.
  package func plan(for input: (any MLFeatureProvider)?) throws -> PlanReport {
    try MLModelError.wrapping(.generic) {
      let types =
        try input.map { try Prediction(content).values(of: $0, for: engine).compactMapValues { $0.tensor?.type } }
        ?? engine.declaredTypes(modelDescription, content.interface)
      return PlanReport(try engine.plan(for: types), function: try functionName)
    }
  }
}
