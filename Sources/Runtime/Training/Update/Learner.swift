import CoreMLImport

/// What an update task drives, a mini-batch at a time.
protocol Learner: AnyObject {
  /// Takes one step on examples of `data`, which are at least one; gives their mean loss before the step, or nil where nothing is minimised.
  func learn(_ examples: ArraySlice<Int>, of data: any MLBatchProvider, _ values: UpdateValues) throws -> Double?
  /// Throws where what was learnt is not finite: no example was tried with what the last step made.
  func checkFinite() throws
  /// The model as it stands now, complete: what predicts, and what is written.
  func current() throws -> ImportedModel
  /// Makes the model as it stands now, whenever that is asked for.
  func currentLater() throws -> () throws -> ImportedModel
}

extension Learner {
  func currentLater() throws -> () throws -> ImportedModel {
    let model = try current()
    return { model }
  }
}
