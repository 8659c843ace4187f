import ArgumentParser
import CoreML
import CoreMLDelivery
import CoreMLModels
import CoreMLRuntime
import Foundation

/// The key of an encrypted model: 32 bytes, raw, in hexadecimal or in base64.
struct KeyOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("A file with the key of an encrypted model; its mode must be 0600.", valueName: "file"),
    completion: .file())
  var keyFile: String?
  @Option(help: ArgumentHelp("The environment variable with the key.", valueName: "name"))
  var keyEnv: String?
  @Option(help: ArgumentHelp("A shell command that prints the key.", valueName: "command"))
  var keyCommand: String?

  func validate() throws {
    if [keyFile, keyEnv, keyCommand].count(where: { $0 != nil }) > 1 {
      throw ValidationError("--key-file, --key-env and --key-command exclude each other")
    }
  }

  var source: ModelKeySource? {
    if let keyFile { return .file(URL(filePath: keyFile)) }
    if let keyEnv { return .environment(keyEnv) }
    return keyCommand.map(ModelKeySource.command)
  }

  func key(for url: URL) throws -> ModelKey {
    guard let source else {
      throw DeliveryError(
        .noModelKey, "the model is encrypted: --key-file, --key-env or --key-command must say where its key is",
        file: url.path)
    }
    return try source.key()
  }

  /// The model in a form that loads. A source is compiled; an encrypted model stays as it is.
  func prepare(_ url: URL, noCache: Bool) throws -> URL {
    EncryptedModel.isEncrypted(url) ? url : try CompiledModels.process.compiled(url, noCache: noCache)
  }

  /// Loads a model; an encrypted one is decrypted to memory.
  func load(_ url: URL, configuration: MLModelConfiguration, noCache: Bool) throws -> MLModel {
    if EncryptedModel.isEncrypted(url) {
      return try EncryptedModel.load(url, key: key(for: url), configuration: configuration)
    }
    let compiled: URL
    do { compiled = try prepare(url, noCache: noCache) } catch {
      // Without a writable folder the model still predicts from its source.
      guard Failure(error).status == .cannotWrite else { throw error }
      return try MLModel(opening: url, configuration: configuration)
    }
    return try ProgressBar.during("Loading \(url.lastPathComponent)") {
      try MLModel(contentsOf: compiled, configuration: configuration)
    }
  }
}
