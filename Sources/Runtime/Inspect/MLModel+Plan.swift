import CoreMLExecution

extension MLModel {
  /// The plan of a prediction with these features, or the plan for the declared shapes without features (see
  /// `ModelInspection.plan`). The plan is cached in the model and reused by predictions.
  package func plan(for input: (any MLFeatureProvider)?) throws -> PlanReport {
    try MLModelError.wrapping(.generic) {
      let types =
        try input.map { try Prediction(content).values(of: $0, for: engine).compactMapValues { $0.tensor?.type } }
        ?? engine.declaredTypes(modelDescription, content.interface)
      return PlanReport(try engine.plan(for: types), function: try functionName)
    }
  }
}
