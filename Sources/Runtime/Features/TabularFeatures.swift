import CoreMLBase
import CoreMLExecution
import CoreMLImport
import MIL

/// The fast path for tabular models, for example classical models and small networks. It converts features directly to
/// kernel input memory and reads results directly from kernel output memory. Everything unusual (a missing feature, an
/// array of another shape, an error) is left to `Prediction`.
final class TabularFeatures: @unchecked Sendable {  // immutable
  let runner: TabularRunner
  let readers: [TabularReader]
  let writers: [TabularWriter]
  /// The time limit of a prediction in seconds.
  private let timeLimit: Double?

  /// Returns nil for a model that is not tabular.
  ///
  /// - Throws: the errors of `Engine.rows`, if it cannot determine whether the model is tabular.
  init?(
    _ engine: Engine, _ description: MLModelDescription, _ interface: ModelInterface,
    _ bindings: [String: OutputBinding], timeLimit: Double?
  ) throws {
    guard let runner = try engine.rows() else { return nil }
    let labels = description.placesOfLabels
    readers = runner.inputs.compactMap { TabularReader($0, description.inputDescriptionsByName[$0.feature], interface) }
    writers = runner.outputs.compactMap {
      TabularWriter($0, runner.outputTypes[$0.output], bindings[$0.feature], labels)
    }
    guard readers.count == runner.inputs.count, writers.count == runner.outputs.count else { return nil }
    (self.runner, self.timeLimit) = (runner, timeLimit)
  }

  /// Predicts one row; returns nil if the row needs the regular path.
  func prediction(from input: any MLFeatureProvider, _ options: MLPredictionOptions) throws -> (any MLFeatureProvider)?
  {
    guard let session = runner.session(rows: 1) else { return nil }
    var isTogether = false
    return try run(session, &isTogether, fill: { fill(session, row: 0, input) }) {
      try result(session, row: 0, options.outputBackings)
    }
  }

  /// How the run of a block ended.
  enum Outcome {
    case done
    /// Single predictions report the error.
    case failed
    /// The block took longer than one prediction may. Single predictions tell which row does.
    case overTime
  }

  /// Runs a block. All of its rows together get the time of one prediction, so that no row exceeds its limit unnoticed.
  func outcome(of session: TabularSession) -> Outcome {
    guard let timeLimit else { return (try? session.run()) != nil ? .done : .failed }
    let end = Cancellation(after: timeLimit)
    let isDone = (try? end.during { try session.run() }) != nil
    return isDone ? .done : end.isOverdue ? .overTime : .failed
  }

  /// Fills, runs and releases a session. A session whose run failed is not reused.
  ///
  /// - Parameter isTogether: becomes false if larger blocks would exceed the time limit.
  private func run<Result>(
    _ session: TabularSession, _ isTogether: inout Bool, fill: () -> Bool, read: () throws -> Result
  ) throws -> Result? {
    guard fill() else {
      runner.give(session)
      return nil
    }
    let outcome = outcome(of: session)
    guard case .done = outcome else {
      if case .overTime = outcome { isTogether = false }
      runner.give(nil)
      return nil
    }
    defer { runner.give(session) }
    return try read()
  }

  /// The block sizes in rows, largest first.
  private static let sizes = [512, 32]
  /// The minimum number of rows for which a block pays off.
  private static let least = 12

  /// The block size for the remaining rows.
  private func size(_ left: Int, _ isTogether: Bool) -> Int {
    left < Self.least || !isTogether ? 1 : Self.sizes.first { $0 <= 2 * left } ?? Self.sizes.last ?? 1
  }

  /// Predicts every row, in blocks. If a block cannot use the fast path, `single` predicts its rows one by one.
  func predictions(
    from batch: any MLBatchProvider, single: (any MLFeatureProvider) throws -> any MLFeatureProvider
  ) throws -> [any MLFeatureProvider] {
    var results: [any MLFeatureProvider] = []
    results.reserveCapacity(batch.count)
    var isTogether = true
    while results.count < batch.count {
      try Cancellation.check()
      let left = batch.count - results.count
      let size = size(left, isTogether)
      let session = size > 1 ? runner.session(rows: size) : nil
      guard size == 1 || session != nil else {
        isTogether = false
        continue
      }
      // The rows are read only after every check that restarts the loop, because a provider may be able to return each
      // row only once.
      let rows = (0..<min(size, left)).map { batch.features(at: results.count + $0) }
      if let session {
        if let made = try together(rows, session, &isTogether) {
          results += made
          continue
        }
      }
      for row in rows { results.append(try single(row)) }
    }
    return results
  }

  private func together(
    _ rows: [any MLFeatureProvider], _ session: TabularSession, _ isTogether: inout Bool
  ) throws -> [any MLFeatureProvider]? {
    try run(session, &isTogether) {
      for (row, features) in rows.enumerated() where !fill(session, row: row, features) { return false }
      pad(session, rows.count)
      return true
    } read: {
      try rows.indices.map { try result(session, row: $0, [:]) }
    }
  }

  /// Pads the rest of a block with its first row.
  private func pad(_ session: TabularSession, _ rows: Int) {
    for (reader, memory) in zip(readers, session.inputs) {
      for row in rows..<max(session.rows, rows) {
        (memory + row * reader.byteCount).copyMemory(from: memory, byteCount: reader.byteCount)
      }
    }
  }

  // MARK: columns

  /// Predicts rows from columns into columns, in blocks or one by one. Returns the number of rows predicted before the
  /// first one that needs the regular path.
  func predict(_ rows: Range<Int>, from inputs: [String: BatchColumn], into outputs: [BatchColumn]) throws -> Int {
    let columns = readers.compactMap { inputs[$0.input.feature] }
    let byFeature = Dictionary(writers.map { ($0.feature, $0) }, uniquingKeysWith: { first, _ in first })
    let targets = outputs.compactMap { column in byFeature[column.feature].map { (column, $0) } }
    guard columns.count == readers.count, targets.count == outputs.count else { return 0 }
    var (first, isTogether) = (rows.lowerBound, true)
    while first < rows.upperBound {
      try Cancellation.check()
      let size = size(rows.upperBound - first, isTogether)
      guard let session = runner.session(rows: size) else {
        if size == 1 { break }
        isTogether = false
        continue
      }
      let group = first..<min(first + size, rows.upperBound)
      let isDone = try run(session, &isTogether) {
        for index in readers.indices
        where !readers[index].read(columns[index], group, session.inputs[index]) { return false }
        pad(session, group.count)
        return true
      } read: {
        targets.allSatisfy { column, writer in writer.write(session.outputs[writer.output], column, group) }
      }
      guard isDone == true else { break }
      first = group.upperBound
    }
    return first - rows.lowerBound
  }

  private func fill(_ session: TabularSession, row: Int, _ features: any MLFeatureProvider) -> Bool {
    for index in readers.indices {
      guard readers[index].read(features, session.inputs[index] + row * readers[index].byteCount) else { return false }
    }
    return true
  }

  private func result(
    _ session: TabularSession, row: Int, _ backings: [String: Any]
  ) throws -> any MLFeatureProvider {
    var features: [String: MLFeatureValue] = [:]
    features.reserveCapacity(writers.count)
    for index in writers.indices {
      let name = writers[index].feature
      let source = session.outputs[writers[index].output] + row * writers[index].byteCount
      features[name] = try writers[index].feature(source, backing: backings.isEmpty ? nil : backings[name])
    }
    return MLDictionaryFeatureProvider(values: features)
  }
}
