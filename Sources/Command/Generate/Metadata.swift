import ArgumentParser
import CoreMLGenerate

struct Metadata: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Prints what a model says of itself, as coremlc's JSON has it.",
    discussion: "Of a model that Apple's tools compiled it is what they wrote.")

  @OptionGroup var model: ModelOptions

  func run() throws { Console.say(try ModelMetadata.text(modelAt: try model.find())) }
}
