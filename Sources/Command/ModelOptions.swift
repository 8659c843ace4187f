import CoreMLBase
import ArgumentParser
import CoreML
import CoreMLDelivery
import CoreMLRuntime
import CoreMLSpec
import Foundation
import Synchronization

/// MODEL, and whether its compiled form is kept.
struct ModelOptions: ParsableArguments {
  @OptionGroup var noise: NoiseOptions
  @Argument(
    help: "A .mlmodel, .mlpackage or .mlmodelc, or the name of an installed model.",
    completion: .custom { _, _, prefix in ModelCompletion.words(prefix) })
  var model: String

  /// Where the model stands. An installed one is in use from now on until the process ends.
  ///
  /// - Parameter encrypted: whether the caller can load an encrypted model.
  func find(encrypted: Bool = false) throws -> URL { try findNamed(encrypted: encrypted).url }

  /// The same with what the model is called; nil for one that is called as its file is.
  func findNamed(encrypted: Bool = false) throws -> (url: URL, name: String?) {
    let found = try locate()
    guard encrypted || !EncryptedModel.isEncrypted(found.url) else {
      throw Failure(
        .data, "\(found.url.path): the model is encrypted; `runtime predict` and `runtime bench` load it, with its key")
    }
    return found
  }

  private func locate() throws -> (url: URL, name: String?) {
    if FileManager.default.fileExists(atPath: model) { return (URL(filePath: model).standardizedFileURL, nil) }
    guard !model.contains("/"), InstalledModels.isName(model) else { throw absent() }
    let store = ModelStore(try DeliveryDirectories())
    // Opening makes a damaged record anew.
    if try store.versions(name: model).active != nil {
      let (current, lease) = try store.open(name: model)
      InUse.shared.keep(lease, of: current)
      return (current.url, model)
    }
    if let followed = try FollowedModel(model) { return (try followed.compiled(), followed.name) }
    // A file's name that is mistyped is no model's name.
    guard URL(filePath: model).pathExtension.isEmpty else { throw absent() }
    do {
      return (try InstalledModels(store).model(named: model).url, model)
    } catch let error as DeliveryError where error.code == .noSuchModel {
      throw Failure(.io, "\(model): expected a model, found neither a file of that name nor an installed model")
    }
  }

  private func absent() -> Failure { Failure(.io, "\(model): expected a model, found no such file or folder") }
}

/// What this process uses of the store and of the cache: it stays there as long as the process lives.
final class InUse: Sendable {
  static let shared = InUse()
  private let state = Mutex<(leases: [ModelLease], digests: [URL: String])>(([], [:]))

  func keep(_ lease: ModelLease, of model: StoredModel? = nil) {
    state.withLock {
      $0.leases.append(lease)
      if let model { $0.digests[model.url] = model.digest }
    }
  }

  /// The digest of a model of the store, which need not be computed.
  func digest(of url: URL) -> String? { state.withLock { $0.digests[url] } }

  /// Leases are files: they go with the process.
  func release() { state.withLock { $0.leases = [] } }
}

/// Where and how a model is run.
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
    help: ArgumentHelp("The id of a device, as `runtime devices` lists them: cpu, or one of OpenCL.", valueName: "id"))
  var device: String?
  @Option(parsing: .unconditional, help: "Threads of one prediction; one a core by default.")
  var threads: Int?
  @Flag(help: "Run operations as the model has them: no pass joins them.")
  var noFusion = false
  @Option(
    help: ArgumentHelp(
      "How exact products are: default, or low, which lets them be of brain floating point where that is faster."))
  var precision = Precision.default
  @Option(
    help: ArgumentHelp(
      "How kernels are chosen: default, by estimates, or fastPrediction, by timing them on this machine, once, which takes a while."
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
    // The processor is listed beside the OpenCL devices, and may be named like them.
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

/// A compiled model for a model of any form: as it is, from the cache, or compiled now.
enum CompiledModels {
  static func compiled(_ url: URL, noCache: Bool) throws -> URL {
    if case .compiled = try ModelLocation.open(url.path) { return url }
    let compiled = try compiledAnew(url, noCache: noCache)
    Console.detail("\(url.path) is compiled: \(compiled.path)")
    return compiled
  }

  private static func compiledAnew(_ url: URL, noCache: Bool) throws -> URL {
    if noCache { return try compile(url, into: TemporaryFolders.shared.make()) }
    let directory: URL
    do {
      let places = try DeliveryDirectories()
      try places.makeCache()
      directory = places.compiledModels
    } catch let error as DeliveryError {
      // A home that cannot be written is common on servers: say so, and do without.
      Console.remark("the compiled model is not kept: \(error)")
      return try compile(url, into: TemporaryFolders.shared.make())
    }
    var cache = CompiledModelCache(directory: directory, runtimeVersion: PackageVersion.current)
    cache.tell = { Console.remark($0) }
    do {
      let (compiled, lease) = try cache.leasedModel(for: url, digest: InUse.shared.digest(of: url)) { target in
        _ = try compile(url, into: target.deletingLastPathComponent())
      }
      InUse.shared.keep(lease)
      return compiled
    } catch {
      // Neither is a full disk a reason not to predict.
      let failure = Failure(error)
      guard failure.status == .cannotWrite else { throw error }
      Console.remark("the compiled model is not kept: \(failure)")
      return try compile(url, into: TemporaryFolders.shared.make())
    }
  }

  /// The digest of a model, remembered with the compiled models where those may be kept.
  static func digest(of url: URL, noCache: Bool) throws -> String {
    if let known = InUse.shared.digest(of: url) { return known }
    if !noCache, let places = try? DeliveryDirectories(), (try? places.makeCache()) != nil,
      let digest = try? cache(places).digest(of: url)
    {
      return digest
    }
    return try TreeDigest.digest(of: url)
  }

  /// The user's compiled models.
  static func cache(_ places: DeliveryDirectories) throws -> CompiledModelCache {
    CompiledModelCache(directory: places.compiledModels, runtimeVersion: PackageVersion.current)
  }

  static func compile(_ url: URL, into folder: URL) throws -> URL {
    try ProgressBar.during("Compiling \(url.lastPathComponent)") { try MLModel.compileModel(at: url, into: folder) }
  }
}
