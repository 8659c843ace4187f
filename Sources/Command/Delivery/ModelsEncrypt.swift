import ArgumentParser
import CoreML
import CoreMLDelivery
import CoreMLModels
import CoreMLSpec
import Foundation

struct ModelsEncrypt: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "encrypt",
    abstract: "Compiles a model and writes it to one encrypted file, which loads only with its key.",
    discussion: """
      AES-256-GCM, in chunks. `runtime predict` and `runtime bench` decrypt it to memory, never to disk. `runtime models install` installs it \
      unchanged.
      """)

  @OptionGroup var model: ModelOptions
  @Option(
    name: [.short, .customLong("output")],
    help: ArgumentHelp("The file to write; by default MODEL's name + .mlmodelc.encrypted.", valueName: "file"),
    completion: .file())
  var output: String?
  @OptionGroup var key: KeyOptions
  @Flag(help: "Print JSON.")
  var json = false

  private struct Report: Encodable {
    let path: String
    let bytes: Int
  }

  func run() throws {
    let source = try model.find()
    guard let keySource = key.source else {
      throw Failure(.usage, "--key-file, --key-env or --key-command must say which key to encrypt with")
    }
    let secret = try keySource.key()
    let name = source.deletingPathExtension().lastPathComponent
    let target = URL(filePath: output ?? "\(name).mlmodelc.\(EncryptedModel.fileExtension)").standardizedFileURL
    try OutputsApart.requireFiles([target.path])
    try OutputsApart.require([target.path], from: [source.path, key.keyFile].compactMap { $0 })
    let compiled: URL
    if case .compiled = try ModelLocation.open(source.path) {
      compiled = source
    } else {
      compiled = try CompiledModels.compile(source, into: TemporaryFolders.shared.make())
    }
    try EncryptedModel.encrypt(compiledModel: compiled, to: target, key: secret)
    let bytes = (try? target.resourceValues(forKeys: [.fileSizeKey]).fileSize) ?? 0
    if json || !Console.outputIsTerminal {
      try Console.say(json: Report(path: target.path, bytes: bytes))
    } else {
      Console.say(target.path)
    }
  }
}

struct ModelsNewKey: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "new-key", abstract: "Creates a key for `encrypt`, in a new file that only its owner can read.")

  @Argument(help: "The file to write.", completion: .file())
  var file: String

  func run() throws { try ModelKey().write(to: URL(filePath: file)) }
}
