import Foundation

/// A release that was installed on this device.
public struct InstalledRelease: Sendable, Hashable, Codable {
  /// The number of the release.
  public let release: Int
  /// The publisher's version string of the release.
  public let version: String
  /// The name of the variant that was chosen for this device.
  public let variant: String
  /// The model's tree digest: ``TreeDigest``.
  public let tree: String
  /// When this device switched to it.
  public let activated: Timestamp
}

/// The releases in use on this device, for all models of a channel. One file holds them all, so that the models of a
/// collection switch atomically.
struct InstalledState: Codable, Equatable {
  struct Model: Codable, Equatable {
    /// Nil for the baseline.
    var current: InstalledRelease?
    /// The previous releases, newest first, until the current one is proven.
    var earlier: [InstalledRelease] = []
    /// The experiment arms that run concurrently.
    var experiment: Experiment?
    var arms: [InstalledRelease] = []
    /// The tree digests of revoked releases that personalised models were trained from; nil if there are none.
    var withdrawnBases: [String]?
  }

  static let format = 1
  /// The maximum number of earlier releases kept. They include the newest proven one, if there is one.
  static let earlierLimit = 4

  /// Returns the earlier releases to keep after a switch, newest first: the newest `earlierLimit`. If none of these is
  /// good, the last of them is replaced by the newest good one.
  static func earlier(of releases: [InstalledRelease], isGood: (InstalledRelease) -> Bool) -> [InstalledRelease] {
    let newest = releases.prefix(earlierLimit)
    guard !newest.contains(where: isGood), let good = releases.dropFirst(earlierLimit).first(where: isGood) else {
      return Array(newest)
    }
    return newest.dropLast() + [good]
  }

  var format = Self.format
  var models: [String: Model] = [:]
  /// The collections of the newest manifest, by name: models that switch atomically.
  var collections: [String: [String]] = [:]

  subscript(_ model: String) -> Model {
    get { models[model] ?? Model() }
    set { models[model] = newValue }
  }

  /// Returns the names of the models in the switch group of a model, including the model. Collections that share a
  /// model form one group.
  func group(of model: String) -> [String] {
    var names: Set<String> = [model]
    while true {
      let more = collections.values.filter { !names.isDisjoint(with: $0) }.flatMap { $0 }
      if names.isSuperset(of: more) { return names.sorted() }
      names.formUnion(more)
    }
  }

  /// Returns the tree digests of all releases of a model that are in use or that a rollback may return to.
  func digests(of model: String) -> [String] {
    let model = self[model]
    return ([model.current].compactMap { $0 } + model.arms + model.earlier).map(\.tree)
  }
}

/// The files of a channel:
///
///     state/channels/REPOSITORY/CHANNEL/standing.json     the releases in use on this device
///     state/channels/REPOSITORY/CHANNEL/fetched.json      HTTP metadata of the manifest last fetched
///     state/channels/REPOSITORY/CHANNEL/health/MODEL/     ``HealthStore``
///     cache/downloads/REPOSITORY/CHANNEL/                 objects being downloaded
struct ChannelFiles: Sendable {
  let state: URL
  let downloads: URL

  init(_ directories: DeliveryDirectories, repository: String, channel: String) {
    state = directories.state.appending(path: "channels/\(repository)/\(channel)", directoryHint: .isDirectory)
    downloads = directories.downloads.appending(path: "\(repository)/\(channel)", directoryHint: .isDirectory)
  }

  var fetched: URL { state.appending(path: "fetched.json") }
  private var installedFile: URL { state.appending(path: "standing.json") }

  func health(of model: String) -> HealthStore {
    HealthStore(folder: state.appending(path: "health/\(model)", directoryHint: .isDirectory))
  }

  /// Returns the models that have health records on this device, whether or not they are in use.
  func modelsWithHealth() -> [String] {
    let folder = state.appending(path: "health", directoryHint: .isDirectory)
    return ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []).filter(ReleaseName.isValid)
  }

  /// - Throws: ``DeliveryError`` `damagedRecord`, `unreadable`.
  func installedState() throws -> InstalledState {
    // A record of a newer format is treated as a damaged one and replaced. Its content can be derived from the manifest
    // again, and a device whose software is downgraded must continue to work.
    guard let state = try DurableFile.read(json: InstalledState.self, at: installedFile) else {
      return InstalledState()
    }
    guard state.format == InstalledState.format,
      state.models.keys.allSatisfy({ ReleaseName.isValid($0) }),
      state.models.keys.allSatisfy({ state.digests(of: $0).allSatisfy(TreeDigest.isDigest) })
    else { throw DeliveryError(.damagedRecord, "the record is not of the expected form", file: installedFile.path) }
    return state
  }

  /// Changes the installed state. The lock prevents lost updates of concurrent changes. The next check repairs a lost
  /// change in any case.
  func change(_ body: (inout InstalledState) throws -> Void) throws -> (before: InstalledState, after: InstalledState) {
    let lock = FileLock(state.appending(path: "standing.lock"))
    defer { withExtendedLifetime(lock) {} }
    // A damaged record is replaced; its content can be derived from the manifest again.
    let before = (try? installedState()) ?? InstalledState()
    var after = before
    try body(&after)
    if after != before { try DurableFile.write(json: after, to: installedFile) }
    return (before, after)
  }

  /// Changes with each write of the installed state. It reveals switches made by other processes.
  var stamp: String {
    var status = stat()
    guard stat(installedFile.path, &status) == 0 else { return "" }
    return "\(status.st_ino) \(status.st_mtim.tv_sec).\(status.st_mtim.tv_nsec) \(status.st_size)"
  }
}
