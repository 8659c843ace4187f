import ArgumentParser
import CoreML
import CoreMLBase
import CoreMLDelivery
import CoreMLModels
import CoreMLRuntime
import CoreMLSpec
import Foundation

/// MODEL, the argument of most commands.
struct ModelOptions: ParsableArguments {
  @OptionGroup var noise: NoiseOptions
  @Argument(
    help: "A .mlmodel, .mlpackage or .mlmodelc, or the name of an installed model.",
    completion: .custom { _, _, prefix in ModelCompletion.words(prefix) })
  var model: String

  /// The location of the model. An installed model is leased until the process ends.
  ///
  /// - Parameter encrypted: Whether the caller can load an encrypted model.
  func find(encrypted: Bool = false) throws -> URL { try findNamed(encrypted: encrypted).url }

  /// The same with the model's name; nil if the name is that of its file.
  func findNamed(encrypted: Bool = false) throws -> (url: URL, name: String?) {
    let found: (url: URL, name: String?)
    do { found = try ModelLookup(leases: .process).find(model) } catch let error as ModelLookupError {
      throw Failure(.io, "\(error)")
    }
    guard encrypted || !EncryptedModel.isEncrypted(found.url) else {
      throw Failure(
        .data, "\(found.url.path): the model is encrypted; `runtime predict` and `runtime bench` load it, with its key")
    }
    return found
  }
}

extension ModelLeases {
  /// The models that this process uses until it ends.
  static let process = ModelLeases()
}

/// Where and how a model runs.
struct DeviceOptions: ParsableArguments {
  enum Units: String, ExpressibleByArgument, CaseIterable {
    case all, cpuOnly, cpuAndGPU, cpuAndNeuralEngine

    var value: MLComputeUnits {
      switch self {
      case .all: .all
      case .cpuOnly: .cpuOnly
      case .cpuAndGPU: .cpuAndGPU
      case .cpuAndNeuralEngine: .cpuAndNeuralEngine
      }
    }
  }

  enum Specialization: String, ExpressibleByArgument, CaseIterable {
    case `default`, fastPrediction
  }

  enum Precision: String, ExpressibleByArgument, CaseIterable {
    case `default`, low
  }

  @Option(help: "The function of a multifunction model.")
  var function: String?
  @Option(help: "The processors that the model may use.")
  var computeUnits = Units.all
  @Option(
    help: ArgumentHelp("The id of a device from `runtime devices`: cpu, or an OpenCL device.", valueName: "id"))
  var device: String?
  @Option(parsing: .unconditional, help: "Threads of one prediction; one per core by default.")
  var threads: Int?
  @Flag(help: "Disable fusion: run the operations of the model one by one.")
  var noFusion = false
  @Option(
    help: ArgumentHelp(
      "The precision of matrix products: default, or low, which allows bf16 where it is faster."))
  var precision = Precision.default
  @Option(
    help: ArgumentHelp(
      "How kernels are chosen: default, by estimates, or fastPrediction, by timing them once on this machine, which takes a while."
    ))
  var specialization = Specialization.default
  @OptionGroup var limits: LimitOptions

  func validate() throws {
    if let threads, !(1...1024).contains(threads) {
      throw ValidationError("--threads is \(threads), expected 1 to 1024")
    }
  }

  var configuration: MLModelConfiguration {
    let configuration = MLModelConfiguration()
    configuration.computeUnits = computeUnits.value
    configuration.functionName = function
    // The CPU is listed with the OpenCL devices, and may be named like them.
    configuration.preferredOpenCLDevice = device == "cpu" ? nil : device
    if device == "cpu" { configuration.computeUnits = .cpuOnly }
    configuration.threads = threads
    configuration.allowsFusion = !noFusion
    configuration.optimizationHints.precision = precision == .low ? .low : .default
    configuration.optimizationHints.specializationStrategy =
      specialization == .fastPrediction ? .fastPrediction : .default
    return configuration
  }
}

extension CompiledModels {
  /// The compiled models of this process. Remarks go to standard error, progress to the terminal.
  static let process = CompiledModels(
    leases: .process,
    host: Host(
      note: { Console.remark($0) }, detail: { Console.detail($0) },
      temporaryFolder: { try TemporaryFolders.shared.make() }, compile: { try compile($0, into: $1) }))

  static func compile(_ url: URL, into folder: URL) throws -> URL {
    try ProgressBar.during("Compiling \(url.lastPathComponent)") { try MLModel.compileModel(at: url, into: folder) }
  }
}
