import ArgumentParser
import CoreML
import CoreMLDelivery
import CoreMLModels
import CoreMLSpec
import Foundation

struct Compile: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "compile",
    abstract: "Compiles a model to a .mlmodelc, which loads without its source; prints its path.")

  @OptionGroup var model: ModelOptions
  @Option(
    name: [.short, .customLong("output-directory")],
    help: ArgumentHelp("The folder to write to; the current one by default.", valueName: "dir"), completion: .directory)
  var output = "."
  @OptionGroup var limits: LimitOptions
  @Flag(help: "Print JSON.")
  var json = false

  private struct Result: Encodable { let path: String }

  func run() throws { try limits.loading("compiling the model") { try compile() } }

  private func compile() throws {
    let (source, name) = try model.findNamed()
    let path = try OutputFolder.compile(source, named: name, into: output)
    if json { try Console.say(json: Result(path: path)) } else { Console.say(path) }
  }
}

extension OutputFolder {
  /// Compiles a model to a folder in the output folder, and moves it there atomically. Returns its path.
  ///
  /// - Parameter name: The model's name; nil for the name of its file.
  static func compile(_ source: URL, named name: String? = nil, into path: String) throws -> String {
    let folder = try make(path)
    let own = source.deletingPathExtension().lastPathComponent
    try ReplaceableModel.requireReplaceable(folder.appending(path: "\(name ?? own).mlmodelc"))
    // Staged next to the target, so that a rename moves it there. What killed commands left there is removed.
    StagingFolder.removeOrphans(in: folder)
    let draft: StagingFolder
    do { draft = try StagingFolder(in: folder) } catch let error as DeliveryError {
      throw Failure(.cannotWrite, "\(folder.path): the folder cannot be written: \(error.message)")
    }
    TemporaryFolders.shared.add(draft.url)
    defer { withExtendedLifetime(draft) {} }
    let compiled = try CompiledModels.compile(source, into: draft.url)
    try Interruption.shared.check()
    let target = folder.appending(
      path: name.map { "\($0).mlmodelc" } ?? compiled.lastPathComponent, directoryHint: .isDirectory)
    try ReplaceableModel.requireReplaceable(target)
    try FolderReplacement.replace(target, with: compiled)
    return target.path
  }
}
