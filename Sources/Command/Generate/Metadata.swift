import ArgumentParser
import CoreMLGenerate

struct Metadata: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "metadata",
    abstract: "Prints a model's metadata in the JSON format of coremlc.",
    discussion: "For a model that Apple's tools compiled it prints their own metadata.")

  @OptionGroup var model: ModelOptions
  @OptionGroup var limits: LimitOptions

  func run() throws { try limits.loading("reading the model") { try say() } }

  private func say() throws {
    let (url, name) = try model.findNamed()
    Console.say(try ModelMetadata.text(modelAt: url, named: name))
  }
}
