import CoreML
import FeatureFiles
import Foundation

/// Predicts the rows of a batch in order and hands each result on as it comes.
struct BatchRun {
  private let options: Predict
  private let predictor: Predictor
  private let rows: any BatchRows
  private let common: [String: MLFeatureValue]
  private let limit: TimeLimit
  private let state: RowState
  private let model: @Sendable () throws -> String

  /// - Parameters:
  ///   - state: what each row begins with.
  ///   - model: tells the model's digest.
  init(
    _ options: Predict, _ predictor: Predictor, _ rows: any BatchRows, common: [String: MLFeatureValue],
    state: RowState, limit: TimeLimit, model: @escaping @Sendable () throws -> String
  ) {
    self.options = options
    self.predictor = predictor
    self.rows = rows
    self.common = common
    self.limit = limit
    self.state = state
    self.model = model
  }

  private enum Outcome {
    case result(any MLFeatureProvider)
    case failure(Failure)
  }

  func run() throws {
    let mine = RowPlaces(rows.count, share: options.shard)
    let batch = BatchSink.Batch(
      rows: rows, places: mine, share: options.shard,
      outputs: predictor.model.modelDescription.outputDescriptionsByName, keep: options.topK, resume: options.resume,
      recordsFailures: options.onError == .record, kept: try options.table.kept(), beginning: beginning)
    let expected = try options.compare.map { path in
      try limit.reading("what is expected") { try ExpectedRows(path, key: batch.key, without: batch.kept) }
    }
    let sink = try BatchSink.open(options.output.first, batch)
    let comparison = Comparison(rtol: options.rtol, atol: options.atol)
    var lines: [Comparison.Line] = []
    var left = IndexSet()
    for place in mine.indices where !sink.isDone(place) { left.insert(place) }
    var (failed, done) = (sink.failedBefore, mine.count - left.count)
    // A bar and rows on the same terminal would overwrite each other.
    let progress = ProgressBar(
      "Predicting", total: mine.count, before: done, isShown: options.output.first != nil || !Console.outputIsTerminal)
    var next = left.makeIterator()
    do {
      while true {
        try Interruption.shared.check()
        var group: [Int] = []
        while group.count < options.batchSize, let place = next.next() { group.append(place) }
        if group.isEmpty { break }
        for (place, outcome) in zip(group, try outcomes(group.map { mine[$0] })) {
          switch outcome {
          case .result(let result):
            if let expected {
              let (name, title) = (rows.name(mine[place]), rows.title(mine[place]))
              lines += try comparison.lines(
                of: result, row: name, expected: expected.expected(name, title, comparison))
            }
            try sink.write(result, at: place)
          case .failure(let failure):
            failed += 1
            if options.onError == .record {
              try sink.write(failure: failure.sentence, at: place)
            } else {
              try sink.skip(at: place)
            }
          }
          done += 1
          Console.detail("row \(mine[place] + 1) (\(rows.name(mine[place]))) is done")
          progress.advance()
        }
      }
    } catch {
      if Interruption.shared.signal != nil {
        Console.complain("interrupted: \(done) of \(mine.count) rows are done; \(sink.remains)")
      }
      throw error
    }
    try sink.finish()
    if failed > 0 {
      let outcome = options.onError == .record ? "recorded" : "left out"
      Console.complain("\(failed) of \(mine.count) rows failed and were \(outcome)")
    }
    if options.compare != nil { try comparison.report(lines, json: options.json) }
    if let most = options.maxFailures, failed > most { throw Failure.negative }
  }

  private func outcomes(_ indices: [Int]) throws -> [Outcome] {
    // A group goes together where every row of it is sound; otherwise each row finds its own error. A group takes no state.
    if indices.count > 1, case .stateless = state, let features = try? indices.map({ try self.features($0) }),
      let results = try? predictor.predict(features), results.count == indices.count
    {
      return results.map { .result($0) }
    }
    return try indices.map { index in
      try Interruption.shared.check()
      do {
        return .result(try predictor.predict(features(index), state))
      } catch {
        let failure = Failure(error)
        if options.onError == .stop || Interruption.shared.signal != nil || error is CancellationError {
          throw Failure(failure.status, "row \(index + 1) (\(rows.name(index))): \(failure.sentence)")
        }
        return .failure(failure)
      }
    }
  }

  private func features(_ index: Int) throws -> [String: MLFeatureValue] {
    common.merging(try limit.reading("row \(index + 1)") { try rows.features(index) }) { $1 }
  }

  /// What results depend on beside the rows. Devices and threads change digits at most.
  private func beginning() throws -> RunRecord.Beginning {
    var beginning = ["the model": try model()]
    if let function = options.device.function { beginning["--function"] = function }
    if let topK = options.topK { beginning["--top-k"] = "\(topK)" }
    if let columns = options.table.columns { beginning["--columns"] = columns }
    if let kept = options.table.keepColumns { beginning["--keep-columns"] = kept }
    beginning.merge(options.pictures.told) { $1 }
    // It is a column of a table.
    if options.output.first.map({ URL(filePath: $0).pathExtension.lowercased().isTable }) == true {
      beginning["--on-error"] = options.onError.rawValue
    }
    if let shard = options.shard { beginning["--shard"] = "\(shard.index)/\(shard.count)" }
    if !options.set.isEmpty { beginning["--set"] = options.set.joined(separator: " ") }
    if !options.input.isEmpty {
      var files = Fingerprint()
      for input in options.input {
        let (name, path) = FeatureReader.split(input)
        files.append(name ?? "")
        files.append(fileAt: path)
      }
      beginning["a file of --input"] = files.text
    }
    return beginning
  }
}
