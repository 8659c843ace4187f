import ArgumentParser
import CoreML
import CoreMLDelivery
import Foundation

/// How a model is tried before it is installed, and what follows.
struct InstallOptions: ParsableArguments {
  @Option(help: ArgumentHelp("The digest that the model must have.", valueName: "digest"))
  var expect: String?
  @Option(help: ArgumentHelp("Inputs to try the model with: .npz or .json.", valueName: "file"), completion: .file())
  var goldenInputs: String?
  @Option(help: ArgumentHelp("The expected outputs for --golden-inputs.", valueName: "file"), completion: .file())
  var goldenOutputs: String?
  @Option(parsing: .unconditional, help: "Relative tolerance of the outputs.")
  var rtol = 1e-3
  @Option(parsing: .unconditional, help: "Absolute tolerance of the outputs.")
  var atol = 1e-4
  @Option(help: "The origin: fetched (not in backups), local, or personal (never removed to free space).")
  var origin = Origin.local
  @Flag(help: "Only store the model, without switching the name to it.")
  var noActivate = false
  @OptionGroup var key: KeyOptions
  @OptionGroup var device: DeviceOptions
  @OptionGroup var trials: TrialOptions

  enum Origin: String, ExpressibleByArgument, CaseIterable { case fetched, local, personal }

  func validate() throws {
    if (goldenInputs == nil) != (goldenOutputs == nil) {
      throw ValidationError("--golden-inputs and --golden-outputs go together")
    }
    guard atol >= 0, rtol >= 0, atol.isFinite, rtol.isFinite else {
      throw ValidationError("--rtol and --atol are \(rtol) and \(atol), expected finite numbers that are not negative")
    }
    if let expect, !TreeDigest.isDigest(expect) {
      throw ValidationError("--expect is '\(expect.prefix(80))', expected 64 hexadecimal digits in small letters")
    }
  }

  var request: ModelInstaller.Request {
    var request = ModelInstaller.Request()
    request.expected = expect
    request.origin = StoredModel.Origin(rawValue: origin.rawValue) ?? .local
    if let goldenInputs, let goldenOutputs {
      let inputs = URL(filePath: goldenInputs)
      // The user's own file, whose pictures may be beside it.
      request.golden = [
        GoldenFiles(
          inputs: inputs, outputs: URL(filePath: goldenOutputs), images: inputs.deletingLastPathComponent(),
          absoluteTolerance: atol, relativeTolerance: rtol)
      ]
    }
    request.activates = !noActivate
    request.key = key.source
    return request
  }
}

struct ModelsInstall: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "install",
    abstract: "Installs a model under a name: checks, compiles, tries and stores it, and switches to it.",
    discussion: """
      PATH is a .mlmodel, .mlpackage, .mlmodelc, an encrypted model, or a .tar.bz2, .tar.gz, .tar.xz, .tar.zst or .zip with one of them. \
      The name switches only after all checks succeed; the previous version is kept.
      """)

  @Argument(help: "The model to install.", completion: .file())
  var path: String
  @Option(help: "The model's name; the name of the file by default.")
  var name: String?
  @OptionGroup var options: InstallOptions
  @Flag(help: "Print JSON.")
  var json = false

  func run() throws {
    let url = URL(filePath: path).standardizedFileURL
    let user = try UserStore()
    let name = name ?? Self.name(of: url)
    try user.requireOwn(name)
    let (installer, request) = (
      try user.installer(options.device.configuration, options.trials.policy), options.request
    )
    let model = try ProgressBar.during("Compiling and trying \(name)") {
      try Interruption.shared.run { try installer.install(url, as: name, request) }
    }
    try Installed.say(model, name: options.noActivate ? nil : name, user.store, json: json)
  }

  /// `Digits` for `Digits.mlpackage.tar.gz`.
  static func name(of url: URL) -> String {
    var url = url
    let known: Set<String> = [
      "gz", "bz2", "xz", "zst", "tar", "zip", "mlmodel", "mlpackage", "mlmodelc", EncryptedModel.fileExtension,
    ]
    while known.contains(url.pathExtension.lowercased()) { url.deletePathExtension() }
    return url.lastPathComponent
  }
}

struct ModelsUpdate: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "update",
    abstract: "Replaces the weights of an installed model, as a new version; the previous version is kept.",
    discussion: """
      The weights must match the model's program, with the same offsets, types and shapes. The file is a program's weight.bin, or the \
      model.espresso.weights of a neural network compiled by Apple's tools.
      """)

  @Argument(help: "The name of the model.")
  var name: String
  @Option(help: "The file of weights.", completion: .file())
  var weights: String
  @OptionGroup var options: InstallOptions
  @Flag(help: "Print JSON.")
  var json = false

  func run() throws {
    let user = try UserStore()
    let (installer, request) = (
      try user.installer(options.device.configuration, options.trials.policy), options.request
    )
    try user.requireOwn(name)
    let (name, weights) = (name, URL(filePath: weights))
    let model = try ProgressBar.during("Compiling and trying \(name)") {
      try Interruption.shared.run { try installer.install(weights: weights, into: name, request) }
    }
    try Installed.say(model, name: options.noActivate ? nil : name, user.store, json: json)
  }
}

/// The report of the commands that install.
enum Installed {
  static func say(_ model: StoredModel, name: String?, _ store: ModelStore, json: Bool) throws {
    let report = try ModelReport(model, name: name, store)
    if json || !Console.outputIsTerminal {
      try Console.say(json: report)
    } else {
      Console.say("\(name.map { "\($0): " } ?? "")\(model.digest)")
    }
  }
}
