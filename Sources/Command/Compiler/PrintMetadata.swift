import ArgumentParser
import CoreMLGenerate
import Foundation

struct PrintMetadata: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "metadata", abstract: "Prints what a model says of itself, as JSON.")

  @Argument(help: "A .mlmodel, .mlpackage or .mlmodelc.")
  var model: String

  func run() throws { Console.say(try ModelMetadata.text(modelAt: URL(filePath: model).standardizedFileURL)) }
}
