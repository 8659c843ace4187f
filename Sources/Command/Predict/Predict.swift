import ArgumentParser
import CoreML
import CoreMLBase
import CoreMLDelivery
import CoreMLModels
import Foundation

struct Predict: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "predict",
    abstract: "Predicts one row or many.",
    discussion: """
      --input takes .npz (an array per feature, by name), .npy (NAME=FILE), .json (an object, feature -> value) and images (NAME=FILE, or no \
      NAME if the model has one image input); several are merged into one row. --batch takes many rows: .jsonl or .csv (one row per line), \
      .npz with an additional leading row axis, or a folder of images, .json and .npz files. Features from --input and --set are part of every \
      row of a batch. The member "row" of each result of a batch is the name of the row's file, or its number from 1.
      FILEs after MODEL are rows too. Several files are a batch; so is one file with an option or an output of batches.
      """)

  enum OnError: String, ExpressibleByArgument, CaseIterable { case stop, skip, record }

  @OptionGroup var model: ModelOptions
  @Argument(
    help: ArgumentHelp("Rows: images, .json and .npz files, one row each.", valueName: "file"), completion: .file())
  var files: [String] = []
  @Option(
    name: [.short, .long],
    help: ArgumentHelp("A file of features; - for JSON or an image on standard input.", valueName: "[name=]file"),
    completion: .file())
  var input: [String] = []
  @Option(help: ArgumentHelp("One feature's value, as JSON or a word.", valueName: "name=value"))
  var set: [String] = []
  @Option(
    name: [.short, .long],
    help: ArgumentHelp(
      "The output file: .npz, .json, NAME=FILE.png; for a batch .jsonl, .csv, .tsv, .npz or a folder; - for JSON on standard output.",
      valueName: "[name=]file"),
    completion: .file())
  var output: [String] = []
  @Option(
    help: ArgumentHelp(
      "Many rows: .jsonl, .csv, .tsv, .npz or a folder; - for lines of JSON on standard input.", valueName: "path"),
    completion: .file())
  var batch: String?
  @Flag(help: "Include subfolders of the batch's folder; results are named by relative paths.")
  var recursive = false
  @OptionGroup var pictures: PictureOptions
  @OptionGroup var dump: DumpOptions
  @OptionGroup var table: TableOptions
  @Option(
    parsing: .unconditional, help: ArgumentHelp("Rows per batch prediction; 1 by default.", valueName: "n"))
  var batchSize: Int?
  @OptionGroup var states: StateOptions
  @Option(help: ArgumentHelp("Predict share I of N of the batch's rows; I from 1 to N.", valueName: "i/n"))
  var shard: Shard?
  @Flag(help: "Continue an interrupted run, or add rows that are new since then; needs --output.")
  var resume = false
  @Option(
    help: "What to do with a failed row: stop the run (default), skip it, or record {\"error\": ...} in its place.")
  var onError: OnError?
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Exit with status 1 at the end if more rows of the batch failed.", valueName: "n"))
  var maxFailures: Int?
  @OptionGroup var device: DeviceOptions
  @OptionGroup var key: KeyOptions
  @Option(
    help: ArgumentHelp(
      "Compare the outputs with .npz or .json; those of a batch with a folder, .jsonl or .npz that a batch wrote.",
      valueName: "file"), completion: .file())
  var compare: String?
  @Option(parsing: .unconditional, help: "Relative tolerance of --compare.")
  var rtol = 1e-3
  @Option(parsing: .unconditional, help: "Absolute tolerance of --compare.")
  var atol = 1e-4
  @Option(parsing: .unconditional, help: "Output only the K largest values of dictionaries, also in files.")
  var topK: Int?
  @Flag(help: "Print times and memory on standard error.")
  var stats = false
  @Flag(help: "Print JSON.")
  var json = false
  @Flag(help: "Do not keep the compiled model.")
  var noCache = false

  func validate() throws {
    if let batchSize, !(1...Self.mostRowsTogether).contains(batchSize) {
      throw ValidationError("--batch-size is \(batchSize), expected 1 to \(Self.mostRowsTogether)")
    }
    if let topK, topK < 1 { throw ValidationError("--top-k is \(topK), expected 1 or more") }
    guard rtol >= 0, atol >= 0, rtol.isFinite, atol.isFinite else {
      throw ValidationError("--rtol and --atol are \(rtol) and \(atol), expected finite numbers that are not negative")
    }
    if let maxFailures, maxFailures < 0 { throw ValidationError("--max-failures must not be negative") }
    if batch != nil, let file = files.first {
      throw ValidationError("'\(file)' is a row, and --batch names all rows")
    }
    if !isBatch {
      for (given, name) in [
        (resume, "--resume"), (shard != nil, "--shard"), (batchSize != nil, "--batch-size"),
        (maxFailures != nil, "--max-failures"), (onError != nil, "--on-error"), (table.columns != nil, "--columns"),
        (table.keepColumns != nil, "--keep-columns"), (recursive, "--recursive"),
      ] where given {
        throw ValidationError("\(name) needs --batch, or files after the model")
      }
    } else {
      if batch == nil,
        let (_, name) = [
          (table.columns != nil, "--columns"), (table.keepColumns != nil, "--keep-columns"), (recursive, "--recursive"),
        ].first(where: { $0.0 })
      {
        throw ValidationError("\(name) needs --batch")
      }
      if dump.dump != nil { throw ValidationError("--dump works for one row only, not for a batch") }
      if output.count > 1 { throw ValidationError("a batch has one --output, \(output.count) were given") }
      if resume && (output.isEmpty || output == ["-"]) { throw ValidationError("--resume needs --output") }
      if maxFailures != nil && (onError ?? .stop) == .stop {
        throw ValidationError("--max-failures needs --on-error skip or record")
      }
      if states.stateful && (rowsTogether > 1 || resume || shard != nil) {
        throw ValidationError(
          "--stateful rows depend on those before: --batch-size, --resume and --shard cannot go with it")
      }
    }
  }

  /// More rows than any machine can hold, yet their sizes add up without overflow.
  static let mostRowsTogether = 1 << 20

  /// Number of rows per batch prediction.
  var rowsTogether: Int { batchSize ?? 1 }

  /// Whether the arguments are separate rows, rather than one row assembled from everything. A single file also counts
  /// as a batch with an option of batches, so that a shell pattern may match any number of files.
  private var isBatch: Bool { batch != nil || files.count > 1 || files.count == 1 && asksForBatch }

  private var asksForBatch: Bool {
    resume || shard != nil || batchSize != nil || maxFailures != nil || onError != nil
      || output.count == 1 && output.allSatisfy(Self.isOfBatches)
      || compare.map { Self.isOfBatches($0) && !URL(filePath: $0).pathExtension.lowercased().isTable } == true
  }

  /// Whether only a batch can have this output: lines, a table or a folder.
  private static func isOfBatches(_ output: String) -> Bool {
    guard output != StandardInput.path, FeatureReader.split(output).name == nil else { return false }
    let suffix = URL(filePath: output).pathExtension.lowercased()
    return ["jsonl", "ndjson", ""].contains(suffix) || suffix.isTable
  }

  func run() throws {
    let started = Stopwatch()
    let managed = try followed()
    let source = try managed == nil ? model.find(encrypted: true) : nil
    // Errors in file arguments are reported before the model compiles.
    let written = output.map { FeatureReader.split($0).path } + [dump.dump].compactMap { $0 }
    try OutputsApart.require(
      written,
      from: (input + set).map { FeatureReader.split($0).path } + files
        + [batch, compare, model.model, key.keyFile].compactMap { $0 })
    if let compare, let output = output.first { try OutputsApart.require(output, apartFrom: compare) }
    try OutputsApart.requireDistinct(written)
    try OutputsApart.requireFiles(written)
    let isPrinted = output == [StandardInput.path]
    let outputs = try RowOutputs(!isBatch && !isPrinted ? output : [], keep: topK)
    let loaded = try managed?.loadedModel ?? load(source ?? model.find(encrypted: true))
    let statistics = Statistics(loadSeconds: started.seconds)
    Console.detail(Self.sentence(loaded, model.model))
    let reader = FeatureReader(loaded.modelDescription, pictures: pictures.options)
    if let option = pictures.told.keys.sorted().first, !reader.takesImages {
      throw Failure(.usage, "\(option): the model has no input that takes pictures")
    }
    let state = try states.rows(of: loaded, named: model.model)
    let limit = TimeLimit(
      seconds: try RuntimeLimits.inForce().predictionTime, grace: isBatch ? TimeLimit.amongOthers : TimeLimit.alone
    )
    let common = try limit.reading("the inputs") {
      try reader.features(inputs: input + (isBatch ? [] : files), settings: set)
    }
    let predictor = Predictor(loaded, managed, limit: limit, statistics: statistics)
    defer { if stats || Console.noise == .verbose { Console.write(statistics.sentence + "\n", to: STDERR_FILENO) } }
    if isBatch {
      let rows = try limit.reading("the rows") {
        try batch.map { batch in
          try BatchSource.open(
            batch, reader: reader, columns: table.list(), keeping: table.kept(), isRecursive: recursive)
        } ?? FileRows(files, reader) as any BatchRows
      }
      try OutputsApart.require(written, from: rows.files)
      let noCache = noCache
      let digest: @Sendable () throws -> String = {
        try source.map { try CompiledModels.process.digest(of: $0, noCache: noCache) } ?? managed.map {
          $0.version.tree ?? "\($0.version)"
        } ?? ""
      }
      let single = source.map { source in { try load(source, threads: 1) } }
      try BatchRun(
        self, predictor, rows, reader, common: common, state: state, limit: limit, model: digest, single: single
      ).run()
      return
    }
    try outputs.check(loaded.modelDescription.outputDescriptionsByName)
    let result = try ProgressBar.during("Predicting") { try predictor.predict(common.all, state) }
    try ResultAdmission.admit(result, to: output, isCompared: compare != nil)
    try outputs.write(result)
    try dump.write(loaded, common.all, limit)
    if let compare {
      try limit.reading("what is expected, and comparing it") {
        try Comparison(rtol: rtol, atol: atol).check([("", result)], against: compare, isFolder: false, json: json)
      }
    } else if output.isEmpty || isPrinted {
      Summary(topK: topK, asJSON: json || isPrinted || !Console.outputIsTerminal).say(
        result, predicted: loaded.modelDescription)
    }
  }
}

