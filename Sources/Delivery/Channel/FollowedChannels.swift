import Foundation

/// A channel that a user follows, with the values needed to open it again.
public struct FollowedChannel: Sendable, Codable, Equatable {
  /// The URLs that serve the publisher's tree.
  public var hosts: [URL]
  /// The publisher's name for the channel.
  public var channel: String
  /// The trust root given when the user first followed the channel.
  public var root: SignedEnvelope
  /// The models to follow; nil for all.
  public var models: Set<String>?
  /// The models to use until a release is installed, by name.
  public var baselines: [String: URL]
  /// The limits on the age of signed documents; nil for the defaults.
  public var freshness: FreshnessPolicy?
  /// The name of the publisher's repository, as the root states it.
  public private(set) var repository: String

  /// Creates a channel to follow after checking its root and names.
  ///
  /// - Throws: ``DeliveryError`` if the root is not validly signed by its own keys, or a name is invalid.
  public init(
    channel: String, hosts: [URL], root: SignedEnvelope, models: Set<String>? = nil, baselines: [String: URL] = [:]
  ) throws {
    guard ReleaseName.isValid(channel) else {
      throw DeliveryError(.notFollowed, "'\(channel.prefix(64))' cannot be the name of a channel")
    }
    for name in (models ?? []).union(baselines.keys) where !ReleaseName.isValid(name) {
      throw DeliveryError(.notOffered, "'\(name.prefix(64))' cannot be the name of a model of a channel")
    }
    if let host = hosts.first(where: { $0.user != nil || $0.password != nil }) {
      throw DeliveryError(
        .unsupportedURL,
        "\(host.display): expected a URL without a name and password, which would be kept with the channel; "
          + "they belong into .netrc in the home folder, or into the file that NETRC names")
    }
    (self.channel, self.hosts, self.root, self.models, self.baselines) = (channel, hosts, root, models, baselines)
    repository = try TrustRoot(trusting: root).repository
  }

  /// `REPOSITORY:CHANNEL`.
  public var name: String { "\(repository):\(channel)" }

  /// Returns the options that open the channel with the directories of this device.
  public func options(_ places: DeliveryDirectories, runtimeVersion: String) -> ChannelOptions {
    var options = ChannelOptions(
      channel: channel, hosts: hosts, root: root, places: places, runtimeVersion: runtimeVersion)
    (options.models, options.baselines) = (models, baselines)
    if let freshness { options.freshness = freshness }
    return options
  }
}

/// The channels that a user follows. Their records are stored next to the channels' states.
public struct FollowedChannels: Sendable {
  private let directories: DeliveryDirectories
  private var folder: URL { directories.state.appending(path: "channels", directoryHint: .isDirectory) }

  /// Creates the list of the channels followed in these directories.
  public init(_ places: DeliveryDirectories) { directories = places }

  private func record(_ repository: String, _ channel: String) -> URL {
    folder.appending(path: "\(repository)/\(channel)/followed.json")
  }

  /// Returns all followed channels, sorted by name.
  public func all() throws -> [FollowedChannel] {
    func names(_ folder: URL) -> [String] {
      ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []).filter(ReleaseName.isValid).sorted()
    }
    return try names(folder).flatMap { repository in
      try names(folder.appending(path: repository)).compactMap { channel in
        try DurableFile.read(json: FollowedChannel.self, at: record(repository, channel))
      }
    }
  }

  /// Finds a channel by `REPOSITORY:CHANNEL`, or by either part if it is unambiguous; nil finds the only channel.
  ///
  /// - Throws: ``DeliveryError`` `notFollowed`.
  public func channel(_ word: String?) throws -> FollowedChannel {
    let all = try all()
    let found = word.map { word in all.filter { [$0.name, $0.channel, $0.repository].contains(word) } } ?? all
    if found.count == 1, let channel = found.first { return channel }
    let known = all.isEmpty ? "none is followed" : "followed: \(all.map(\.name).joined(separator: ", "))"
    throw DeliveryError(
      .notFollowed,
      word.map { "expected the name of one channel, found '\($0.prefix(100))' (\(known))" }
        ?? "expected the name of a channel (\(known))")
  }

  /// Stores a channel and replaces its previous record.
  ///
  /// If the baseline of a model changed, this removes the blocks for an incompatible interface, because releases are
  /// compared with the baseline.
  ///
  /// - Throws: ``DeliveryError`` `unwritable`.
  public func follow(_ channel: FollowedChannel) throws {
    let file = record(channel.repository, channel.channel)
    let before = (try? DurableFile.read(json: FollowedChannel.self, at: file)).flatMap { $0 }
    let files = ChannelFiles(directories, repository: channel.repository, channel: channel.channel)
    let known = before?.baselines ?? [:]
    for model in Set(channel.baselines.keys).union(known.keys) where channel.baselines[model] != known[model] {
      try files.health(of: model).forgetBlocks(for: .otherInterface)
    }
    try DurableFile.write(json: channel, to: file)
  }

  /// Forgets a channel and the state of its models. The models remain in the store until it is pruned. The trust state
  /// of the publisher is kept, so that older manifests are still rejected.
  public func unfollow(_ channel: FollowedChannel) throws {
    let store = ModelStore(directories)
    for name in try store.activeNames() where name.hasPrefix("\(channel.name):") { try store.remove(name: name) }
    let folder = ChannelFiles(directories, repository: channel.repository, channel: channel.channel).state
    try FolderReplacement.discard(folder, through: directories.state)
  }
}
