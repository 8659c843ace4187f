import Foundation

/// A channel's models on this device, and the models that this device has blocked.
public struct ChannelStatus: Sendable, Encodable {
  /// The state of one model on this device.
  public struct Model: Sendable, Encodable {
    /// The name of the model in the channel.
    public let model: String
    /// The release in use. Nil for the baseline if ``hasBaseline`` is true; otherwise no model is in use.
    public let current: InstalledRelease?
    /// Whether a baseline shipped with the application and still exists.
    public let hasBaseline: Bool
    /// Whether the store contains the current release. The next update fetches a missing one.
    public let isPresent: Bool
    /// Why the current release would be rolled back if a replacement existed; nil if there is no reason.
    public let fault: RollbackReason?
    /// Whether the current model is proven.
    public let isProven: Bool
    /// Successful loads of the current model.
    public let loads: Int
    /// Failed loads of the current model.
    public let loadFailures: Int
    /// Successful predictions of the current model.
    public let predictions: Int
    /// Failed predictions of the current model that count against it.
    public let predictionFailures: Int
    /// Processes that died while they loaded the current model or predicted with it.
    public let crashes: Int
    /// In seconds; nil if there are too few samples.
    public let medianLatency: Double?
    /// Earlier releases that a rollback may return to, newest first.
    public let earlier: [InstalledRelease]
    /// The experiment arms that run concurrently.
    public let arms: [InstalledRelease]
    /// The newest model trained on this device, whether or not it is in use.
    public let personal: PersonalModel?
    /// The models blocked on this device, by tree digest.
    public let blocked: [String: ModelBlock]
    /// The name of the current model in the store.
    public let installedAs: String
  }

  /// The name of the publisher's repository.
  public let repository: String
  /// The publisher's name for the channel.
  public let channel: String
  /// The version of the manifest last accepted; nil if there is none.
  public let manifest: Int?
  /// When the manifest last accepted expires; nil if no valid manifest exists.
  public let expires: Timestamp?
  /// Why the manifest last accepted is not valid any more.
  public let problem: String?
  /// Where trials of new models run: in a helper process (with its program), or in the updating process.
  public let trials: String
  /// All models of the channel known on this device, sorted by name.
  public let models: [Model]
}

extension ModelChannel {
  /// Returns the state on this device, without network requests.
  public nonisolated func status() throws -> ChannelStatus {
    let (core, options) = (core, core.options)
    let state = core.records.installedState()
    let names = Set(state.models.keys).union(options.baselines.keys).union(options.models ?? [])
    let trust = try ManifestFetch(core: core, downloader: downloader).trust()
    var (accepted, problem): (TrustState.Accepted?, String?) = (nil, nil)
    do { accepted = try trust.kept(channel: options.channel, now: options.now()) } catch { problem = "\(error)" }
    return ChannelStatus(
      repository: core.repository, channel: options.channel, manifest: try trust.newestVersion(of: options.channel),
      expires: accepted?.manifest.expires, problem: problem,
      trials: TrialHelper.place(try options.trials.settled().helper),
      models: names.sorted().map { core.status(of: $0, state[$0]) })
  }
}

extension ChannelCore {
  fileprivate func status(of model: String, _ entry: InstalledState.Model) -> ChannelStatus.Model {
    let health = records.health(of: model)
    let counts = health.counts(of: entry.current?.tree ?? ChannelRecords.baseline)
    let isProven = entry.current.map { health.isProven($0.tree) } ?? true
    return ChannelStatus.Model(
      model: model, current: entry.current, hasBaseline: records.hasBaseline(model),
      isPresent: entry.current.map { records.isPresent($0.tree) } ?? false,
      fault: isProven ? nil : probation.fault(of: counts, entry.current, model), isProven: isProven,
      loads: counts.loads, loadFailures: counts.loadFailures, predictions: counts.predictions,
      predictionFailures: counts.predictionFailures, crashes: counts.crashes,
      medianLatency: counts.latencies.median.map { $0 / .seconds(1) }, earlier: entry.earlier, arms: entry.arms,
      personal: (try? personal.record(of: model))?.models.first,
      blocked: health.blocks(runtime: options.runtime), installedAs: records.storeName(of: model))
  }
}
