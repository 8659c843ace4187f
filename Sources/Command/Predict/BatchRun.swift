import CoreML
import FeatureFiles
import Foundation

/// Predicts the rows of a batch in order and writes each result as soon as it is ready.
struct BatchRun {
  private let options: Predict
  private var predictor: Predictor
  private let rows: any BatchRows
  private let common: CommonFeatures
  private let limit: TimeLimit
  private let state: PredictionState
  private let model: @Sendable () throws -> String
  private let reader: FeatureReader

  /// - Parameters:
  ///   - state: The state that each row begins with.
  ///   - model: Returns the model's digest.
  ///   - single: Loads the model with one thread per prediction; nil if that is impossible.
  init(
    _ options: Predict, _ predictor: Predictor, _ rows: any BatchRows, _ reader: FeatureReader,
    common: CommonFeatures, state: PredictionState, limit: TimeLimit,
    model: @escaping @Sendable () throws -> String,
    single: (() throws -> MLModel)?
  ) {
    self.options = options
    self.predictor = predictor
    self.rows = rows
    self.reader = reader
    self.common = common
    self.limit = limit
    self.state = state
    self.model = model
    // With enough rows, concurrent predictions with one thread each have the higher throughput.
    if let width = pipelineWidth, rows.count >= 2 * width, let model = try? single?() {
      self.predictor = Predictor(model, limit: limit, statistics: predictor.statistics)
    }
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
    let done = mine.indices.reduce(0) { $0 + (sink.isDone($1) ? 1 : 0) }
    var progress = Progress(
      done: done, failed: sink.failedBefore,
      // A bar and rows on the same terminal would overwrite each other.
      bar: ProgressBar(
        "Predicting", total: mine.count, before: expected == nil ? done : 0,
        isShown: options.output.first != nil || !Console.outputIsTerminal))
    progress.bar.remark { [statistics = predictor.statistics] in
      statistics.slowest.map { "mostly \($0.doing)" } ?? ""
    }
    do {
      if let expected {
        try compared(sink, expected, comparison, &progress)
      } else if isPlain,
        let blocks = BlockBatch(
          rows, sink, predictor.model, predictor.statistics, common: common.all, width: availableWidth)
      {
        try blocks.run(from: done) { place in
          try predict([place], sink, &progress)
        } done: { places in
          progress.add(places.count)
          if Console.noise == .verbose { places.forEach { tell($0, mine) } }
        }
      } else {
        let places = mine.indices.lazy.filter { !sink.isDone($0) }
        if let width = pipelineWidth {
          try piped(places, width, sink, &progress)
        } else {
          try grouped(places) { try predict($0, sink, &progress) }
        }
      }
    } catch {
      // Completed rows are kept if the run ends here.
      try? sink.flush()
      if Interruption.shared.signal != nil {
        Console.complain("interrupted: \(progress.done) of \(mine.count) rows are done; \(sink.remains)")
      }
      throw error
    }
    let (failed, firstFailure, lines) = (progress.failed, progress.firstFailure, progress.lines)
    try sink.finish()
    if failed > 0 {
      let outcome = onError == .record ? "recorded" : "left out"
      let sentence = "\(failed) of \(mine.count) rows failed and were \(outcome)"
      // If all rows failed the run failed, unless the user set the number of failures that is acceptable.
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

  /// The progress of a run.
  private struct Progress {
    var done: Int
    var failed: Int
    let bar: ProgressBar
    var firstFailure: Failure?
    var lines: [Comparison.Line] = []

    /// Counts completed rows.
    mutating func add(_ rows: Int) {
      done += rows
      bar.advance(by: rows)
    }
  }

  /// Whether rows are independent of each other, and predictions depend only on the model.
  private var isPlain: Bool {
    if case .stateless = state { return !predictor.isManaged }
    return false
  }

  /// How many rows to read and predict concurrently; nil for one after the other. Only for pictures, which take as long
  /// to read as to predict.
  private var pipelineWidth: Int? {
    guard isPlain, reader.takesImages, options.rowsTogether == 1, options.compare == nil,
      rows.count > 1
    else { return nil }
    return availableWidth > 1 ? availableWidth : nil
  }

  private var availableWidth: Int {
    let processors = ProcessInfo.processInfo.activeProcessorCount
    return max(min(options.device.threads ?? processors, processors, Self.widest), 1)
  }

  /// Each concurrent row takes its own memory.
  private static let widest = 8

  /// Predicts several rows concurrently and writes their outcomes in order.
  private func piped(
    _ places: some Sequence<Int>, _ width: Int, _ sink: BatchSink, _ progress: inout Progress
  ) throws {
    let mine = sink.batch.places
    predictor.statistics.begin(width: width)
    let pipeline = RowPipeline<Int, [Outcome]>(width: width) { place in try outcomes([mine[place]]) }
    try pipeline.run(places, prepare: { sink.willRead($0) }) { place, outcome in
      var rows = Result(catching: outcome)
      if isOutOfMemory(rows) {
        // The row may fit while no other row runs.
        rows = Result { try pipeline.alone { try outcomes([mine[place]]) } }
      }
      for row in try rows.get() { try write(row, at: place, sink, &progress) }
    }
  }

  /// Whether a row failed for lack of memory.
  private func isOutOfMemory(_ rows: Result<[Outcome], any Error>) -> Bool {
    switch rows {
    case .success(let outcomes):
      outcomes.contains { if case .failure(let failure) = $0 { failure.status == .temporary } else { false } }
    case .failure(let error): !(error is CancellationError) && Failure(error).status == .temporary
    }
  }

  /// Passes on rows in groups of `rowsTogether`.
  private func grouped(_ places: some Sequence<Int>, _ body: ([Int]) throws -> Void) throws {
    var group: [Int] = []
    for place in places {
      group.append(place)
      guard group.count == options.rowsTogether else { continue }
      try Interruption.shared.check()
      try body(group)
      group = []
    }
    try Interruption.shared.check()
    if !group.isEmpty { try body(group) }
  }

  private func tell(_ place: Int, _ mine: RowPlaces) {
    Console.detail("row \(mine[place] + 1) (\(rows.name(mine[place]))) is done")
  }

  /// Predicts rows and writes their outcomes.
  private func predict(_ places: [Int], _ sink: BatchSink, _ progress: inout Progress) throws {
    let mine = sink.batch.places
    for place in places { sink.willRead(place) }
    for (place, outcome) in zip(places, try outcomes(places.map { mine[$0] })) {
      try write(outcome, at: place, sink, &progress)
    }
  }

  /// Writes the outcome of a row.
  private func write(_ outcome: Outcome, at place: Int, _ sink: BatchSink, _ progress: inout Progress) throws {
    try predictor.statistics.measure(.write) {
      switch outcome {
      case .result(let result): try sink.write(result, at: place)
      case .failure(let failure): try write(failure, at: place, sink, &progress)
      }
    }
    progress.add(1)
    tell(place, sink.batch.places)
  }

  private func write(_ failure: Failure, at place: Int, _ sink: BatchSink, _ progress: inout Progress) throws {
    progress.failed += 1
    progress.firstFailure = progress.firstFailure ?? failure
    if onError == .record {
      try sink.write(failure: failure.sentence, at: place)
    } else {
      try sink.skip(at: place)
    }
  }

  /// Predicts every row, including those of earlier runs, and compares the results. Rows of earlier runs are not
  /// written again.
  private func compared(
    _ sink: BatchSink, _ expected: ExpectedRows, _ comparison: Comparison, _ progress: inout Progress
  ) throws {
    let mine = sink.batch.places
    for place in mine.indices where sink.isDone(place) && !sink.hasResult(place) {
      let (name, title) = (rows.name(mine[place]), rows.title(mine[place]))
      guard let wanted = try expected.expectedIfAny(name, title, comparison) else { continue }
      progress.lines += comparison.lines(failure: "in an earlier run", row: name, expected: wanted)
    }
    let places = mine.indices.lazy.filter { !sink.isDone($0) || sink.hasResult($0) }
    try grouped(places) { group in
      for place in group where !sink.isDone(place) { sink.willRead(place) }
      for (place, outcome) in zip(group, try outcomes(group.map { mine[$0] })) {
        let (name, title) = (rows.name(mine[place]), rows.title(mine[place]))
        let isDone = sink.isDone(place)
        switch outcome {
        case .result(let result):
          let wanted = try expected.expected(name, title, comparison)
          do { progress.lines += try comparison.lines(of: result, row: name, expected: wanted) } catch {
            let failure = Failure(error)
            throw Failure(
              failure.status, "\(options.compare ?? ""), the row \(ExpectedRows.text(title)): \(failure.sentence)")
          }
          if !isDone { try sink.write(result, at: place) }
        case .failure(let failure):
          guard !isDone else {
            throw Failure(failure.status, "row \(mine[place] + 1) was predicted, and fails now: \(failure.sentence)")
          }
          if let wanted = try expected.expectedIfAny(name, title, comparison) {
            progress.lines += comparison.lines(failure: failure.sentence, row: name, expected: wanted)
          }
          try write(failure, at: place, sink, &progress)
        }
        progress.bar.advance()
        guard !isDone else { continue }
        progress.done += 1
        tell(place, mine)
      }
    }
  }

  private func outcomes(_ indices: [Int]) throws -> [Outcome] {
    // A group is predicted as one batch if every row of it is valid. Otherwise each row runs alone, so that it gets its
    // own error. A group takes no state.
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
    try ResultAdmission.admit(result, to: options.output, isCompared: options.compare != nil)
  }

  private func features(_ index: Int) throws -> [String: MLFeatureValue] {
    try predictor.statistics.measure(.read) {
      try common.with(limit.reading("row \(index + 1)") { try rows.features(index) })
    }
  }

  private var onError: Predict.OnError { options.onError ?? .stop }

  /// A setting, with the digest of the picture that it names.
  private func setting(_ text: String) -> String {
    guard let equals = text.firstIndex(of: "="), reader.isImage(String(text[..<equals])) else { return text }
    let path = String(text[text.index(after: equals)...])
    return "\(text) (\(Fingerprint.digest(ofFileAt: path) ?? "absent"))"
  }

  /// What results depend on besides the rows. Devices and threads are left out: they change rounding at most.
  private func beginning() throws -> RunRecord.Beginning {
    var beginning = ["the model": try model(), "the form of the record": "5"]
    if let heading = rows.heading { beginning["the first line of the table"] = heading }
    if let function = options.device.function { beginning["--function"] = function }
    if let topK = options.topK { beginning["--top-k"] = "\(topK)" }
    if let columns = options.table.columns { beginning["--columns"] = columns }
    if let kept = options.table.keepColumns { beginning["--keep-columns"] = kept }
    beginning.merge(options.pictures.told) { $1 }
    // The mode decides whether the table has an error column.
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
        var file = Fingerprint()
        file.append(row: "", at: path, reader)
        files.append(file.text)
      }
      beginning["a file of --input"] = files.text
    }
    return beginning
  }
}
