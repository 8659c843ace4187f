import CoreMLBase
import ArgumentParser
import CoreML

/// What a command's work with a model may take. Options hold for the process from the moment they are parsed, above its environment.
struct LimitOptions: ParsableArguments {
  @Option(
    parsing: .unconditional,
    help: "Stop loading, compiling or inspecting the model, a prediction or a training that takes longer, in seconds.")
  var timeout: Double?
  @Option(
    help: ArgumentHelp(
      "Take a device for hung that shows no progress for so many seconds, or none.", valueName: "seconds"))
  var deviceTimeout: String?
  @Option(
    help: ArgumentHelp(
      "Memory that the model and its predictions may hold, such as 512M or 2G; what would need more is refused.",
      valueName: "size"))
  var memoryLimit: String?
  @Option(help: ArgumentHelp("The same of each model, where a command has several.", valueName: "size"))
  var modelMemoryLimit: String?
  @Option(help: ArgumentHelp("Operations that a model may have.", valueName: "count"))
  var operationLimit: String?
  @Option(help: ArgumentHelp("The most bytes that a model's files may have.", valueName: "size"))
  var modelSizeLimit: String?
  @Option(help: ArgumentHelp("The most bytes that one tensor may have.", valueName: "size"))
  var tensorSizeLimit: String?
  @Option(
    help: ArgumentHelp(
      "The most bytes that compiled models may take in the cache; those used longest ago go.", valueName: "size"))
  var compiledLimit: String?

  func validate() throws {
    if let timeout, !(timeout > 0 && timeout < 1e9) {
      throw ValidationError("--timeout is \(timeout), expected a number of seconds above 0")
    }
    try GivenLimits.impose([
      (.loadTime, timeout.map { "\($0)" }), (.predictionTime, timeout.map { "\($0)" }),
      (.trainingTime, timeout.map { "\($0)" }), (.deviceTime, deviceTimeout), (.memory, memoryLimit),
      (.modelMemory, modelMemoryLimit), (.operations, operationLimit), (.modelSize, modelSizeLimit),
      (.tensorSize, tensorSizeLimit), (.compiledSize, compiledLimit),
    ])
  }

  /// Runs what loads, compiles or inspects a model so that the limit of its time, or a signal, ends it even where it does not ask.
  func loading(_ what: String, _ body: @escaping () throws -> Void) throws {
    let work = UncheckedSendable(body)
    try TimeLimit(seconds: RuntimeLimits.inForce().loadTime).run(what) { UncheckedSendable(try work.value()) }
  }
}

/// What transfers and the store may take.
struct StoreLimitOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("The least bytes a second that a host must give, such as 1K, or none.", valueName: "size"))
  var minRate: String?
  @Option(help: ArgumentHelp("The most bytes that installed models may take on disk.", valueName: "size"))
  var storeLimit: String?

  func validate() throws { try GivenLimits.impose([(.transferRate, minRate), (.storeSize, storeLimit)]) }
}

/// Limits that options gave.
enum GivenLimits {
  static func impose(_ options: [(limit: RuntimeLimit, text: String?)]) throws {
    let given = options.compactMap { option in option.text.map { (option.limit, $0) } }
    // An environment that is wrong is told of by the work that meets it.
    guard !given.isEmpty, var limits = try? RuntimeLimits.inForce() else { return }
    for (limit, text) in given {
      do { try limits.set(limit, to: text, as: limit.option) } catch { throw ValidationError("\(error)") }
    }
    RuntimeLimits.impose(limits)
  }
}
