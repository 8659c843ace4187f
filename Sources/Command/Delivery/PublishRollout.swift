import ArgumentParser
import CoreMLDelivery
import Foundation

/// The options of the verbs that change one release.
struct ReleaseOptions: ParsableArguments {
  @OptionGroup var options: PublishOptions
  @OptionGroup var channel: ChannelOption
  @Argument(help: "The model's name.")
  var model: String
  @Option(parsing: .unconditional, help: "The release's number; by default the newest one that is not rolled back.")
  var release: Int?

  func say(_ release: Release) throws {
    let report = ReleaseReport(release, of: model, in: channel.channel)
    try options.say(report, report.sentence)
  }
}

struct PublishStage: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "stage", abstract: "Rolls a release out to a percentage of the devices.")

  @OptionGroup var common: ReleaseOptions
  @Option(parsing: .unconditional, help: "The percentage, 0 to 100; with --phases, the maximum.")
  var percent: Double
  @Option(help: "Successive percentages, such as 1,10,50,100.")
  var phases: String?
  @Option(parsing: .unconditional, help: "Seconds from one phase to the next.")
  var interval: Int64 = 86_400
  @Option(help: "Releases with the same identifier go to the same devices first.")
  var rolloutID: String?

  func validate() throws {
    guard (0...100).contains(percent) else {
      throw ValidationError("--percent is \(percent.formatted()), expected 0 to 100")
    }
    guard (1...315_360_000).contains(interval) else {
      throw ValidationError("--interval is \(interval), expected 1 to 315360000 seconds")
    }
  }

  func run() throws {
    let publisher = try common.options.publisher()
    let steps = try phases.map { text in
      let percentages = text.split(separator: ",").compactMap { Double($0) }
      guard !percentages.isEmpty, percentages.count == text.split(separator: ",").count else {
        throw Failure(.usage, "--phases: expected percentages such as 1,10,50,100, found '\(text)'")
      }
      return Rollout.Phases(start: publisher.now, interval: interval, percentages: percentages)
    }
    try common.say(
      publisher.stage(
        common.model, common.release, percentage: percent, phases: steps, rolloutID: rolloutID,
        in: common.channel.channel))
  }
}

struct PublishPromote: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "promote", abstract: "Rolls a release out to all devices.")

  @OptionGroup var common: ReleaseOptions

  func run() throws {
    let publisher = try common.options.publisher()
    try common.say(publisher.promote(common.model, common.release, in: common.channel.channel))
  }
}

struct PublishPause: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pause", abstract: "Stops the rollout of a release to further devices; 'stage' resumes it.")

  @OptionGroup var common: ReleaseOptions

  func run() throws {
    let publisher = try common.options.publisher()
    try common.say(publisher.pause(common.model, common.release, in: common.channel.channel))
  }
}

struct PublishRollback: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rollback", abstract: "Withdraws a release permanently: devices return to an older one.")

  @OptionGroup var common: ReleaseOptions
  @Option(help: "The reason, which devices log.")
  var reason = "taken back by the publisher"

  func run() throws {
    let publisher = try common.options.publisher()
    try common.say(publisher.rollBack(common.model, common.release, reason: reason, in: common.channel.channel))
  }
}

struct PublishForce: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "force", abstract: "Forces every device to run one release, or ends this (--none).")

  @OptionGroup var common: ReleaseOptions
  @Flag(help: "Force no release.")
  var none = false

  func validate() throws {
    guard none != (common.release != nil) else { throw ValidationError("Expected either --release or --none.") }
  }

  func run() throws {
    let publisher = try common.options.publisher()
    try publisher.force(common.model, none ? nil : common.release, in: common.channel.channel)
    try common.options.say(
      ["forced": common.release], none ? "No release of \(common.model) is forced." : "Sign to force the release.")
  }
}

struct PublishKill: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "kill",
    abstract: "Switches devices to the model that came with their software, or back (--undo).")

  @OptionGroup var options: PublishOptions
  @OptionGroup var channel: ChannelOption
  @Argument(help: "The model's name; all models of the channel by default.")
  var model: String?
  @Option(help: "The reason, which devices log.")
  var reason = "switched off by the publisher"
  @Flag(help: "Return to the channel's releases.")
  var undo = false

  func run() throws {
    try options.publisher().kill(model, reason: undo ? nil : reason, in: channel.channel)
    let what = model ?? "all models of the channel"
    try options.say(["killed": !undo], "\(what): switched \(undo ? "on" : "off"); sign to publish")
  }
}

struct PublishExperiment: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "experiment", abstract: "Starts an experiment with several releases, or ends it (--end).")

  @OptionGroup var options: PublishOptions
  @OptionGroup var channel: ChannelOption
  @Argument(help: "The model's name.")
  var model: String
  @Option(name: .customLong("id"), help: "The identifier that devices are assigned by.")
  var identifier: String?
  @Option(help: ArgumentHelp("The champion's release and weight.", valueName: "number:weight"))
  var champion: String?
  @Option(help: ArgumentHelp("A challenger's release and weight. May be repeated.", valueName: "number:weight"))
  var challenger: [String] = []
  @Flag(help: "End the experiment.")
  var end = false

  func validate() throws {
    guard end != (identifier != nil && champion != nil && !challenger.isEmpty) else {
      throw ValidationError("Expected either --id, --champion and --challenger, or --end.")
    }
  }

  func run() throws {
    let arms =
      try [champion].compactMap { $0 }.map { try arm(.champion, $0) } + challenger.map { try arm(.challenger, $0) }
    var releases: Set<Int> = []
    for arm in arms where !releases.insert(arm.release).inserted {
      throw Failure(.usage, "expected arms of different releases, found release \(arm.release) in two")
    }
    try options.publisher().experiment(
      model, end ? nil : Experiment(id: identifier ?? "", arms: arms), in: channel.channel)
    try options.say(
      ["arms": arms], end ? "\(model): the experiment ends" : "\(model): \(arms.count) arms; sign to publish")
  }

  private func arm(_ role: Experiment.Arm.Role, _ text: String) throws -> Experiment.Arm {
    let parts = text.split(separator: ":")
    guard parts.count == 2, let release = Int(parts[0]), let weight = Double(parts[1]) else {
      throw Failure(.usage, "expected a release and a weight such as 2:10, found '\(text)'")
    }
    return Experiment.Arm(role: role, release: release, weight: weight)
  }
}
