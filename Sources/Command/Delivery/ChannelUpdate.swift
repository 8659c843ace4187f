import ArgumentParser
import CoreML
import CoreMLDelivery
import Foundation

/// One model of a channel, in the reports of `check` and `update`.
private struct OfferReport: Encodable {
  let model: String
  /// Nil: the model that came with the software.
  let current: Int?
  let offered: Int?
  let version: String?
  let update: Bool
  let reasons: [ReleaseChoice.Verdict]
  private let sentence: String

  enum CodingKeys: String, CodingKey { case model, current, offered, version, update, reasons }

  init(_ offer: ChannelCheck.Offer, of channel: ModelChannel) {
    (model, current, update) = (offer.model, offer.current?.release, offer.isUpdate)
    reasons = offer.choice.verdicts
    if case .release(let release, _) = offer.choice.outcome {
      (offered, version) = (release.number, release.version)
    } else {
      (offered, version) = (nil, nil)
    }
    let now = channel.answer(current, of: model)
    let reason = reasons.first { $0.code != .chosen }?.sentence
    sentence =
      if update {
        "\(now) -> \(channel.answer(offered, of: model))"
      } else if current == nil && !channel.hasBaseline(model) {
        "\(now) for this device\(reason.map { ": \($0)" } ?? "")"
      } else {
        "\(now) is up to date"
      }
  }

  var text: String { "\(model): \(sentence)" }
}

struct ChannelCheckCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check", abstract: "Checks for updates for this device, without fetching models.")

  @OptionGroup var options: ChannelOptionsGroup

  private struct Report: Encodable {
    let manifest: Int
    let isNew: Bool
    let hasUpdates: Bool
    let warnings: [String]
    let models: [OfferReport]
  }

  func run() throws {
    let channel = try options.open()
    let check = try EventPrinter.during(channel) { try Interruption.shared.run { try await channel.check() } }
    for warning in check.warnings { Console.complain(warning.message) }
    for (model, error) in check.missing.sorted(by: { $0.key < $1.key }) { Console.complain("\(model): \(error)") }
    let offers = check.offers.map { OfferReport($0, of: channel) }
    try options.say(
      Report(
        manifest: check.manifest.version, isNew: check.isNew, hasUpdates: check.hasUpdates,
        warnings: check.warnings.map(\.code.rawValue), models: offers),
      offers.map(\.text).joined(separator: "\n"))
  }
}

struct ChannelUpdateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "update",
    abstract: "Fetches the models for this device, tries them, and switches to them; exit status 1 if a model failed.")

  @OptionGroup var options: ChannelOptionsGroup
  @OptionGroup var trials: TrialOptions
  @Option(
    help: ArgumentHelp(
      "Use this release of a model, or of every model, regardless of its rollout, for example to try a staged release. May be repeated.",
      valueName: "[model=]number"))
  var release: [AskedRelease] = []
  @Option(parsing: .unconditional, help: ArgumentHelp("Repeat forever at this interval.", valueName: "seconds"))
  var every: Double?
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "The approximate interval for reading and checking all models again; 0 for never.", valueName: "days"))
  var verifyEvery = 7.0
  @Flag(help: "Read and check all models again now; damaged ones are moved aside and fetched again.")
  var verify = false

  func validate() throws {
    if let every, !(every >= 1 && every < 1e9) {
      throw ValidationError("--every is \(every), expected 1 or more seconds")
    }
    if !(verifyEvery >= 0 && verifyEvery < 1e6) {
      throw ValidationError("--verify-every is \(verifyEvery), expected a number of days")
    }
  }

  private struct Report: Encodable {
    struct Switch: Encodable {
      let model: String
      let from: Int?
      let to: Int?
      let tree: String?
    }
    struct Problem: Encodable {
      let code: String
      let message: String
    }
    let manifest: Int
    let warnings: [String]
    let switches: [Switch]
    let failures: [String: Problem]
  }

  func run() throws {
    let asked = try AskedRelease.byModel(
      release, followed: FollowedChannels(DeliveryDirectories()).channel(options.channel).models)
    let (verify, verifyEvery, policy) = (verify, verifyEvery, trials.policy)
    let channel = try options.open { options in
      options.asked.merge(asked) { $1 }
      options.trials = policy
      options.verifiesNow = verify
      options.verifyInterval = verifyEvery > 0 ? .seconds(verifyEvery * 86_400) : nil
    }
    guard let every else {
      let update = try EventPrinter.during(channel) { try Interruption.shared.run { try await channel.update() } }
      return try say(update, of: channel)
    }
    try Interruption.shared.run {
      while true {
        do {
          try say(await EventPrinter.during(channel) { try await channel.update() }, of: channel, goingOn: true)
        } catch is CancellationError {
          throw CancellationError()
        } catch {
          Console.complain("\(Failure(error)); again in \(every) s")
        }
        try await Task.sleep(for: .seconds(every))
      }
    }
  }

  private func say(_ update: ChannelUpdate, of channel: ModelChannel, goingOn: Bool = false) throws {
    for warning in update.check.warnings { Console.complain(warning.message) }
    let switches = update.switches.map {
      Report.Switch(model: $0.model, from: $0.from?.release, to: $0.to?.release, tree: $0.to?.tree)
    }
    let failures = update.failures.mapValues { Report.Problem(code: $0.code.rawValue, message: "\($0)") }
    let text =
      switches.map { item in
        "\(item.model): now \(channel.answer(item.to, of: item.model))"
      } + failures.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value.code): \($0.value.message)" }
    try options.say(
      Report(
        manifest: update.check.manifest.version, warnings: update.check.warnings.map(\.code.rawValue),
        switches: switches, failures: failures),
      text.isEmpty ? "everything is up to date" : text.joined(separator: "\n"))
    if !goingOn && !failures.isEmpty { throw Failure.negative }
  }
}
