import CoreMLBase
import CoreMLRuntime
import CoreMLSpec
import Foundation

/// Installs delivered models in these steps: verify, compile on this device, try, store, activate. All steps but the
/// last use private folders. The last step is an atomic rename.
public struct ModelInstaller: Sendable {
  /// The store of installed models.
  public let store: ModelStore
  /// The cache of compiled models. Its runtime version is part of the keys of trial results.
  public let cache: CompiledModelCache
  /// How models are tried before they are stored.
  public let trials: TrialPolicy
  private let configuration: @Sendable () -> MLModelConfiguration

  /// Creates an installer for a store and a cache.
  ///
  /// - Parameter configuration: makes the configuration in which models are tried; it should be the one in which they
  ///   will run.
  public init(
    store: ModelStore, cache: CompiledModelCache, trials: TrialPolicy = TrialPolicy(),
    configuration: @escaping @Sendable () -> MLModelConfiguration = { MLModelConfiguration() }
  ) {
    self.store = store
    self.cache = cache
    self.trials = trials
    self.configuration = configuration
  }

  /// The options of an installation.
  public struct Request: Sendable {
    /// The required ``TreeDigest`` of the model; nil accepts any.
    public var expected: String?
    /// The origin of the model.
    public var origin = StoredModel.Origin.local
    /// The golden tests to pass before the model is stored. Without any, the model is only loaded.
    public var golden: [GoldenFiles] = []
    /// Whether the name refers to the model afterwards.
    public var activates = true
    /// The key source of an encrypted model.
    public var key: ModelKeySource?
    /// The limits for unpacking an archive.
    public var limits = ArchiveLimits()
    /// The name whose record determines whether a personalised model is needed.
    var personalOf: String?
    /// A compiled model that the new one must be compatible with, and its digest.
    var fits: (model: URL, identity: String)?
    /// Whether other models are tried concurrently.
    var sharesMemory = false

    /// Creates the options for a user's own model, without a required digest or golden tests.
    public init() {}
  }

  /// Installs a model under a name.
  ///
  /// - Parameter delivered: a model in any form, or an archive of one. It is not modified.
  /// - Throws: ``DeliveryError``; the previous model of the name then stays in use.
  @discardableResult
  public func install(_ delivered: URL, as name: String, _ request: Request = Request()) throws -> StoredModel {
    do {
      let staged = try stage(delivered, request)
      return try withExtendedLifetime(staged.folder) { try install(staged: staged.model, as: name, request) }
    } catch let error as DeliveryError {
      throw error.naming(delivered.path, copiedTo: store.staging)
    }
  }

  /// Installs a model from a private folder on the store's file system (``ModelStore/stagingFolder()``). The model is
  /// moved from there.
  @discardableResult
  public func install(staged model: URL, as name: String, _ request: Request) throws -> StoredModel {
    try DeliveryMetrics.step(.install) { try take(model, name, request) }
  }

  private func take(_ model: URL, _ name: String, _ request: Request) throws -> StoredModel {
    guard InstalledModels.isName(name) else {
      throw DeliveryError(.noSuchModel, "'\(name)' cannot be the name of an installed model")
    }
    let digest = try TreeDigest.digest(of: model)
    if let expected = request.expected, digest != expected {
      throw DeliveryError(.wrongTree, "expected a model with the digest \(expected), found \(digest)", file: model.path)
    }
    // If several processes install the same model, one does the work and the others find it done.
    let lock = FileLock(store.staging.appending(path: "install-\(digest.prefix(2)).lock"), patience: 60)
    defer { withExtendedLifetime(lock) {} }
    try tryOut(model, digest, request)
    var attempts = 3
    while true {
      do {
        let stored =
          try store.integrity.present(digest)
          ?? store.add(tree: model, expected: digest, origin: request.origin, personalOf: request.personalOf)
        if request.activates { try store.activate(name: name, digest: digest) }
        return stored
      } catch let error as DeliveryError where error.code == .notInStore && attempts > 0 {
        // The model was pruned between the two calls.
        attempts -= 1
        guard FileManager.default.fileExists(atPath: model.path) else { throw error }
      }
    }
  }

  /// Creates a model from an installed one and new weights, and installs it under the same name.
  ///
  /// - Returns: the new version; the old one becomes the previous version.
  @discardableResult
  public func install(weights: URL, into name: String, _ request: Request = Request()) throws -> StoredModel {
    let (base, lease) = try store.open(name: name)
    defer { withExtendedLifetime(lease) {} }
    let folder = try store.stagingFolder()
    let model = try DeliveryMetrics.step(.weights) {
      try WeightsUpdate.apply(weights: weights, to: base.url, in: folder.url)
    }
    return try install(staged: model, as: name, request)
  }

  // MARK: steps

  /// Copies the delivered model to a private folder; archives are unpacked.
  private func stage(_ delivered: URL, _ request: Request) throws -> (model: URL, folder: StagingFolder) {
    let folder = try store.stagingFolder()
    var status = stat()
    guard stat(delivered.path, &status) == 0 else {
      throw DeliveryError(.unreadable, "the model cannot be examined", at: delivered, errno: errno)
    }
    if status.st_mode & S_IFMT == S_IFREG, Self.isArchive(delivered) {
      try ArchiveUnpacker.unpack(delivered, into: folder.url, limits: request.limits)
      return (try UnpackedModel.find(in: folder.url), folder)
    }
    let form = try StoredModel.Form(of: delivered.resolvingSymlinksInPath())
    let model = folder.url.appending(path: form.fileName)
    try FileCopy.copy(model: delivered, to: model)
    return (model, folder)
  }

