import ArgumentParser
import CoreML
import CoreMLDelivery
import Foundation

struct ChannelStatusCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status", abstract: "What this device runs of a channel, or of all, and how well; asks no network.")

  @OptionGroup var options: ChannelOptionsGroup

  func run() throws {
    let all = try FollowedChannels(Places()).all()
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
      let current =
        model.current.map { "release \($0.release) (\($0.version))" } ?? "the model that came with the software"
      lines.append("\(model.model): \(current)\(model.isProven ? "" : ", new")")
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
      "Leaves a model for the last good one, or the one that came with the software, and does not come back to it.")

  @Argument(help: "The model's name in the channel.")
  var model: String
  @Option(help: "Why; `channel status` tells.")
  var reason = "asked for at this device"
  @OptionGroup var options: ChannelOptionsGroup

  func run() throws {
    let channel = try options.open()
    let (model, reason) = (model, reason)
    try Interruption.shared.run { try await channel.rollBack(model, reason: reason) }
    let status = try channel.status()
    try options.say(
      status.models.first { $0.model == model },
      status.models.first { $0.model == model }?.current.map { "\(model): release \($0.release)" }
        ?? "\(model): the model that came with the software")
  }
}

struct ChannelAllow: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "allow",
    abstract: "Forgets what this device holds against the models of a name: they may be installed again.")

  @Argument(help: "The model's name in the channel.")
  var model: String
  @OptionGroup var options: ChannelOptionsGroup

  func run() throws {
    let channel = try options.open()
    let model = model
    try Interruption.shared.run { try await channel.allow(model) }
  }
}
