import Foundation

/// A channel that a user follows: what is needed to open it again.
public struct FollowedChannel: Sendable, Codable, Equatable {
  /// Where the publisher's tree is served.
  public var hosts: [URL]
  /// The name of the channel at its publisher.
  public var channel: String
  /// The trust root that was given when it was followed first.
  public var root: SignedEnvelope
  /// The models to follow; nil: all.
  public var models: Set<String>?
  /// Models to use until something better is installed, by name.
  public var baselines: [String: URL]
  /// How long signed documents are believed; nil: the defaults.
  public var freshness: FreshnessPolicy?
  /// The name of the publisher's repository, as the root states it.
  public private(set) var repository: String

  /// A channel to follow, once its root and its names have been checked.
  ///
  /// - Throws: ``DeliveryError`` when the root does not vouch for itself, or a name cannot be one.
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

  /// What opens the channel, with the places of this device.
  public func options(_ places: DeliveryDirectories, runtimeVersion: String) -> ChannelOptions {
    var options = ChannelOptions(
      channel: channel, hosts: hosts, root: root, places: places, runtimeVersion: runtimeVersion)
    (options.models, options.baselines) = (models, baselines)
    if let freshness { options.freshness = freshness }
    return options
  }
}

/// The channels that a user follows; their records lie beside the channels' states.
public struct FollowedChannels: Sendable {
  private let places: DeliveryDirectories
  private var folder: URL { places.state.appending(path: "channels", directoryHint: .isDirectory) }

  /// The channels that are followed in these places.
  public init(_ places: DeliveryDirectories) { self.places = places }

  private func record(_ repository: String, _ channel: String) -> URL {
    folder.appending(path: "\(repository)/\(channel)/followed.json")
  }

  /// All of them, by their names.
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

  /// The channel of a word: `REPOSITORY:CHANNEL`, or either where that tells it from others; nil: the only one.
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

  /// Remembers a channel, in place of what was remembered of it.
  ///
  /// Where a model has another baseline than before, releases that were blocked because their interface is not the baseline's are tried again.
  ///
  /// - Throws: ``DeliveryError`` `unwritable`.
  public func follow(_ channel: FollowedChannel) throws {
    let place = record(channel.repository, channel.channel)
    let before = (try? DurableFile.read(json: FollowedChannel.self, at: place)).flatMap { $0 }
    let files = ChannelFiles(places, repository: channel.repository, channel: channel.channel)
    let known = before?.baselines ?? [:]
    for model in Set(channel.baselines.keys).union(known.keys) where channel.baselines[model] != known[model] {
      try files.book(of: model).forgetBlocks(for: .otherInterface)
    }
    try DurableFile.write(json: channel, to: place)
  }

  /// Forgets a channel, with what was noted of its models; they stay in the store until it is pruned. What is believed of its publisher
  /// is kept: an old manifest stays old.
  public func unfollow(_ channel: FollowedChannel) throws {
    let store = ModelStore(places)
    for name in try store.activeNames() where name.hasPrefix("\(channel.name):") { try store.remove(name: name) }
    let folder = ChannelFiles(places, repository: channel.repository, channel: channel.channel).state
    try FolderReplacement.discard(folder, through: places.state)
  }
}
