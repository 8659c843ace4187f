import CoreMLBase
import ArgumentParser
import CoreML
import CoreMLDelivery
import CoreMLRuntime
import CoreMLSpec
import Foundation
import Synchronization

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
    // Opening repairs a damaged record.
    if try store.versions(name: model).active != nil {
      let (current, lease) = try store.open(name: model)
      InUse.shared.keep(lease, of: current)
      return (current.url, model)
    }
    if let followed = try FollowedModel(model) { return (try followed.compiled(), followed.name) }
    // A word with a suffix is a mistyped file name, not the name of a model.
    guard URL(filePath: model).pathExtension.isEmpty else { throw absent() }
    do {
      return (try InstalledModels(store).model(named: model).url, model)
    } catch let error as DeliveryError where error.code == .noSuchModel {
      throw Failure(.io, "\(model): expected a model, found neither a file of that name nor an installed model")
    }
  }

  private func absent() -> Failure { Failure(.io, "\(model): expected a model, found no such file or folder") }
}

/// Leases on models of the store and the cache. A leased model stays as long as the process lives.
final class InUse: Sendable {
  static let shared = InUse()
  private let state = Mutex<(leases: [ModelLease], digests: [URL: String])>(([], [:]))

  func keep(_ lease: ModelLease, of model: StoredModel? = nil) {
    state.withLock {
      $0.leases.append(lease)
      if let model { $0.digests[model.url] = model.digest }
    }
  }

  /// The known digest of a model of the store.
  func digest(of url: URL) -> String? { state.withLock { $0.digests[url] } }

  /// Leases are files: they end with the process.
  func release() { state.withLock { $0.leases = [] } }
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

/// A compiled model for a model of any format: the model itself, a copy in the cache, or a new compilation.
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
      // A read-only home directory is common on servers, so the command reports it and continues without the cache.
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
      // A full disk does not prevent predictions either.
      let failure = Failure(error)
      guard failure.status == .cannotWrite else { throw error }
      Console.remark("the compiled model is not kept: \(failure)")
      return try compile(url, into: TemporaryFolders.shared.make())
    }
  }

  /// The digest of a model, cached with the compiled models if that is possible.
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
