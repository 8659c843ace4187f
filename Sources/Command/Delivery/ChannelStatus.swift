import ArgumentParser
import CoreML
import CoreMLDelivery
import Foundation

struct ChannelStatusCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status",
    abstract: "Shows the models that this device runs from a channel, or from all, and their health; uses no network.")

  @OptionGroup var options: ChannelOptionsGroup

  func run() throws {
    let all = try FollowedChannels(DeliveryDirectories()).all()
    guard options.channel == nil, all.count > 1 else {
      let status = try options.open().status()
      return try options.say(status, Self.text(status))
    }
    let statuses = try all.map { try options.open($0).status() }
    try options.say(statuses, statuses.map(Self.text).joined(separator: "\n"))
  }

  private static func text(_ status: ChannelStatus) -> String {
    var lines = ["\(status.repository):\(status.channel): version \(status.manifest.map { "\($0)" } ?? "none yet")"]
    if let expires = status.expires { lines[0] += ", expires \(expires)" }
    if let problem = status.problem { lines.append(problem) }
    lines.append("new models are tried \(status.trials)")
    for model in status.models {
      var current =
        model.current.map { "release \($0.release) (\($0.version))\(model.isProven ? "" : ", new")" }
        ?? (model.hasBaseline ? "the model that came with the software" : "no model")
      if model.current != nil && !model.isPresent { current += ", gone from the store; the next update fetches it" }
      lines.append("\(model.model): \(current)")
      if let fault = model.fault {
        lines.append("  \(fault.rawValue): it stays in use because there is no other model")
      }
      var words = [
        "\(model.predictions) predictions", "\(model.predictionFailures) failed", "\(model.loadFailures) failed loads",
      ]
      if model.crashes > 0 { words.append("\(model.crashes) processes died") }
      if let latency = model.medianLatency { words.append(String(format: "median %.2f ms", latency * 1e3)) }
      lines.append("  " + words.joined(separator: ", "))
      for release in model.earlier { lines.append("  before: release \(release.release) (\(release.version))") }
      for (tree, block) in model.blocked.sorted(by: { $0.value.date < $1.value.date }) {
        let release = block.release.map { "release \($0)" } ?? "a model"
        lines.append("  blocked: \(release) \(tree.prefix(12)), \(block.reason.rawValue): \(block.message)")
      }
    }
    return lines.joined(separator: "\n")
  }
}

struct ChannelRollback: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rollback",
    abstract:
      "Replaces a model by the last good one, or by the one that came with the software, and does not use it again.",
    discussion: """
      Without a good release and a bundled model the newest earlier release replaces it. Without any replacement the command fails.
      """)

  @Argument(help: "The model's name in the channel, or REPOSITORY:CHANNEL:MODEL.")
  var model: String
  @Option(help: "The reason, shown by `channel status`.")
  var reason = "asked for at this device"
  @OptionGroup var options: ChannelOptionsGroup

  func run() throws {
    let (channel, model) = try options.open(model: model)
    let reason = reason
    try Interruption.shared.run { try await channel.rollBack(model, reason: reason) }
    let status = try channel.status()
    let now = status.models.first { $0.model == model }
    try options.say(now, "\(model): \(channel.answer(now?.current?.release, of: model))")
  }
}

struct ChannelAllow: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "allow",
    abstract: "Allows rejected models of a name to be installed on this device again.")

  @Argument(help: "The model's name in the channel, or REPOSITORY:CHANNEL:MODEL.")
  var model: String
  @OptionGroup var options: ChannelOptionsGroup

  func run() throws {
    let (channel, model) = try options.open(model: model)
    let count = try Interruption.shared.run { try await channel.allow(model) }
    try options.say(
      ["allowed": count],
      count == 0
        ? "\(model): no model was rejected" : "\(model): \(count) may be installed again")
  }
}
