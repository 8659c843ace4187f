import CoreMLRuntime
import Foundation

extension ModelSummary {
  /// Prints the summary for people.
  func say() {
    Console.say("\(path)")
    let version = specificationVersion.map { ", specification version \($0)" } ?? ""
    Console.say(
      "\(form), \(modelType ?? "unknown type")\(version), \(Console.bytes(bytes))\(isUpdatable ? ", updatable" : "")")
    if let refusal { Console.say("cannot run here: \(Console.oneLine(refusal))") }
    for key in metadata.keys.sorted() {
      Console.say("  \(Console.oneLine(key)): \(Console.oneLine(metadata[key] ?? ""))")
    }
    for function in functions {
      Console.say("")
      if functions.count > 1 { Console.say("function \(function.name)") }
      var rows: [[String]] = []
      for (kind, features) in [("input", function.inputs), ("output", function.outputs), ("state", function.states)] {
        for feature in features {
          let text = feature.description.map(Console.oneLine) ?? ""
          rows.append([
            kind, Console.oneLine(feature.name), feature.type + (feature.isOptional ? ", optional" : ""), text,
          ])
        }
      }
      Console.say(Console.table(rows))
      if let label = function.predictedFeatureName { Console.say("predicts \(label)") }
    }
    if !trainingInputs.isEmpty {
      Console.say("")
      Console.say(Console.table(trainingInputs.map { ["learns from", Console.oneLine($0.name), $0.type] }))
    }
    if !stages.isEmpty { Console.say("") }
    say(stages, depth: 0)
    if !contents.isEmpty {
      Console.say("")
      let sorted = contents.sorted { $0.value == $1.value ? $0.key < $1.key : $0.value > $1.value }
      Console.say(Console.table(sorted.map { ["\($0.value)", $0.key] }, rightAligned: [0]))
    }
    if let weights { Self.say(weights) }
  }

  private func say(_ stages: [Stage], depth: Int) {
    for stage in stages {
      let (inputs, outputs) = (stage.inputs.map(\.name), stage.outputs.map(\.name))
      let flow = "\(inputs.joined(separator: ", ")) -> \(outputs.joined(separator: ", "))"
      Console.say(
        "\(String(repeating: "  ", count: depth))stage \(Console.oneLine(stage.name)): \(stage.modelType ?? "unknown type"), \(Console.oneLine(flow))"
      )
      say(stage.stages, depth: depth + 1)
    }
  }

  static func say(_ weights: [WeightReport]) {
    Console.say("")
    var rows = [["WEIGHT", "TYPE", "BYTES", "WHERE"]]
    for weight in weights {
      rows.append([Console.oneLine(weight.name), weight.type, "\(weight.bytes)", weight.place ?? ""])
    }
    Console.say(Console.table(rows, rightAligned: [2]))
    Console.say("\(weights.count) weights, \(Console.bytes(weights.reduce(0) { $0 + $1.bytes }))")
  }
}
