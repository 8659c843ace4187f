import ArgumentParser
import CoreML
import CoreMLRuntime
import Foundation

struct Inspect: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "inspect",
    abstract: "Shows a model at one stage from file to plan.",
    discussion: """
      spec: the description in the file. program: the imported program as MIL text. optimized: the program after compilation. placed: the \
      program specialized for the declared shapes. plan: its steps, with device and kernel.
      """)

  enum Stage: String, ExpressibleByArgument, CaseIterable { case spec, program, optimized, placed, plan }

  @OptionGroup var model: ModelOptions
  @Option(help: "What to show.")
  var stage = Stage.spec
  @Flag(help: "Also list the weights.")
  var weights = false
  @OptionGroup var device: DeviceOptions
  @Flag(help: "Print JSON.")
  var json = false

  private struct Text: Encodable {
    let stage: String
    let text: String
    let weights: [WeightReport]?
  }

  func run() throws { try device.limits.loading("inspecting the model") { try inspect() } }

  private func inspect() throws {
    let url = try model.find()
    let asJSON = json || !Console.outputIsTerminal
    // Inspection loads no OpenCL driver, unless an option names a device.
    let configuration = device.configuration
    if configuration.preferredOpenCLDevice == nil { configuration.computeUnits = .cpuOnly }
    func inspected<Result>(_ body: (ModelInspection) throws -> Result) throws -> Result {
      try ProgressBar.during("Inspecting \(url.lastPathComponent)") {
        try body(ModelInspection(modelAt: url, configuration: configuration))
      }
    }
    let listed = weights ? try inspected { $0.weights() } : nil
    switch stage {
    case .spec:
      var summary = try ModelSummary(url)
      summary.weights = listed
      if asJSON { try Console.say(json: summary) } else { summary.say() }
      return
    case .plan:
      let report = try inspected { try $0.plan() }
      if asJSON { try Console.say(json: report) } else { PlanText.say(report, explain: false) }
    case .program: try say(inspected { try $0.programText() }, listed, asJSON)
    case .optimized: try say(inspected { try $0.optimizedText() }, listed, asJSON)
    case .placed: try say(inspected { try $0.specializedText() }, listed, asJSON)
    }
  }

  /// MIL text is for programs too: a pipe also gets it unchanged, unless JSON is requested.
  private func say(_ text: String, _ weights: [WeightReport]?, _ asJSON: Bool) throws {
    if json {
      try Console.say(json: Text(stage: stage.rawValue, text: text, weights: weights))
    } else {
      Console.say(text)
      if let weights { ModelSummary.say(weights) }
    }
  }
}
