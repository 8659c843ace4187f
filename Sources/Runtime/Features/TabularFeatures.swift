import CoreMLBase
import CoreMLExecution
import CoreMLImport
import MIL

/// Predictions of models of rows, such as classical ones and small networks: features go straight to where kernels read them, and are made
/// of what kernels wrote. Whatever is unusual (a feature that is missing, an array of another shape, an error) is left to `Prediction`.
final class TabularFeatures: @unchecked Sendable {  // never changed
  let runner: TabularRunner
  let readers: [TabularReader]
  let writers: [TabularWriter]

  /// Nil for a model that is none of rows.
  ///
  /// - Throws: where that was not found out; see `Engine.rows`.
  init?(
    _ engine: Engine, _ description: MLModelDescription, _ interface: ModelInterface,
    _ bindings: [String: OutputBinding]
  ) throws {
    guard let runner = try engine.rows() else { return nil }
    let labels = description.placesOfLabels
    readers = runner.inputs.compactMap { TabularReader($0, description.inputDescriptionsByName[$0.feature], interface) }
    writers = runner.outputs.compactMap {
      TabularWriter($0, runner.outputTypes[$0.output], bindings[$0.feature], labels)
    }
    guard readers.count == runner.inputs.count, writers.count == runner.outputs.count else { return nil }
    self.runner = runner
  }

  /// One row; nil where it is not for this.
  func prediction(from input: any MLFeatureProvider, _ options: MLPredictionOptions) throws -> (any MLFeatureProvider)?
  {
    guard let session = runner.session(rows: 1) else { return nil }
    return try run(session, fill: { fill(session, row: 0, input) }) {
      try result(session, row: 0, options.outputBackings)
    }
  }

  /// Takes the session and gives it back, but for one whose run failed: that is not used again.
  func run<Result>(_ session: TabularSession, fill: () -> Bool, read: () throws -> Result) throws -> Result? {
    guard fill() else {
      runner.give(session)
      return nil
    }
    guard (try? session.run()) != nil else {
      runner.give(nil)
      return nil
    }
    defer { runner.give(session) }
    return try read()
  }

  /// Rows that are predicted together.
  private static let sizes = [512, 32]
  /// Fewer are not worth it.
  private static let least = 12

  /// How many of the rows that are left to predict together.
  private func size(_ left: Int, _ isTogether: Bool) -> Int {
    left < Self.least || !isTogether ? 1 : Self.sizes.first { $0 <= 2 * left } ?? Self.sizes.last ?? 1
  }

  /// Every row, in groups; `single` predicts those of a group that is not for this.
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
      // After all that would have the loop start again: a provider may have each row once only.
      let rows = (0..<min(size, left)).map { batch.features(at: results.count + $0) }
      if let session {
        if let made = try together(rows, session) {
          results += made
          continue
        }
      }
      for row in rows { results.append(try single(row)) }
    }
    return results
  }

  private func together(
    _ rows: [any MLFeatureProvider], _ session: TabularSession
  ) throws -> [any MLFeatureProvider]? {
    try run(session) {
      for (row, features) in rows.enumerated() where !fill(session, row: row, features) { return false }
      pad(session, rows.count)
      return true
    } read: {
      try rows.indices.map { try result(session, row: $0, [:]) }
    }
  }

  /// What is left of a group is its first row again.
  private func pad(_ session: TabularSession, _ rows: Int) {
    for (reader, memory) in zip(readers, session.inputs) {
      for row in rows..<max(session.rows, rows) {
        (memory + row * reader.byteCount).copyMemory(from: memory, byteCount: reader.byteCount)
      }
    }
  }

  // MARK: columns

  /// Rows from columns into columns, in groups or one by one: how many were done from the first on. What is left is not for this.
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
      let isDone = try run(session) {
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
