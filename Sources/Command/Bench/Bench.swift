import ArgumentParser
import CoreML
import CoreMLBase
import CoreMLRuntime
import Foundation
import Synchronization

struct Bench: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "bench",
    abstract: "Measures latency, throughput, load time, memory and, with --profile, every operation.",
    discussion: """
      --interactive serves a harness that interleaves runtimes. After one prediction it prints {"ready": 1, "load_s": ..., "first_s": ..., \
      "err": ...}. For each line `run SECONDS MINITER` on standard input it predicts repeatedly and prints {"ms": [...]}. It ends on `quit` or \
      at the end of input. A stateful model keeps one state across the predictions of each thread, as in the steps of a decoder, unless \
      --fresh-state is given.
      """)

  @OptionGroup var model: ModelOptions
  @Option(help: ArgumentHelp("A file of features; made-up values by default.", valueName: "file"), completion: .file())
  var input: [String] = []
  @Option(
    parsing: .unconditional,
    help: "Predictions to measure; by default as many as fit into two seconds, but at least ten.")
  var iterations: Int?
  @OptionGroup var shapes: ShapeOptions
  @OptionGroup var states: StateOptions
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Warm-up predictions before the measurement, in addition to the first one.", valueName: "n"))
  var warmUp = 0
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "The longest time to measure without --iterations; at least one prediction is measured.",
      valueName: "seconds"))
  var seconds: Double?
  @Option(parsing: .unconditional, help: "Rows per batch prediction.")
  var batchSize = 1
  @Option(parsing: .unconditional, help: "Concurrent predictions.")
  var concurrency = 1
  @Flag(help: "Measure every operation.")
  var profile = false
  @Flag(help: "Serve a harness on standard input.")
  var interactive = false
  @Option(help: ArgumentHelp("Check the outputs against a file.", valueName: "file"), completion: .file())
  var compare: String?
  @OptionGroup var device: DeviceOptions
  @OptionGroup var key: KeyOptions
  @Flag(help: "Print JSON.")
  var json = false
  @Flag(help: "Do not keep the compiled model.")
  var noCache = false

  func validate() throws {
    if !(1...Predict.mostRowsTogether).contains(batchSize) {
      throw ValidationError("--batch-size is \(batchSize), expected 1 to \(Predict.mostRowsTogether)")
    }
    if let iterations, !(1...1_000_000_000).contains(iterations) {
      throw ValidationError("--iterations is \(iterations), expected 1 to 1000000000")
    }
    if !(0...1_000_000).contains(warmUp) { throw ValidationError("--warm-up is \(warmUp), expected 0 to 1000000") }
    if let seconds {
      guard seconds > 0, seconds <= 86_400 else {
        throw ValidationError("--seconds is \(seconds), expected more than 0 and at most a day")
      }
      if iterations != nil { throw ValidationError("--seconds and --iterations both say how long to measure") }
    }
    if !(1...1024).contains(concurrency) {
      throw ValidationError("--concurrency is \(concurrency), expected 1 to 1024")
    }
    if profile && concurrency > 1 { throw ValidationError("--profile measures one prediction at a time") }
  }

  func run() throws {
    let loading = UncheckedSendable((key: key, model: model, configuration: device.configuration, noCache: noCache))
    let load = TimeLimit(seconds: try RuntimeLimits.inForce().loadTime)
    let (loaded, loadSeconds) = try load.run("loading the model") {
      let given = loading.value
      let source = try given.key.prepare(given.model.find(encrypted: true), noCache: given.noCache)
      let watch = Stopwatch()
      return UncheckedSendable(
        (try given.key.load(source, configuration: given.configuration, noCache: given.noCache), watch.seconds))
    }
    let workload = try BenchWorkload(
      loaded, inputs: input, shapes: shapes.byName(), states: states, batchSize: batchSize)
    if profile && !workload.isOnePrediction {
      throw ValidationError("--profile measures one prediction at a time, and the model takes one row of \(batchSize)")
    }
    let first = Stopwatch()
    let result = try workload.predict()
    let firstSeconds = first.seconds
    let error = try compare.map { try Comparison(rtol: 0, atol: 0).relativeError(of: result, against: $0) }
    if interactive {
      try InteractiveBench(workload).serve(loadSeconds: loadSeconds, firstSeconds: firstSeconds, error: error)
      return
    }
    let state = workload.makeState()
    for _ in 0..<warmUp {
      try Interruption.shared.check()
      try workload.predict(using: state)
    }
    let measured = try Measurement(
      workload, iterations: iterations, seconds: seconds, concurrency: concurrency)
    var report = BenchReport(
      loadSeconds: loadSeconds, firstSeconds: firstSeconds, samples: measured.samples,
      wallSeconds: measured.wallSeconds,
      rows: batchSize, error: error)
    report.states = workload.states
    if profile {
      let profile = try StepProfile(loaded, input: workload.row, iterations: min(iterations ?? 20, 1000))
      (report.profile, report.roofline) = (profile.steps, profile.roofline)
    }
    if json || !Console.outputIsTerminal { try Console.say(json: report) } else { report.say() }
  }
}

