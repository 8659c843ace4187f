import ArgumentParser
import CoreML
import CoreMLModels
import CoreMLRuntime
import Foundation

struct PlanCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "plan", abstract: "Shows the device, the kernel and the estimated cost of each operation.")

  @OptionGroup var model: ModelOptions
  @Flag(help: "Also show why other kernels were rejected.")
  var explain = false
  @OptionGroup var shapes: ShapeOptions
  @OptionGroup var device: DeviceOptions
  @Flag(help: "Print JSON.")
  var json = false

  func run() throws { try device.limits.loading("planning the model") { try plan() } }

  private func plan() throws {
    let url = try model.find()
    let shapes = try shapes.byName()
    let report = try shapes.isEmpty ? declared(url) : planned(url, for: shapes)
    if json || !Console.outputIsTerminal {
      try Console.say(json: report)
    } else {
      PlanText.say(report, explain: explain)
    }
  }
}

extension PlanCommand {
  private func declared(_ url: URL) throws -> PlanReport {
    try ProgressBar.during("Planning \(url.lastPathComponent)") {
      try ModelInspection(modelAt: url, configuration: device.configuration).plan()
    }
  }

  /// The plan of a prediction with inputs of these shapes.
  private func planned(_ url: URL, for shapes: [String: [Int]]) throws -> PlanReport {
    let compiled = try CompiledModels.process.compiled(url, noCache: false)
    let model = try MLModel(contentsOf: compiled, configuration: device.configuration)
    try shapes.check(model.modelDescription)
    return try ProgressBar.during("Planning \(url.lastPathComponent)") {
      let features = try MadeUpFeatures.features(of: model.modelDescription, shapes: shapes)
      return try model.plan(for: MLDictionaryFeatureProvider(dictionary: features))
    }
  }
}

/// A plan as a table.
enum PlanText {
  static func say(_ report: PlanReport, explain: Bool) {
    var rows = [["", "OPERATION", "OUTPUT", "DEVICE", "KERNEL", "COST", "TYPE", "OF THE FILE"]]
    add(report.steps, to: &rows, explain: explain)
    // The column of origins is dropped if it never differs from the outputs.
    if rows.dropFirst().allSatisfy({ $0.last == "" }) { rows = rows.map { $0.dropLast() } }
    Console.say(Console.table(rows, rightAligned: [0, 5]))
    for note in report.notes { Console.say("Note: \(Console.oneLine(note))") }
    let byDevice = Dictionary(grouping: report.steps, by: \.device).mapValues(\.count).sorted { $0.key < $1.key }
    let counts = byDevice.map { "\($0.value) on \($0.key)" }.joined(separator: ", ")
    let references = report.steps.filter { $0.kernel == "reference" }.count
    Console.say(
      "\(report.steps.count) steps (\(counts)), \(references) on a reference kernel; estimated \(microseconds(report.cost)); "
        + "intermediate results \(Console.bytes(report.arenaBytes.reduce(0, +))), scratch \(Console.bytes(report.scratchBytes.reduce(0, +)))"
    )
  }

  /// Adds rows for steps. `inside` is the number prefix of a step whose block holds these steps; they are indented
  /// below it.
  private static func add(
    _ steps: [PlanReport.Step], to rows: inout [[String]], explain: Bool, inside: String = "", indent: String = ""
  ) {
    for (number, step) in steps.enumerated() {
      rows.append([
        "\(inside)\(number)", indent + step.operation, Console.oneLine(step.output), step.device, step.kernel,
        microseconds(step.cost), step.shape,
        step.origins == [step.output] ? "" : Console.oneLine(step.origins.joined(separator: ", ")),
      ])
      if explain {
        for passed in step.passedOver {
          rows.append(["", "", "", "  not", passed.kernel, "", Console.oneLine(passed.reason), ""])
        }
      }
      for block in step.blocks {
        rows.append(["", "\(indent)  \(block.name):", "", "", "", "", "", ""])
        add(block.steps, to: &rows, explain: explain, inside: "\(inside)\(number).", indent: indent + "    ")
      }
    }
  }

  private static func microseconds(_ seconds: Double) -> String { String(format: "%.1f us", seconds * 1e6) }
}
