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
  private let reader: FeatureReader

  /// - Parameters:
  ///   - state: what each row begins with.
  ///   - model: tells the model's digest.
  init(
    _ options: Predict, _ predictor: Predictor, _ rows: any BatchRows, _ reader: FeatureReader,
    common: [String: MLFeatureValue], state: RowState, limit: TimeLimit, model: @escaping @Sendable () throws -> String
  ) {
    self.options = options
    self.predictor = predictor
    self.rows = rows
    self.reader = reader
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
      recordsFailures: onError == .record, kept: try options.table.kept(), beginning: beginning)
    let expected = try options.compare.map { path in
      try limit.reading("what is expected") {
        try ExpectedRows(path, key: batch.key, batch.outputs, without: batch.kept)
      }
    }
    let sink = try BatchSink.open(options.output.first, batch)
    let comparison = Comparison(rtol: options.rtol, atol: options.atol)
    var lines: [Comparison.Line] = []
    // A comparison is of every row: rows of earlier runs are predicted again for it, and are not written again.
    var (left, again, done) = (IndexSet(), IndexSet(), 0)
    var failedBefore: [Int] = []
    for place in mine.indices {
      let isDone = sink.isDone(place)
      if isDone { done += 1 }
      if !isDone || expected != nil && sink.hasResult(place) { left.insert(place) }
      if isDone { again.insert(place) }
      if isDone && expected != nil && !sink.hasResult(place) { failedBefore.append(place) }
    }
    if let expected {
      for place in failedBefore {
        let (name, title) = (rows.name(mine[place]), rows.title(mine[place]))
        guard let wanted = try expected.expectedIfAny(name, title, comparison) else { continue }
        lines += comparison.lines(failure: "in an earlier run", row: name, expected: wanted)
      }
    }
    var failed = sink.failedBefore
    var firstFailure: Failure?
    // A bar and rows on the same terminal would overwrite each other.
    let progress = ProgressBar(
      "Predicting", total: mine.count, before: mine.count - left.count,
      isShown: options.output.first != nil || !Console.outputIsTerminal)
    var next = left.makeIterator()
    do {
      while true {
        try Interruption.shared.check()
        var group: [Int] = []
        while group.count < options.rowsTogether, let place = next.next() { group.append(place) }
        if group.isEmpty { break }
        for place in group where !again.contains(place) { sink.willRead(place) }
        for (place, outcome) in zip(group, try outcomes(group.map { mine[$0] })) {
          progress.advance()
          switch outcome {
          case .result(let result):
            if let expected {
              let (name, title) = (rows.name(mine[place]), rows.title(mine[place]))
              let wanted = try expected.expected(name, title, comparison)
              do { lines += try comparison.lines(of: result, row: name, expected: wanted) } catch {
                let failure = Failure(error)
                throw Failure(
                  failure.status, "\(options.compare ?? ""), the row \(ExpectedRows.text(title)): \(failure.sentence)")
              }
            }
            if !again.contains(place) { try sink.write(result, at: place) }
          case .failure(let failure):
            guard !again.contains(place) else {
              throw Failure(failure.status, "row \(mine[place] + 1) was predicted, and fails now: \(failure.sentence)")
            }
            let (name, title) = (rows.name(mine[place]), rows.title(mine[place]))
            if let wanted = try expected?.expectedIfAny(name, title, comparison) {
              lines += comparison.lines(failure: failure.sentence, row: name, expected: wanted)
            }
            failed += 1
            firstFailure = firstFailure ?? failure
            if onError == .record {
              try sink.write(failure: failure.sentence, at: place)
            } else {
              try sink.skip(at: place)
            }
          }
          guard !again.contains(place) else { continue }
          done += 1
          Console.detail("row \(mine[place] + 1) (\(rows.name(mine[place]))) is done")
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
      let outcome = onError == .record ? "recorded" : "left out"
      let sentence = "\(failed) of \(mine.count) rows failed and were \(outcome)"
      // Where nothing came of it, rows that fail are no exception. Who sets a number of failures has said what ends well.
      guard failed < mine.count || options.maxFailures != nil else {
        throw Failure(.data, firstFailure.map { "\(sentence): \($0.sentence)" } ?? sentence)
      }
      Console.complain(sentence)
    }
    if let expected, let path = options.compare {
      if options.shard == nil, let count = expected.count(without: (0..<rows.count).lazy.map { rows.title($0) }),
        count > 0
      {
        Console.complain("\(path): \(count) rows are expected there that the batch does not have")
      }
      try comparison.report(lines, json: options.json)
    }
    if let most = options.maxFailures, failed > most { throw Failure.negative }
  }

  private func outcomes(_ indices: [Int]) throws -> [Outcome] {
    // A group goes together where every row of it is sound; otherwise each row finds its own error. A group takes no state.
    if indices.count > 1, case .stateless = state, let features = try? indices.map({ try self.features($0) }),
      let results = try? predictor.predict(features), results.count == indices.count,
      (try? results.forEach(admit)) != nil
    {
      return results.map { .result($0) }
    }
    return try indices.map { index in
      try Interruption.shared.check()
      do {
        let result = try predictor.predict(features(index), state)
        try admit(result)
        return .result(result)
      } catch {
        let failure = Failure(error)
        if onError == .stop || Interruption.shared.signal != nil || error is CancellationError {
          throw Failure(failure.status, "row \(index + 1) (\(rows.name(index))): \(failure.sentence)")
        }
        return .failure(failure)
      }
    }
  }

  private func admit(_ result: any MLFeatureProvider) throws {
    try ResultMemory.admit(result, to: options.output, isCompared: options.compare != nil)
  }

  private func features(_ index: Int) throws -> [String: MLFeatureValue] {
    common.merging(try limit.reading("row \(index + 1)") { try rows.features(index) }) { $1 }
  }

  private var onError: Predict.OnError { options.onError ?? .stop }

  /// A setting, with the digest of the picture that it names.
  private func setting(_ text: String) -> String {
    guard let equals = text.firstIndex(of: "="), reader.isImage(String(text[..<equals])) else { return text }
    let path = String(text[text.index(after: equals)...])
    return "\(text) (\(Fingerprint.digest(ofFileAt: path) ?? "absent"))"
  }

  /// What results depend on beside the rows. Devices and threads change digits at most.
  private func beginning() throws -> RunRecord.Beginning {
    var beginning = ["the model": try model(), "the form of the record": "2"]
    if let function = options.device.function { beginning["--function"] = function }
    if let topK = options.topK { beginning["--top-k"] = "\(topK)" }
    if let columns = options.table.columns { beginning["--columns"] = columns }
    if let kept = options.table.keepColumns { beginning["--keep-columns"] = kept }
    beginning.merge(options.pictures.told) { $1 }
    // It is a column of a table.
    if options.output.first.map({ URL(filePath: $0).pathExtension.lowercased().isTable }) == true {
      beginning["--on-error"] = onError.rawValue
    }
    if let shard = options.shard { beginning["--shard"] = "\(shard.index)/\(shard.count)" }
    if !options.set.isEmpty { beginning["--set"] = options.set.map(setting).joined(separator: "\n") }
    if !options.input.isEmpty {
      var files = Fingerprint()
      for input in options.input {
        let (name, path) = FeatureReader.split(input)
        files.append(name ?? "")
        if options.resume, path == StandardInput.path || StandardInput.isStream(path) {
          throw Failure(.usage, "--resume: what --input \(path) gave an earlier run is not known; name a file")
        }
        files.append(Fingerprint(row: "", at: path, reader).text)
      }
      beginning["a file of --input"] = files.text
    }
    return beginning
  }
}
