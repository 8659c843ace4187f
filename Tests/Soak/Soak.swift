import ArgumentParser
import CoreML
import CoreMLDelivery
import Foundation

/// One process of `tools/soak`, which starts several on one store and monitors them.
@main struct Soak: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "soak", abstract: "Does things with models at random, and compares every answer.",
    subcommands: [Answers.self, Work.self, Alone.self, Settle.self])
}

/// The locations of a soak process's files.
struct Place: ParsableArguments {
  @Option(help: "The folder that stands for the user's: data, cache and state are in it.")
  var home: String
  @Option(help: "A folder of PNG files: what models of images are asked.")
  var images: String

  func places() throws -> DeliveryDirectories {
    try DeliveryDirectories(environment: [
      "XDG_DATA_HOME": "\(home)/data", "XDG_CACHE_HOME": "\(home)/cache", "XDG_STATE_HOME": "\(home)/state",
    ])
  }

  func questions() throws -> Questions { try Questions(images: URL(filePath: images, directoryHint: .isDirectory)) }
}

/// Records the outputs of intact models.
struct Answers: ParsableCommand {
  static let configuration = CommandConfiguration(abstract: "Prints digests and answers of models as JSON.")

  @OptionGroup var place: Place
  @Argument(help: "Models.") var models: [String]

  func run() throws {
    let (questions, bench) = (try place.questions(), Installing(try place.places()))
    var told: [KnownModel] = []
    for (index, path) in models.enumerated() {
      let stored = try bench.installer.install(URL(filePath: path), as: "known-\(index)")
      let model = try bench.load(stored).model
      told.append(KnownModel(path: path, digest: stored.digest, answers: try questions.answers(of: model)))
    }
    FileHandle.standardOutput.write(try JSONEncoder().encode(told))
  }
}

/// The expected outputs of a model.
struct KnownModel: Codable {
  let path: String
  let digest: String
  let answers: [String]
}

/// Installs and loads models without a channel.
struct Installing {
  static let runtimeVersion = "soak"

  let store: ModelStore
  let cache: CompiledModelCache
  let installer: ModelInstaller

  init(_ places: DeliveryDirectories) {
    store = ModelStore(places)
    cache = CompiledModelCache(directory: places.compiledModels, runtimeVersion: Self.runtimeVersion)
    installer = ModelInstaller(store: store, cache: cache, configuration: Self.configuration)
  }

  @Sendable static func configuration() -> MLModelConfiguration {
    let configuration = MLModelConfiguration()
    configuration.computeUnits = .cpuOnly
    return configuration
  }

  /// Loads a stored model, with the lease on its compiled model.
  func load(_ stored: StoredModel) throws -> (model: MLModel, lease: ModelLease?) {
    let compiled = try installer.compiled(stored)
    let model = try MLModel(contentsOf: compiled?.url ?? stored.url, configuration: Self.configuration())
    return (model, compiled?.lease)
  }
}
