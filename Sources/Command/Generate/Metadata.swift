import ArgumentParser
import CoreMLGenerate

struct Metadata: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "metadata",
    abstract: "Prints what a model says of itself, as coremlc's JSON has it.",
    discussion: "Of a model that Apple's tools compiled it is what they wrote.")

  @OptionGroup var model: ModelOptions
  @OptionGroup var limits: LimitOptions

  func run() throws { try limits.loading("reading the model") { try say() } }

  private func say() throws {
    let (url, name) = try model.findNamed()
    Console.say(try ModelMetadata.text(modelAt: url, named: name))
  }
}
