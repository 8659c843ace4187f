import ArgumentParser
import CoreMLBase
import CoreMLRuntime
import CoreMLServing
import CoreMLServingInterface
import Foundation
import Logging

/// The options of the server.
struct ServeOptions: ParsableArguments {
  enum Units: String, ExpressibleByArgument, CaseIterable {
    case all, cpuOnly, cpuAndGPU, cpuAndNeuralEngine

    var value: MLComputeUnits {
      switch self {
      case .all: .all
      case .cpuOnly: .cpuOnly
      case .cpuAndGPU: .cpuAndGPU
      case .cpuAndNeuralEngine: .cpuAndNeuralEngine
      }
    }
  }

  /// A number of bytes, such as `64M`.
  struct ByteCount: ExpressibleByArgument {
    let bytes: Int

    init(bytes: Int) { self.bytes = bytes }

    init?(argument: String) {
      guard let bytes = MLModelConfiguration.memorySize(argument) else { return nil }
      self.bytes = bytes
    }

    var defaultValueDescription: String { "\(bytes >> 20)M" }
  }

  @Argument(help: ArgumentHelp("Models to serve.", valueName: "model"))
  var words: [String] = []
  @Option(
    help: ArgumentHelp(
      "A folder of models: NAME.mlpackage, NAME.mlmodel, NAME.mlmodelc, or NAME/VERSION/ with one of them.",
      valueName: "dir"))
  var models: String?
  @Option(
    help:
      "Whether models change while the server runs: never (none), when their files change (poll), or by requests (explicit)."
  )
  var modelControl = ModelControl.none
  @Option(
    help: ArgumentHelp(
      "Refuse a request whose expected wait in the queue is longer. Default: ten times the median run, from 0.1 to 5.",
      valueName: "seconds"))
  var maxWait: Double?
  @Option(
    help: ArgumentHelp("The memory for models and tensors. Default: the memory of the machine.", valueName: "bytes"))
  var maxMemory: ByteCount?
  @Option(
    help: ArgumentHelp(
      "After SIGTERM, accept requests for this long while the server reports that it is not ready. Default: 5, on a terminal 0.",
      valueName: "seconds"))
  var lameDuck: Double?
  @Option(help: ArgumentHelp("After that, wait this long for accepted requests.", valueName: "seconds"))
  var grace = 25.0
  @Option(help: "The devices that models may use.")
  var computeUnits = Units.all
  @Option(help: "Threads of one prediction; one per core by default.")
  var threads: Int?
  @Option(help: "Predictions at the same time, of models that use all cores. Others run side by side in one slot.")
  var slots = 1
  @Option(help: ArgumentHelp("How many of the newest versions of a model are served; 0 for all.", valueName: "count"))
  var versions = 1
  @Option(help: "The least severity of messages on standard error.")
  var logLevel = Logger.Level.info

  mutating func validate() throws {
    func check(_ isValid: Bool, _ sentence: String) throws { if !isValid { throw ValidationError(sentence) } }
    try check(!words.isEmpty || models != nil, "Name a model, or a folder of models with --models.")
    try check((1...256).contains(slots), "--slots expects 1 to 256, found \(slots).")
    try check(versions >= 0, "--versions expects at least 0, found \(versions).")
    try check(threads.map { (1...1024).contains($0) } ?? true, "--threads expects 1 to 1024.")
    for (name, seconds) in [("--max-wait", maxWait), ("--lame-duck", lameDuck), ("--grace", grace)] {
      try check(seconds.map { (0...86400).contains($0) } ?? true, "\(name) expects 0 to 86400 seconds.")
    }
  }

  /// Nobody balances loads among servers that run on terminals.
  var lameDuckSeconds: Double { lameDuck ?? (isatty(0) == 1 ? 0 : 5) }

  /// The server that the options describe. It has loaded nothing yet.
  func server(logger: Logger, temporaryFolder: URL) throws(ServingError) -> ModelServer {
    var settings = ServerSettings()
    settings.scheduler.slots = slots
    settings.scheduler.maximumRuns = max(slots, ProcessInfo.processInfo.activeProcessorCount)
    settings.maximumWait = maxWait
    settings.control = modelControl
    settings.versions = versions == 0 ? nil : versions
    if let maxMemory { settings.memoryLimit = maxMemory.bytes }
    let named = NamedModels(words)
    try named.check()
    var catalogs = [named.catalog]
    if let models {
      let folder = URL(filePath: models)
      var isFolder: ObjCBool = false
      guard FileManager.default.fileExists(atPath: folder.path, isDirectory: &isFolder), isFolder.boolValue else {
        throw ServingError(.notFound, "\(models): expected a folder of models, found none.")
      }
      catalogs.append(ModelFolder(folder).catalog)
    }
    let opener = ModelOpener(
      computeUnits: computeUnits.value, threads: threads, logger: logger, temporaryFolder: temporaryFolder)
    return ModelServer(settings, catalog: .joined(catalogs), logger: logger) { source throws(ServingError) in
      try opener.open(source)
    }
  }
}

extension ModelControl: ExpressibleByArgument {}
