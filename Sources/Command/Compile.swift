import ArgumentParser
import CoreML
import CoreMLDelivery
import Foundation

struct Compile: ParsableCommand {
  static let configuration = CommandConfiguration(
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
    let source = try model.find()
    let folder = URL(filePath: output, directoryHint: .isDirectory).standardizedFileURL
    do {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    } catch {
      throw Failure(.cannotWrite, "\(folder.path): the folder cannot be made: \(Failure.reason(error))")
    }
    // Beside its place, so that it gets there by renaming; what killed commands left there goes.
    StagingFolder.removeOrphans(in: folder)
    let draft: StagingFolder
    do { draft = try StagingFolder(in: folder) } catch let error as DeliveryError {
      throw Failure(.cannotWrite, "\(folder.path): the folder cannot be written: \(error.message)")
    }
    TemporaryFolders.shared.add(draft.url)
    defer { withExtendedLifetime(draft) {} }
    let compiled = try CompiledModels.compile(source, into: draft.url)
    try Interruption.shared.check()
    let target = folder.appending(path: compiled.lastPathComponent, directoryHint: .isDirectory)
    try FolderReplacement.replace(target, with: compiled)
    if json { try Console.say(json: Result(path: target.path)) } else { Console.say(target.path) }
  }
}
