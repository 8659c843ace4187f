import ArgumentParser
import CoreML
import CoreMLModels
import CoreMLSpec
import Foundation

struct Update: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "update",
    abstract: "Trains an updatable model on examples; writes the trained model.",
    discussion: """
      --data takes .jsonl, .csv or .npz (with an additional leading row axis) with the model's training inputs. Or it takes a folder: with \
      .json and .npz files, one example each, or with subfolders whose names are the labels of the images in them. The model has the defaults \
      and the allowed values of options. MODEL is not changed.
      """)

  @OptionGroup var model: ModelOptions
  @Option(help: ArgumentHelp("The examples.", valueName: "path"), completion: .file())
  var data: String
  @Option(name: [.short, .long], help: ArgumentHelp("The .mlmodelc to write.", valueName: "path"))
  var output: String
  @Option(parsing: .unconditional, help: "The number of passes over all examples.")
  var epochs: Int?
  @Option(parsing: .unconditional, help: "The learning rate.")
  var learningRate: Double?
  @Option(parsing: .unconditional, help: "Examples per step.")
  var batchSize: Int?
  @Option(help: ArgumentHelp("Another parameter of the model's training.", valueName: "name=value"))
  var parameter: [String] = []
  @Option(
    parsing: .unconditional,
    help: "Hold back a fraction of the examples, and report the quality on them before and after.")
  var eval: Double?
  @Option(parsing: .unconditional, help: "The seed for the held-back examples and for shuffling.")
  var seed: Int64?
  @Option(help: ArgumentHelp("Plot the loss of every step and epoch.", valueName: "file.png"), completion: .file())
  var plot: String?
  @OptionGroup var table: TableOptions
  @OptionGroup var device: DeviceOptions
  @Flag(help: "Print JSON.")
  var json = false
  @Flag(help: "Do not keep the compiled model.")
  var noCache = false

  func validate() throws {
    if let eval, !(eval > 0 && eval < 1) { throw ValidationError("--eval is \(eval), expected between 0 and 1") }
    if let epochs, !(1...1_000_000_000).contains(epochs) {
      throw ValidationError("--epochs is \(epochs), expected 1 to 1000000000")
    }
    if let batchSize, !(1...Predict.mostRowsTogether).contains(batchSize) {
      throw ValidationError("--batch-size is \(batchSize), expected 1 to \(Predict.mostRowsTogether)")
    }
    guard URL(filePath: output).pathExtension == "mlmodelc" else {
      throw ValidationError("--output is \(output), expected a path that ends in .mlmodelc")
    }
    if let plot, URL(filePath: plot).pathExtension.lowercased() != "png" {
      throw ValidationError("--plot is \(plot), expected a path that ends in .png")
    }
    if table.keepColumns != nil { throw ValidationError("--keep-columns: a training has no results of rows") }
    _ = try overrides()
  }

  func run() throws {
    let started = Stopwatch()
    try ReplaceableModel.requireReplaceable(OutputFolder.url(output))
    if let plot { try OutputsApart.requireFiles([plot]) }
    let url = try CompiledModels.process.compiled(model.find(), noCache: noCache)
    let before = try ProgressBar.during("Loading \(url.lastPathComponent)") {
      try MLModel(contentsOf: url, configuration: device.configuration)
    }
    guard before.modelDescription.isUpdatable else {
      throw Failure(.data, "\(model.model): the model is not updatable")
    }
    let rows = try examples(before.modelDescription)
    let (held, learnt) = split(rows.count)
    guard !learnt.isEmpty else { throw Failure(.data, "\(data): there are no examples to learn from") }
    if plot != nil
      && !before.modelDescription.parameterDescriptionsByKey.keys.contains(where: {
        $0.name == MLParameterKey.learningRate.name
      })
    {
      throw Failure(.usage, "--plot: the model's training has no loss that could be drawn")
    }
    let configuration = device.configuration
    configuration.parameters = try parameters(before.modelDescription)
    let examples = TrainingExamples(rows, learnt)
    let session = try ProgressBar.during("Preparing the training") {
      try TrainingSession(modelAt: url, examples, configuration, output: URL(filePath: output))
    }
    let trial = eval.map { _ in TrainingExamples(rows, held) }
    func assess(_ model: MLModel) throws -> Assessment? {
      try trial.map { trial in try ProgressBar.during("Trying \(held.count) examples") { try Assessment(model, trial) }
      }
    }
    let first = try assess(before)
    let trained = try session.run()
    let last = try assess(trained)
    if let plot { try LossPlot(session.curve).write(to: plot) }
    let report = UpdateReport(
      path: output, examples: learnt.count, epochs: session.curve.epochs.count, lossPerEpoch: session.curve.epochs,
      before: first, after: last, seconds: started.seconds)
    if json || !Console.outputIsTerminal { try Console.say(json: report) } else { Console.say(report.text) }
  }

  private func examples(_ description: MLModelDescription) throws -> any BatchRows {
    let reader = FeatureReader(description.trainingInputDescriptionsByName)
    let label = description.trainingInputDescriptionsByName.values.first {
      description.inputDescriptionsByName[$0.name] == nil && ($0.type == .string || $0.type == .int64)
    }
    var isFolder: ObjCBool = false
    if FileManager.default.fileExists(atPath: data, isDirectory: &isFolder), isFolder.boolValue,
      let folders = try LabelledFolders(data, reader, label: label)
    {
      return folders
    }
    return try BatchSource.open(data, reader: reader, columns: table.list())
  }

  /// Indices of the rows that are held back, and of those used for training, in order.
  private func split(_ count: Int) -> (held: [Int], learnt: [Int]) {
    guard let eval else { return ([], Array(0..<count)) }
    let wanted = min(max(1, Int((Double(count) * eval).rounded())), max(count - 1, 0))
    // Sorting rows by a hash shuffles them without state.
    let order = (0..<count).sorted { rank($0) < rank($1) }
    return (order.prefix(wanted).sorted(), order.dropFirst(wanted).sorted())
  }

  private func rank(_ row: Int) -> UInt64 {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325  // FNV-1a
    for word in [UInt64(bitPattern: seed ?? 0), UInt64(row)] {
      for shift in stride(from: 0, to: 64, by: 8) { hash = (hash ^ (word >> UInt64(shift) & 255)) &* 0x100_0000_01B3 }
    }
    return hash
  }

  // MARK: parameters

  private func overrides() throws -> [String: NSNumber] {
    var values: [String: NSNumber] = [:]
    for setting in parameter {
      let parts = setting.split(separator: "=", maxSplits: 1).map(String.init)
      guard parts.count == 2, let value = Self.number(parts[1]) else {
        throw ValidationError("--parameter is '\(setting)', expected NAME=NUMBER")
      }
      values[parts[0]] = value
    }
    return values
  }

  /// 64-bit integers stay exact.
  private static func number(_ word: String) -> NSNumber? {
    if let integer = Int64(word) { return NSNumber(value: integer) }
    guard let value = Double(word) ?? ["true": 1, "false": 0][word] else { return nil }
    return Int64(exactly: value).map { NSNumber(value: $0) } ?? NSNumber(value: value)
  }

  private func parameters(_ description: MLModelDescription) throws -> [MLParameterKey: Any] {
    let known = Set(description.parameterDescriptionsByKey.keys.map(\.name))
    let keys: [MLParameterKey] = [
      .learningRate, .momentum, .miniBatchSize, .beta1, .beta2, .eps, .epochs, .shuffle, .seed, .numberOfNeighbors,
    ]
    var parameters: [MLParameterKey: Any] = [:]
    for (name, value) in try overrides() {
      guard let key = keys.first(where: { $0.name == name }) else {
        throw Failure(.usage, "--parameter \(name): expected one of \(keys.map(\.name).joined(separator: ", "))")
      }
      parameters[key] = value
    }
    if let epochs { parameters[.epochs] = epochs }
    if let batchSize { parameters[.miniBatchSize] = batchSize }
    if let learningRate { parameters[.learningRate] = learningRate }
    if let seed, known.contains(MLParameterKey.seed.name) { parameters[.seed] = NSNumber(value: seed) }
    return parameters
  }
}
