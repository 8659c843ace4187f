import Foundation

/// The parts of a channel that its opened models share. Nothing here uses the network.
final class ChannelCore: Sendable {
  let options: ChannelOptions
  let repository: String
  let files: ChannelFiles
  let store: ModelStore
  let cache: CompiledModelCache
  let installer: ModelInstaller
  let log: ChannelLog
  let openModels = OpenModels()
  let records: ChannelRecords
  let names: StoreNames
  let rollback: Rollback
  let personal: PersonalVersions
  let probation: Probation
  let loading: ModelLoading
  private let removal: ModelRemoval

  init(_ options: ChannelOptions) throws {
    let root = try TrustRoot(trusting: options.root)
    guard ReleaseName.isValid(options.channel) else {
      throw DeliveryError(.mixAndMatch, "'\(options.channel.prefix(64))' cannot be the name of a channel")
    }
    self.options = options
    repository = root.repository
    files = ChannelFiles(options.places, repository: root.repository, channel: options.channel)
    store = ModelStore(options.places)
    cache = CompiledModelCache(
      directory: options.places.compiledModels, runtimeVersion: options.runtimeVersion, build: options.build)
    installer = ModelInstaller(
      store: store, cache: cache, trials: options.trials, configuration: options.configuration)
    log = ChannelLog(events: ChannelEvents(), staging: store.staging)
    records = ChannelRecords(options: options, repository: repository, files: files, store: store, log: log)
    names = StoreNames(records: records)
    removal = ModelRemoval(store: store, cache: cache, log: log)
    rollback = Rollback(records: records, openModels: openModels)
    personal = PersonalVersions(records: records, cache: cache)
    probation = Probation(records: records, rollback: rollback, personal: personal, names: names, removal: removal)
    loading = ModelLoading(
      records: records, cache: cache, installer: installer, rollback: rollback, personal: personal,
      probation: probation)
  }

  func device() throws -> TargetDevice {
    if let device = options.device { return device }
    return .this(
      id: try DeviceID.of(options.places), runtimeVersion: options.runtimeVersion,
      configuration: options.configuration())
  }

  /// Returns the only instance of a model in this process.
  func managed(_ name: String) throws -> ManagedModel {
    try openModels.model(name) { try ManagedModel(name, self) }
  }

  // MARK: steps of an update

  /// Removes damaged models from use before the update decides what to fetch. Errors here do not prevent the update.
  func heal() {
    do {
      let now = options.verifiesNow ? nil : Date()
      let found = try StoreHealing(store: store, cache: cache).heal(every: options.verifyInterval, now: now)
      for error in found { log.report(error, model: nil) }
      // Open models switch to intact ones.
      if !found.isEmpty { openModels.refreshAll() }
    } catch { log.report(error, model: nil) }
  }

  var plan: ManifestPlan {
    ManifestPlan(
      records: records, rollback: rollback, personal: personal, openModels: openModels, device: { try self.device() })
  }
  var trials: UnitTrials { UnitTrials(records: records, installer: installer, loading: loading) }
  var releaseSwitch: ReleaseSwitch { ReleaseSwitch(records: records, names: names, openModels: openModels) }

  func sweep() { ChannelSweep(records: records, probation: probation, names: names, removal: removal).run() }
}
