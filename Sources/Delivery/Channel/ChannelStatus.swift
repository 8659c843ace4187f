import Foundation

/// What this device runs of a channel, and what it holds against other models.
public struct ChannelStatus: Sendable, Encodable {
  /// What this device runs of one model.
  public struct Model: Sendable, Encodable {
    /// The name of the model in the channel.
    public let model: String
    /// Nil: what came with the software, if ``hasBaseline`` says that there is one; else no model is in use.
    public let current: InstalledRelease?
    /// Whether a model came with the software and is still there.
    public let hasBaseline: Bool
    /// Whether the store has the current release. The next update fetches one that is gone.
    public let isPresent: Bool
    /// Why the current release would be left, if anything else were here to answer; nil where nothing speaks against it.
    public let fault: RollbackReason?
    /// Whether the current model has proved itself.
    public let isProven: Bool
    /// Loads of the current model that went well.
    public let loads: Int
    /// Loads of it that failed.
    public let loadFailures: Int
    /// Predictions of the current model that gave outputs.
    public let predictions: Int
    /// Predictions of it that failed and count against it.
    public let predictionFailures: Int
    /// Processes that died while they loaded it or predicted with it.
    public let crashes: Int
    /// Seconds; nil where too little was counted.
    public let medianLatency: Double?
    /// Releases that may come back, the newest first.
    public let earlier: [InstalledRelease]
    /// The arms of an experiment that run side by side.
    public let arms: [InstalledRelease]
    /// What was trained on this device, whether or not it answers now.
    public let personal: PersonalModel?
    /// By digest.
    public let blocked: [String: ModelBlock]
    /// The name under which the store has the current model.
    public let installedAs: String
  }

  /// The name of the publisher's repository.
  public let repository: String
  /// The name of the channel at its publisher.
  public let channel: String
  /// The version of the manifest that was accepted last; nil: none yet.
  public let manifest: Int?
  /// When the manifest that was accepted last expires; nil where none counts.
  public let expires: Timestamp?
  /// Why the manifest that was accepted last does not count any more.
  public let problem: String?
  /// Where new models are tried: in a process of its own, of which program, or in the one that updates.
  public let trials: String
  /// All models that this device knows of the channel, by their names.
  public let models: [Model]
}

extension ModelChannel {
  /// What stands on this device; the network is not asked.
  public nonisolated func status() throws -> ChannelStatus {
    let (core, options) = (core, core.options)
    let standing = core.standing()
    let names = Set(standing.models.keys).union(options.baselines.keys).union(options.models ?? [])
    let trust = try ManifestFetch(core: core, downloader: downloader).trust()
    var (accepted, problem): (TrustState.Accepted?, String?) = (nil, nil)
    do { accepted = try trust.kept(channel: options.channel, now: options.now()) } catch { problem = "\(error)" }
    return ChannelStatus(
      repository: core.repository, channel: options.channel, manifest: try trust.newestVersion(of: options.channel),
      expires: accepted?.manifest.expires, problem: problem,
      trials: TrialHelper.place(try options.trials.settled().helper),
      models: names.sorted().map { core.status(of: $0, standing[$0]) })
  }
}

extension ChannelCore {
  fileprivate func status(of model: String, _ entry: InstalledState.Model) -> ChannelStatus.Model {
    let book = files.book(of: model)
    let counts = book.counts(of: entry.current?.tree ?? Self.baseline)
    let isProven = entry.current.map { book.isProven($0.tree) } ?? true
    return ChannelStatus.Model(
      model: model, current: entry.current, hasBaseline: hasBaseline(model),
      isPresent: entry.current.map { isPresent($0.tree) } ?? false,
      fault: isProven ? nil : fault(of: counts, entry.current, model), isProven: isProven,
      loads: counts.loads, loadFailures: counts.loadFailures, predictions: counts.predictions,
      predictionFailures: counts.predictionFailures, crashes: counts.crashes,
      medianLatency: counts.latencies.median.map { $0 / .seconds(1) }, earlier: entry.earlier, arms: entry.arms,
      personal: (try? personals.record(of: name(of: model)))?.models.first,
      blocked: book.blocks(runtime: options.runtime), installedAs: name(of: model))
  }
}