extension Predict {
  /// The loaded model, and where it may run.
  fileprivate static func sentence(_ loaded: MLModel, _ name: String) -> String {
    let units = loaded.configuration.computeUnits
    let devices = MLComputeDevice.allComputeDevices.filter { device in
      if case .cpu = device { return true }
      return units == .all || units == .cpuAndGPU
    }
    let inputs = loaded.modelDescription.inputDescriptionsByName.values.map { "\($0)" }.sorted()
    return "\(name) is loaded: \(inputs.joined(separator: "; ")); on \(devices.map { "\($0)" }.joined(separator: ", "))"
  }

  /// The model of a followed channel; nil if MODEL names something else.
  fileprivate func followed() throws -> ManagedModel? {
    let device = device
    guard let followed = try FollowedModel(model.model, key: key.source, configuration: { device.configuration }) else {
      return nil
    }
    let given = UncheckedSendable(followed)
    return try ProgressBar.during("Loading \(model.model)") {
      try TimeLimit(seconds: RuntimeLimits.inForce().loadTime).run("loading the model") {
        UncheckedSendable(try given.value.managed())
      }
    }
  }

  /// - Parameter threads: Threads of one prediction; nil for the value of the options.
  fileprivate func load(_ source: URL, threads: Int? = nil) throws -> MLModel {
    let configuration = device.configuration
    if let threads { configuration.threads = threads }
    let given = UncheckedSendable((key: key, configuration: configuration, noCache: noCache))
    return try TimeLimit(seconds: RuntimeLimits.inForce().loadTime).run("loading the model") {
      let (key, configuration, noCache) = given.value
      return UncheckedSendable(try key.load(source, configuration: configuration, noCache: noCache))
    }
  }
}

/// `I/N`: one share of a batch.
struct Shard: ExpressibleByArgument {
  let index: Int
  let count: Int

  init?(argument: String) {
    let parts = argument.split(separator: "/", omittingEmptySubsequences: false).map { Int($0) }
    guard parts.count == 2, let index = parts[0], let count = parts[1], count >= 1, (1...count).contains(index) else {
      return nil
    }
    (self.index, self.count) = (index, count)
  }

  func contains(_ row: Int) -> Bool { row % count == index - 1 }
}

struct Stopwatch {
  private let start = ProcessInfo.processInfo.systemUptime
  var seconds: Double { ProcessInfo.processInfo.systemUptime - start }
}
