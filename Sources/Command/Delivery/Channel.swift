import ArgumentParser
import CoreML
import CoreMLBase
import CoreMLDelivery
import CoreMLDeliveryHTTP
import CoreMLSpec
import Foundation

/// `runtime channel`: following a publisher's channel.
struct Channel: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "channel",
    abstract: "Follows a publisher's channels: checks, updates, rolls back.",
    discussion: """
      `runtime publish` writes a channel. CHANNEL is REPOSITORY:CHANNEL, or one of the two; it may be omitted if only one channel is \
      followed. The models of a channel are installed as REPOSITORY:CHANNEL:MODEL.
      """,
    subcommands: [
      ChannelFollow.self, ChannelCheckCommand.self, ChannelUpdateCommand.self, ChannelStatusCommand.self,
      ChannelRollback.self, ChannelAllow.self, ChannelUnfollow.self,
    ], defaultSubcommand: ChannelStatusCommand.self)
}

/// The channel, and how to reach it.
struct ChannelOptionsGroup: ParsableArguments {
  @Option(help: ArgumentHelp("The channel; the only one by default.", valueName: "channel"))
  var channel: String?
  @OptionGroup var device: DeviceOptions
  @OptionGroup var network: NetworkOptions
  @OptionGroup var key: KeyOptions
  @Flag(help: "Print JSON.")
  var json = false

  func open(_ change: (inout ChannelOptions) -> Void = { _ in }) throws -> ModelChannel {
    try open(FollowedChannels(DeliveryDirectories()).channel(channel), change)
  }

  func open(_ followed: FollowedChannel, _ change: (inout ChannelOptions) -> Void = { _ in }) throws -> ModelChannel {
    let places = try DeliveryDirectories()
    try places.makeCache()
    var options = followed.options(places, runtimeVersion: PackageVersion.current)
    let device = device
    options.configuration = { device.configuration }
    options.key = key.source
    options.trials.requiresHelper = true
    change(&options)
    return try ModelChannel(options, downloader: network.downloader())
  }

  /// Prints JSON for programs, or text for people.
  func say(_ value: some Encodable, _ text: @autoclosure () -> String) throws {
    if json || !Console.outputIsTerminal { try Console.say(json: value) } else { Console.say(text()) }
  }
}

struct ChannelFollow: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "follow", abstract: "Starts to follow a channel; `channel update` fetches its models.",
    discussion: "Get the root from the publisher through a trusted path: the file root/1.json, or a later one."
  )

  @Argument(
    help: ArgumentHelp(
      "The URL of the publisher's tree: file, http or https. Further URLs are mirrors.", valueName: "url"))
  var hosts: [String]
  @Option(help: ArgumentHelp("The publisher's trust root.", valueName: "file"), completion: .file())
  var root: String
  @Option(help: "The name of the channel.")
  var channel = "stable"
  @Option(
    name: .customLong("model"),
    help: ArgumentHelp("A model to follow; all by default. May be repeated.", valueName: "name"))
  var models: [String] = []
  @Option(
    name: .customLong("baseline"),
    help: ArgumentHelp("The model to use until a release is installed. May be repeated.", valueName: "name=path"))
  var baselines: [String] = []
  @OptionGroup(title: "How long signed documents are believed") var freshness: FreshnessOptions
  @Flag(help: "Allow http to other machines; `check` and `update` then need the same flag.")
  var allowHTTP = false
  @Flag(help: "Print JSON.")
  var json = false

  private struct Report: Encodable {
    let channel: String
    /// The earlier hosts of the channel, if they differ.
    let replaced: [URL]?
  }

  /// The URL of a host, checked as far as possible without a network.
  private func host(_ text: String) throws -> URL {
    guard let url = URL(string: text), let scheme = url.scheme?.lowercased(),
      ["file", "http", "https"].contains(scheme)
    else {
      throw DeliveryError(.unsupportedURL, "expected a URL of file, http or https, found '\(URL.display(of: text))'")
    }
    guard scheme == "file" else {
      try HostRules.check(url, allowsHTTP: allowHTTP)
      return url
    }
    guard ["", "localhost"].contains(url.host()?.lowercased() ?? ""), !url.path.isEmpty else {
      throw DeliveryError(
        .unsupportedURL,
        "expected a file URL of this machine such as file:///srv/models, found '\(URL.display(of: text))'")
    }
    return url
  }

  func run() throws {
    let hosts = try hosts.map(host)
    // One byte more than the limit of a document, so that a longer file is refused for its size.
    guard let data = OpenFile.contents(atPath: root, limit: SignedEnvelope.sizeLimit + 1) else {
      throw DeliveryError(
        .unreadable, "expected the file of a trust root: \(String(cString: strerror(errno)))", file: root)
    }
    for name in models where !ReleaseName.isValid(name) {
      throw Failure(.usage, "--model is '\(name)', expected the name of a model")
    }
    var known: [String: URL] = [:]
    for text in baselines {
      let parts = text.split(separator: "=", maxSplits: 1).map(String.init)
      guard parts.count == 2 else { throw Failure(.usage, "--baseline: expected a name and a path, found '\(text)'") }
      let url = URL(filePath: parts[1]).standardizedFileURL
      // The baseline is needed when nothing else works, so its errors must show now.
      _ = try ModelLocation.open(url.path)
      known[parts[0]] = url
    }
    for name in known.keys.sorted() where !models.isEmpty && !models.contains(name) {
      throw Failure(
        .usage, "--baseline \(name): expected a model that --model names: \(models.joined(separator: ", "))")
    }
    var followed = try FollowedChannel(
      channel: channel, hosts: hosts, root: SignedEnvelope(Data(data)), models: models.isEmpty ? nil : Set(models),
      baselines: known)
    followed.freshness = freshness.policy
    let channels = try FollowedChannels(DeliveryDirectories())
    // A damaged record is rewritten.
    let before = (try? channels.all())?.first { $0.name == followed.name }?.hosts
    let replaced = before == hosts ? nil : before
    try channels.follow(followed)
    if let replaced {
      let names = [replaced, hosts].map { $0.map(\.display).joined(separator: ", ") }
      Console.remark("\(followed.name) was followed at \(names[0]) until now, and is at \(names[1]) from now on")
    }
    if json || !Console.outputIsTerminal {
      try Console.say(json: Report(channel: followed.name, replaced: replaced))
    } else {
      Console.say("\(followed.name) is followed; `runtime channel update` fetches its models")
    }
  }
}

struct ChannelUnfollow: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "unfollow",
    abstract: "Stops following a channel and removes its model names; the models stay until `runtime cache prune`.")

  @Argument(help: "The channel.")
  var channel: String

  func run() throws {
    let channels = try FollowedChannels(DeliveryDirectories())
    try channels.unfollow(channels.channel(channel))
  }
}
