import CoreMLImport

/// What an update task drives, a mini-batch at a time.
protocol Learner: AnyObject {
  /// Takes one step on examples of `data`, which are at least one; gives their mean loss before the step, or nil where nothing is minimised.
  func learn(_ examples: ArraySlice<Int>, of data: any MLBatchProvider, _ values: UpdateValues) throws -> Double?
  /// The model as it stands now, complete: what predicts, and what is written.
  func current() throws -> ImportedModel
}
