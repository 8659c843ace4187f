import CoreMLImport

/// A training algorithm. An update task calls it for each mini-batch.
protocol Learner: AnyObject {
  /// Performs one step on at least one example of `data`. Returns the mean loss before the step, or nil if there is no
  /// loss.
  func learn(_ examples: ArraySlice<Int>, of data: any MLBatchProvider, _ values: UpdateValues) throws -> Double?
  /// Throws if a trained value is not finite. No example was computed with the result of the last step, so `learn`
  /// cannot detect that.
  func checkFinite() throws
  /// The complete model with the current parameters, for predictions and for writing.
  func current() throws -> ImportedModel
  /// Returns a closure that creates the model with the current parameters on demand.
  func currentLater() throws -> () throws -> ImportedModel
}

extension Learner {
  func currentLater() throws -> () throws -> ImportedModel {
    let model = try current()
    return { model }
  }
}
