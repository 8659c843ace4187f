import ArgumentParser
import CoreMLGenerate
import Foundation

struct CompileModel: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "compile", abstract: "Compiles a model into a folder, as a .mlmodelc.")

  @Argument(help: "A .mlmodel or .mlpackage.")
  var model: String
  @Argument(help: "The folder to write to.")
  var output: String
  @OptionGroup var build: BuildOptions
  @OptionGroup var limits: LimitOptions
  @Option(help: "Accepted without effect: a compiled model has no language.")
  var language: String?
  @Option(help: "Accepted without effect.")
  var swiftVersion: String?

  func run() throws { try limits.loading("compiling the model") { try compile() } }

  private func compile() throws {
    let source = URL(filePath: model).standardizedFileURL
    if build.dryRun == .yes {
      let folder = OutputFolder.url(output)
      Console.say(folder.appending(path: "\(source.deletingPathExtension().lastPathComponent).mlmodelc").path)
      return
    }
    Console.say(try OutputFolder.compile(source, into: output))
    try PartialInformation.write(to: build.outputPartialInfoPlist)
  }
}

/// What Xcode adds to an application's property list for a model: nothing.
enum PartialInformation {
  static func write(to path: String?) throws {
    guard let path else { return }
    let url = URL(filePath: path)
    let text = """
      <?xml version="1.0" encoding="UTF-8"?>
      <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
      <plist version="1.0">
      <dict/>
      </plist>

      """
    _ = try GeneratedFile(name: url.lastPathComponent, text: text).write(into: url.deletingLastPathComponent())
  }
}