  /// Returns whether a file has the signature of a supported archive format.
  public static func isArchive(_ file: URL) -> Bool {
    guard let handle = FileHandle(forReadingAtPath: file.path) else { return false }
    defer { try? handle.close() }
    let head = (try? handle.read(upToCount: Compression.headLength)).flatMap { $0 }.map(Array.init) ?? []
    return Compression(head: head) != nil || head.starts(with: [0x50, 0x4B, 3, 4])
  }

  /// Compiles a model if necessary and tries it. A previous success on this device with the same drivers and
  /// configuration is reused.
  func tryOut(_ model: URL, _ digest: String, _ request: Request) throws {
    let verdict = try verdict(digest, request)
    if Self.isBelieved(verdict) { return }
    let form = try StoredModel.Form(of: model)
    var policy = try trials.settled()
    if request.sharesMemory { policy = policy.shared }
    let trial = ModelTrial(policy: policy, configuration: configuration)
    var task = ModelTrial.Task(model: model, form: form, digest: digest, name: model.lastPathComponent)
    (task.golden, task.fits) = (request.golden, request.fits?.model)
    switch form {
    case .mlmodelc: try trial.run(task)
    case .encrypted:
      guard let key = request.key else {
        throw DeliveryError(.noModelKey, "the model is encrypted, and no key was given", file: model.path)
      }
      task.key = try key.key()
      try trial.run(task)
    case .mlmodel, .mlpackage: try tryOut(source: task, trial)
    }
    try DurableFile.write(Array("passed\n".utf8), to: verdict)
  }

  /// Tries a source model. The compiled model is cached only if the whole trial succeeds.
  private func tryOut(source task: ModelTrial.Task, _ trial: ModelTrial) throws {
    let named = Self.named(task.model, task.form)
    var isTried = false
    let compiled = try cache.leasedModel(for: named, digest: task.digest) { target in
      var task = task
      task.compiled = target
      try trial.run(task)
      isTried = true
    }
    guard !isTried else { return }
    var again = task
    (again.model, again.form) = (compiled.url, .mlmodelc)
    do { try withExtendedLifetime(compiled.lease) { try trial.run(again) } } catch {
      // A compiled model that fails its trial is removed from the cache.
      if !(error is CancellationError) { try? cache.removeCompiledModel(for: named, digest: task.digest) }
      throw error
    }
  }

  /// Returns the compiled model of a stored model, with a lease on it; nil if the stored model is already compiled or
  /// encrypted.
  public func compiled(_ model: StoredModel) throws -> (url: URL, lease: ModelLease)? {
    guard [.mlmodel, .mlpackage].contains(model.form) else { return nil }
    return try cache.leasedModel(for: model.url, digest: model.digest) { try Self.compile(model.url, to: $0) }
  }

  /// Returns a path with the file name that the model has in the store, because the compiled model is named after it.
  private static func named(_ model: URL, _ form: StoredModel.Form) -> URL {
    model.deletingLastPathComponent().appending(path: form.fileName)
  }

  /// Compiles a model in the private folder of `target`, and moves the result to `target`.
  static func compile(_ model: URL, to target: URL) throws {
    do {
      let made = try MLModel.compileModel(at: model, into: target.deletingLastPathComponent())
      guard made.lastPathComponent == target.lastPathComponent || rename(made.path, target.path) == 0 else {
        throw DeliveryError(.unwritable, "the compiled model cannot be renamed", at: made, errno: errno)
      }
    } catch let error as MLModelError {
      if error.cause == .overTime {
        throw DeliveryError(.trialTimedOut, "the model cannot be compiled: \(error.message)", file: model.path)
      }
      if error.code == .predictionCancelled { throw CancellationError() }
      if error.cause == .memory {
        throw DeliveryError(.trialOutOfMemory, "the model cannot be compiled: \(error.message)", file: model.path)
      }
      // A full disk is not a fault of the model.
      if let cause = error.underlyingError as? SpecError, cause.code == .unwritable {
        throw DeliveryError(.unwritable, cause.message, file: cause.file)
      }
      throw DeliveryError(.doesNotLoad, "the model cannot be compiled: \(error.message)", file: model.path)
    }
  }

  /// Returns the path of the record that a model passed its trial.
  private func verdict(_ digest: String, _ request: Request) throws -> URL {
    var sha = SHA256Digest()
    let configuration = configuration()
    sha.append(field: try CacheKey.onDevice(digest, runtime: cache.build, configuration).text)
    // The limits are part of the key, because a model that passed under other limits may fail under these.
    sha.append(field: try TrialLimits(configuration).identity)
    if let fits = request.fits { sha.append(field: fits.identity) }
    for golden in request.golden {
      for file in [golden.inputs, golden.outputs] { sha.append(field: try TreeDigest.digest(of: file)) }
      sha.append(field: "\(golden.absoluteTolerance) \(golden.relativeTolerance)")
      if let images = golden.images { sha.append(field: images.path) }
    }
    return store.places.verdicts.appending(path: sha.hexadecimal())
  }
}
