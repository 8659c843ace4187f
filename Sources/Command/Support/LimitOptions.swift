import ArgumentParser
import CoreML
import CoreMLBase

/// Resource limits of a command's work with a model. Options take effect for the process when they are parsed, and
/// override the environment.
struct LimitOptions: ParsableArguments {
  @Option(
    parsing: .unconditional,
    help:
      "The time limit in seconds for loading, compiling or inspecting the model, for a prediction and for a training.")
  var timeout: Double?
  @Option(
    help: ArgumentHelp(
      "Treat a device without progress for this long as hung; none disables the check.", valueName: "seconds"))
  var deviceTimeout: String?
  @Option(
    help: ArgumentHelp(
      "The memory limit of the model and its predictions, such as 512M or 2G; work that needs more is refused.",
      valueName: "size"))
  var memoryLimit: String?
  @Option(help: ArgumentHelp("The same for each model, if a command has several.", valueName: "size"))
  var modelMemoryLimit: String?
  @Option(help: ArgumentHelp("The maximum number of operations of a model.", valueName: "count"))
  var operationLimit: String?
  @Option(help: ArgumentHelp("The maximum size of a model's files.", valueName: "size"))
  var modelSizeLimit: String?
  @Option(help: ArgumentHelp("The maximum size of one tensor.", valueName: "size"))
  var tensorSizeLimit: String?
  @Option(
    help: ArgumentHelp(
      "The maximum size of compiled models in the cache; the least recently used are removed.", valueName: "size"))
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

  /// Loads, compiles or inspects a model under the load time limit. The limit or a signal ends the work even where it
  /// does not check for cancellation.
  func loading(_ what: String, _ body: @escaping () throws -> Void) throws {
    let work = UncheckedSendable(body)
    try TimeLimit(seconds: RuntimeLimits.inForce().loadTime).run(what) { UncheckedSendable(try work.value()) }
  }
}

/// Limits of transfers and the store.
struct StoreLimitOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The minimum transfer rate of a host in bytes per second, such as 1K, or none.", valueName: "size"))
  var minRate: String?
  @Option(help: ArgumentHelp("The maximum size of installed models on disk.", valueName: "size"))
  var storeLimit: String?

  func validate() throws { try GivenLimits.impose([(.transferRate, minRate), (.storeSize, storeLimit)]) }
}

/// Limits given by options.
enum GivenLimits {
  static func impose(_ options: [(limit: RuntimeLimit, text: String?)]) throws {
    let given = options.compactMap { option in option.text.map { (option.limit, $0) } }
    // A wrong environment is reported by the work that reads it.
    guard !given.isEmpty, var limits = try? RuntimeLimits.inForce() else { return }
    for (limit, text) in given {
      do { try limits.set(limit, to: text, as: limit.option) } catch { throw ValidationError("\(error)") }
    }
    RuntimeLimits.impose(limits)
  }
}
