import ArgumentParser
import CoreMLGenerate
import Foundation

struct GenerateCode: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "generate", abstract: "Writes the classes for using a model in a program to a folder.")

  @Argument(help: "A .mlmodel, .mlpackage or .mlmodelc.")
  var model: String
  @Argument(help: "The folder to write to.")
  var output: String
  @Option(help: "Swift or Objective-C.")
  var language = Language.objectiveC
  @Option(parsing: .unconditional, help: "The Swift language mode: code of modes before 6 is the same for all.")
  var swiftVersion: Double = 5
  @Flag(help: "Make the Swift classes public.")
  var publicAccess = false
  @Option(help: "The name of the class; the name of the file by default.")
  var className: String?
  @Flag(help: "Also replace files that were not generated.")
  var force = false
  @OptionGroup var build: BuildOptions
  @OptionGroup var limits: LimitOptions

  enum Language: String, ExpressibleByArgument, CaseIterable {
    case swift = "Swift"
    case objectiveC = "Objective-C"
  }

  func validate() throws {
    guard (3..<7).contains(swiftVersion) else {
      throw ValidationError("--swift-version is \(swiftVersion), expected 3 to 6")
    }
  }

  func run() throws { try limits.loading("reading the model") { try generate() } }

  private func generate() throws {
    let described = try ModelClass(modelAt: URL(filePath: model).standardizedFileURL, name: className)
    let files = language == .swift ? [SwiftFile(described, options).file()] : ObjectiveCFiles(described).files()
    if build.dryRun == .yes {
      let folder = OutputFolder.url(output)
      for file in files { Console.say(file.place(in: folder).path) }
      return
    }
    for path in try OutputFolder.write(files, into: output, replacingAll: force) { Console.say(path) }
    try PartialInformation.write(to: build.outputPartialInfoPlist)
  }

  private var options: SwiftOptions {
    var options = SwiftOptions()
    options.access = publicAccess ? .public : .internal
    options.languageMode = swiftVersion >= 6 ? 6 : 5
    options.container = build.container == .swiftPackage ? .moduleBundle : .classBundle
    return options
  }
}
