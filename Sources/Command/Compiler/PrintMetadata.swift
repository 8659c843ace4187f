import ArgumentParser
import CoreMLGenerate
import Foundation

struct PrintMetadata: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "metadata", abstract: "Prints a model's metadata as JSON.")

  @Argument(help: "A .mlmodel, .mlpackage or .mlmodelc.")
  var model: String
  @OptionGroup var limits: LimitOptions

  func run() throws {
    let url = URL(filePath: model).standardizedFileURL
    try limits.loading("reading the model") { Console.say(try ModelMetadata.text(modelAt: url)) }
  }
}
