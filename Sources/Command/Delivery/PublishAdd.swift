import ArgumentParser
import CoreMLDelivery
import FeatureFiles
import Foundation

struct PublishAdd: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "add",
    abstract: "Adds a model as a staged release, or as a variant of the newest staged release of that version.",
    discussion: """
      A separate process first compiles and loads the model and predicts its golden inputs; a model that fails is not added. Only files that \
      belong to the model are published, and no links.
      """)

  @OptionGroup var options: PublishOptions
  @OptionGroup var channel: ChannelOption
  @Argument(help: "A .mlmodel, .mlpackage or .mlmodelc, or an encrypted model.", completion: .file())
  var source: String
  @Option(help: "The model's name; the name of the source by default.")
  var model: String?
  @Option(help: "The release's version, for people.")
  var version: String
  @Option(help: "The variant's name.")
  var variant = "default"
  @Option(help: "What is new, for people.")
  var notes: String?
  @Flag(help: "Devices should install it immediately, not at an idle time.")
  var critical = false
  @Option(help: ArgumentHelp("The minimum version of the runtime.", valueName: "version"))
  var runtimeMinimum: String?
  @Option(help: ArgumentHelp("The maximum version of the runtime.", valueName: "version"))
  var runtimeMaximum: String?
  @Option(name: .customLong("architecture"), help: "A supported architecture: x86_64, aarch64. May be repeated.")
  var architectures: [String] = []
  @Option(name: .customLong("device-class"), help: "A supported device class: cpu, gpu, ... May be repeated.")
  var deviceClasses: [String] = []
  @Flag(help: "Require a device that computes in fp16.")
  var halfPrecision = false
  @Option(parsing: .unconditional, help: "The minimum memory of the device, in megabytes.")
  var memory: Int64?
  @Option(name: .customLong("locale"), help: "A supported language or region: de, de-AT. May be repeated.")
  var locales: [String] = []
  @Option(
    help: ArgumentHelp("Inputs that a device predicts before it uses the release.", valueName: "npz|json"),
    completion: .file(extensions: ["npz", "json"]))
  var goldenInputs: [String] = []
  @Option(
    help: ArgumentHelp("The expected outputs, one file for each --golden-inputs.", valueName: "npz|json"),
    completion: .file(extensions: ["npz", "json"]))
  var goldenOutputs: [String] = []
  @Option(parsing: .unconditional, help: "The absolute tolerance of outputs.")
  var atol = 1e-3
  @Option(parsing: .unconditional, help: "The relative tolerance of outputs.")
  var rtol = 1e-2
  @OptionGroup var key: KeyOptions
  @Option(parsing: .unconditional, help: "The number of earlier releases to create deltas from.")
  var deltas = 2
  @Flag(help: "Do not try the model, for a model that this machine cannot run.")
  var untried = false
  @OptionGroup var trials: TrialOptions

  struct Report: Encodable {
    let release: ReleaseReport
    let variant: String
    let tree: String
    /// Bytes as installed, as the full download, and as the download from each older tree.
    let size: Int64
    let shipped: Int64
    let deltas: [String: Int64]
    /// Files that do not belong to the model.
    let leftOut: [String]
    let warnings: [String]
  }

  /// Warnings about omitted safeguards.
  private var warnings: [String] {
    var sentences: [String] = []
    if untried {
      sentences.append(
        "it is published untried: devices are the first to compile and load it, and where that fails they stay with what they have"
      )
    }
    if goldenInputs.isEmpty {
      sentences.append(
        "it has no golden inputs: devices cannot tell wrong outputs from right ones before they switch to it, and until it has given its "
          + "first good outputs, requests that fail on any model count against it; --golden-inputs and --golden-outputs give some"
      )
    }
    return sentences
  }

  func validate() throws {
    guard goldenInputs.count == goldenOutputs.count else {
      throw ValidationError("Expected as many --golden-outputs as --golden-inputs.")
    }
    guard memory.map({ (0...(1 << 40)).contains($0) }) ?? true else { throw ValidationError("--memory: impossible.") }
    guard (0...1000).contains(deltas) else { throw ValidationError("--deltas is \(deltas), expected 0 to 1000") }
    guard atol >= 0, rtol >= 0, atol.isFinite, rtol.isFinite else {
      throw ValidationError("--rtol and --atol are \(rtol) and \(atol), expected finite numbers that are not negative")
    }
  }

  func run() throws {
    let publisher = try options.publisher()
    let url = URL(filePath: source).standardizedFileURL
    let name = model ?? url.deletingPathExtension().lastPathComponent
    var addition = Publisher.Addition(model: name, version: version, source: url)
    addition.variant = variant
    addition.notes = notes
    addition.critical = critical
    addition.requirements = Requirements(
      runtimeMinimum: runtimeMinimum, runtimeMaximum: runtimeMaximum,
      architectures: architectures.isEmpty ? nil : architectures,
      deviceClasses: deviceClasses.isEmpty ? nil : deviceClasses, halfPrecision: halfPrecision ? true : nil,
      memory: memory.map { $0 * 1_000_000 }, locales: locales.isEmpty ? nil : locales)
    // Checked here, as a trial would blame the model for a bad golden file.
    for path in goldenInputs + goldenOutputs { _ = try OutputComparison.expected(path) }
    addition.golden = zip(goldenInputs, goldenOutputs).map { (URL(filePath: $0), URL(filePath: $1)) }
    addition.absoluteTolerance = atol
    addition.relativeTolerance = rtol
    addition.deltas = deltas
    addition.key = key.source
    (addition.isTried, addition.trials) = (!untried, trials.policy)
    let leftOut = try Publisher.unreferencedFiles(in: url)
    for file in leftOut { Console.complain("\(source): \(file) is left out: nothing in the model refers to it") }
    for sentence in warnings { Console.complain("\(source): \(sentence)") }
    let (planned, target) = (addition, channel.channel)
    let (release, added) = try ProgressBar.during("\(untried ? "Packing" : "Trying and packing") \(name)") {
      try Interruption.shared.run { try publisher.add(planned, to: target) }
    }
    let report = Report(
      release: ReleaseReport(release, of: name, in: channel.channel), variant: added.name, tree: added.tree,
      size: added.size, shipped: added.shippedSize,
      deltas: Dictionary(
        added.deltas.map { ($0.from, $0.payload.smallest?.size ?? 0) }, uniquingKeysWith: { first, _ in first }),
      leftOut: leftOut, warnings: warnings)
    let shipped = Console.bytes(Int(report.shipped))
    try options.say(
      report,
      "\(report.release.sentence)\n\(Console.bytes(Int(report.size))), shipped in \(shipped)"
        + report.deltas.values.sorted().map { ", or in \(Console.bytes(Int($0))) from an older release" }.joined())
  }
}
