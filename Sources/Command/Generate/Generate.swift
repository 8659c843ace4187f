import ArgumentParser
import CoreMLGenerate
import Foundation

struct Generate: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "generate",
    abstract: "Writes code for using a model in a program; prints its path.",
    discussion: """
      swift: classes with the members of Xcode's classes. objc: a header and an implementation. python: dataclasses over coreml_runtime. \
      json-schema: a schema for inputs and outputs as JSON.
      """)

  enum Language: String, ExpressibleByArgument, CaseIterable { case swift, objc, python, jsonSchema = "json-schema" }

  @OptionGroup var model: ModelOptions
  @Option(
    name: [.short, .customLong("output-directory")],
    help: ArgumentHelp("The folder to write to; the current one by default.", valueName: "dir"), completion: .directory)
  var output = "."
  @Option(help: "The language of the code.")
  var language = Language.swift
  @Option(help: "The name of the class; the name of the model by default.")
  var className: String?
  @Option(help: "The access level of the Swift classes.")
  var accessLevel = SwiftOptions.Access.internal
  @Option(parsing: .unconditional, help: "The Swift language mode of the code: 5 (also builds in 6) or 6.")
  var swiftVersion = 5
  @Option(
    help: "Where Swift classes look for the compiled model: in the bundle of their class or of their package's target.")
  var bundle = Place.class
  @Flag(help: "Also write a classifier's labels: an enumeration in Swift, enum values in a schema.")
  var classLabels = false
  @Flag(help: "Also replace files that were not generated.")
  var force = false
  @OptionGroup var limits: LimitOptions
  @Flag(help: "Print JSON.")
  var json = false

  enum Place: String, ExpressibleByArgument, CaseIterable { case `class`, module }

  private struct Result: Encodable { let paths: [String] }

  func validate() throws {
    guard swiftVersion == 5 || swiftVersion == 6 else {
      throw ValidationError("--swift-version is \(swiftVersion), expected 5 or 6")
    }
    guard !classLabels || language == .swift || language == .jsonSchema else {
      throw ValidationError("--class-labels is for swift and json-schema, and the language is \(language.rawValue)")
    }
  }

  func run() throws { try limits.loading("reading the model") { try generate() } }

  private func generate() throws {
    let (url, name) = try model.findNamed()
    let described = try ModelClass(modelAt: url, named: name, name: className, withLabels: classLabels)
    let paths = try OutputFolder.write(files(described), into: output, replacingAll: force)
    if json { try Console.say(json: Result(paths: paths)) } else { Console.say(paths.joined(separator: "\n")) }
  }

  private func files(_ model: ModelClass) throws -> [GeneratedFile] {
    switch language {
    case .swift: return [SwiftFile(model, swift).file()]
    case .objc: return ObjectiveCFiles(model).files()
    case .python: return [PythonFile(model).file()]
    case .jsonSchema: return [try SchemaFile(model).file()]
    }
  }

  private var swift: SwiftOptions {
    var options = SwiftOptions()
    options.access = accessLevel
    options.languageMode = swiftVersion
    options.container = bundle == .module ? .moduleBundle : .classBundle
    options.labelEnumerations = classLabels
    return options
  }
}

extension SwiftOptions.Access: ExpressibleByArgument {}