/// The predictions that a benchmark repeats.
final class BenchWorkload: Sendable {
  private let model: MLModel
  private let batch: MLArrayBatchProvider?
  /// One row, or arrays that hold the whole batch if the model declares them so.
  let row: MLDictionaryFeatureProvider

  private let startsFresh: Bool

  var isOnePrediction: Bool { batch == nil }
  /// Where the states of a prediction come from; nil for a model without states.
  var states: BenchReport.States? {
    model.modelDescription.keepsStates ? startsFresh ? .fresh : .kept : nil
  }

  /// With a batch size, the file's arrays are tiled along the axis where the model declares `batchSize` times their
  /// size. Without such an axis, copies of the row form a batch.
  ///
  /// - Parameter shapes: Shapes of made-up values that differ from the declared shapes.
  init(_ model: MLModel, inputs: [String], shapes: [String: [Int]] = [:], states: StateOptions, batchSize: Int) throws {
    try shapes.check(model.modelDescription)
    self.model = model
    startsFresh = states.freshState
    let reader = FeatureReader(model.modelDescription)
    var features = try MadeUpFeatures.features(of: model.modelDescription, shapes: shapes)
    var isTiled = false
    for input in inputs {
      let (name, path) = FeatureReader.split(input)
      if batchSize > 1, name == nil, URL(filePath: path).pathExtension.lowercased() == "npz" {
        let (tiled, changed) = try Tiling.features(path, reader, times: batchSize)
        features.merge(tiled) { $1 }
        isTiled = isTiled || changed
      } else {
        features.merge(try reader.read(path, name: name)) { $1 }
      }
    }
    let row = try MLDictionaryFeatureProvider(dictionary: features)
    self.row = row
    batch = batchSize > 1 && !isTiled ? MLArrayBatchProvider(array: Array(repeating: row, count: batchSize)) : nil
    if batch != nil, model.modelDescription.keepsStates {
      throw Failure(
        .usage,
        "--batch-size \(batchSize): the model keeps \(model.modelDescription.stateWords), and a batch of rows takes no state"
      )
    }
  }

  /// The state of a sequence of predictions, as in the steps of a decoder; nil if no state is kept.
  func makeState() -> MLState? { states == .kept ? model.makeState() : nil }

  /// One measured unit; returns the last row's result. Without a state, each prediction starts from new states.
  @discardableResult func predict(using state: MLState? = nil) throws -> any MLFeatureProvider {
    guard let batch else {
      return try state.map { try model.prediction(from: row, using: $0) } ?? model.predictionFromFreshState(from: row)
    }
    let results = try model.predictions(fromBatch: batch)
    return results.features(at: results.count - 1)
  }
}

/// Runs a workload and records the time of every prediction.
struct Measurement {
  /// Seconds, in order of completion within each thread.
  let samples: [Double]
  let wallSeconds: Double

  static let seconds = 2.0
  private static let least = 10

  /// - Parameters:
  ///   - iterations: Of all threads combined; nil for as many as fit into the time.
  ///   - seconds: The longest time to measure; nil for two seconds, with at least ten predictions per thread.
  init(_ workload: BenchWorkload, iterations: Int?, seconds: Double?, concurrency: Int) throws {
    let (longest, least) = (seconds ?? Self.seconds, seconds == nil ? Self.least : 1)
    let bar =
      iterations.map { ProgressBar("Measuring", total: $0) }
      ?? ProgressBar("Measuring", total: Int((longest * 1000).rounded(.up)), unit: .milliseconds)
    let collected = Mutex<(samples: [Double], failure: (any Error)?)>(([], nil))
    let watch = Stopwatch()
    // Each thread runs its share; without a count all threads run until the time is over.
    DispatchQueue.concurrentPerform(iterations: concurrency) { worker in
      let share = iterations.map { $0 / concurrency + (worker < $0 % concurrency ? 1 : 0) }
      var own: [Double] = []
      let state = workload.makeState()
      do {
        while Interruption.shared.signal == nil {
          if let share {
            if own.count >= share { break }
          } else if own.count >= least, watch.seconds + (seconds == nil ? 0 : own.last ?? 0) > longest {
            break
          }
          let one = Stopwatch()
          try workload.predict(using: state)
          own.append(one.seconds)
          if iterations == nil { bar.reach(Int(watch.seconds * 1000)) } else { bar.advance() }
        }
      } catch {
        collected.withLock { [failure = error] in $0.failure = failure }
      }
      collected.withLock { [own] in $0.samples += own }
    }
    wallSeconds = watch.seconds
    let (samples, failure) = collected.withLock { ($0.samples, $0.failure) }
    if let failure { throw failure }
    try Interruption.shared.check()
    self.samples = samples
  }
}
