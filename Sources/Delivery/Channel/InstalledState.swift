import Foundation

/// A release that was installed on this device.
public struct InstalledRelease: Sendable, Hashable, Codable {
  /// The number of the release.
  public let release: Int
  /// The publisher's words for it.
  public let version: String
  /// The name of the variant that was chosen for this device.
  public let variant: String
  /// The digest of the model: ``TreeDigest``.
  public let tree: String
  /// When this device switched to it.
  public let activated: Timestamp
}

/// What a device has switched to, of all models of a channel: one file, so that models that belong together switch together.
struct InstalledState: Codable, Equatable {
  struct Model: Codable, Equatable {
    /// Nil: what came with the software.
    var current: InstalledRelease?
    /// Those before it, the newest first, until the current one has proved itself.
    var earlier: [InstalledRelease] = []
    /// The arms of an experiment that run side by side.
    var experiment: Experiment?
    var arms: [InstalledRelease] = []
    /// What models of this device were trained from and the publisher has taken back; nil: nothing.
    var withdrawnBases: [String]?
  }

  static let format = 1
  /// So many are kept, and the last good one is always among them.
  static let earlierLimit = 4

  /// What is kept of the releases before a new one, the newest first.
  static func earlier(of releases: [InstalledRelease], isGood: (InstalledRelease) -> Bool) -> [InstalledRelease] {
    let newest = releases.prefix(earlierLimit)
    guard !newest.contains(where: isGood), let good = releases.dropFirst(earlierLimit).first(where: isGood) else {
      return Array(newest)
    }
    return newest.dropLast() + [good]
  }

  var format = Self.format
  var models: [String: Model] = [:]
  /// Models that switch together, as the newest manifest has them.
  var collections: [String: [String]] = [:]

  subscript(_ model: String) -> Model {
    get { models[model] ?? Model() }
    set { models[model] = newValue }
  }

  /// All trees that are in use or may come back.
  func trees(of model: String) -> [String] {
    let model = self[model]
    return ([model.current].compactMap { $0 } + model.arms + model.earlier).map(\.tree)
  }
}

/// Where the state of a channel lies:
///
///     state/channels/REPOSITORY/CHANNEL/standing.json     what the device has switched to
///     state/channels/REPOSITORY/CHANNEL/fetched.json      what the host said of the manifest that was fetched last
///     state/channels/REPOSITORY/CHANNEL/health/MODEL/     ``HealthStore``
///     cache/downloads/REPOSITORY/CHANNEL/                 objects on their way
struct ChannelFiles: Sendable {
  let state: URL
  let downloads: URL

  init(_ places: DeliveryDirectories, repository: String, channel: String) {
    state = places.state.appending(path: "channels/\(repository)/\(channel)", directoryHint: .isDirectory)
    downloads = places.downloads.appending(path: "\(repository)/\(channel)", directoryHint: .isDirectory)
  }

  var fetched: URL { state.appending(path: "fetched.json") }
  private var standingFile: URL { state.appending(path: "standing.json") }

  func book(of model: String) -> HealthStore {
    HealthStore(folder: state.appending(path: "health/\(model)", directoryHint: .isDirectory))
  }

  /// The models that have health records on this device, used or not.
  func modelsWithHealth() -> [String] {
    let folder = state.appending(path: "health", directoryHint: .isDirectory)
    return ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []).filter(ReleaseName.isValid)
  }

  /// - Throws: ``DeliveryError`` `damagedRecord`, `unreadable`.
  func standing() throws -> InstalledState {
    // One of a later release is begun anew as a damaged one is: all that was in it follows from the manifest, and a device whose software
    // goes back is to go on.
    guard let standing = try DurableFile.read(json: InstalledState.self, at: standingFile) else {
      return InstalledState()
    }
    guard standing.format == InstalledState.format,
      standing.models.keys.allSatisfy({ ReleaseName.isValid($0) }),
      standing.models.keys.allSatisfy({ standing.trees(of: $0).allSatisfy(TreeDigest.isDigest) })
    else { throw DeliveryError(.damagedRecord, "the record is not of the expected form", file: standingFile.path) }
    return standing
  }

  /// Changes the standing. The lock only keeps two changes at one moment from losing one of them; the next check would make it again.
  func change(_ body: (inout InstalledState) throws -> Void) throws -> (before: InstalledState, after: InstalledState) {
    let lock = FileLock(state.appending(path: "standing.lock"))
    defer { withExtendedLifetime(lock) {} }
    // A damaged record is written anew: all that was in it can be found out again.
    let before = (try? standing()) ?? InstalledState()
    var after = before
    try body(&after)
    if after != before { try DurableFile.write(json: after, to: standingFile) }
    return (before, after)
  }

  /// When the standing was last written; tells other processes' switches.
  var stamp: String {
    var status = stat()
    guard stat(standingFile.path, &status) == 0 else { return "" }
    return "\(status.st_ino) \(status.st_mtim.tv_sec).\(status.st_mtim.tv_nsec) \(status.st_size)"
  }
}
