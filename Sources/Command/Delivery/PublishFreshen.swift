import ArgumentParser
import CoreMLDelivery
import Foundation

struct PublishFreshen: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "freshen",
    abstract: "Signs a statement that a channel's manifest is still the newest; for an hourly job.",
    discussion: """
      Its key can sign nothing else. With such a key, devices reject every manifest once the last statement is older than its lifetime plus \
      a day. 'publish sign' also signs a statement if the key is in the folder.
      """)

  @OptionGroup var options: PublishOptions
  @Option(help: ArgumentHelp("The channel; all published channels by default.", valueName: "channel"))
  var channel: String?
  @OptionGroup var signers: SigningKeyOptions
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Hours until the statement expires; those of `publish init` by default.", valueName: "hours"))
  var hours: Double?

  struct Report: Encodable {
    let channel: String
    let manifest: Int
    let root: Int
    let expires: Timestamp

    init(_ statement: FreshnessStatement) {
      (channel, manifest, root, expires) = (statement.channel, statement.manifest, statement.root, statement.expires)
    }
  }

  func validate() throws {
    guard hours.map({ (0.01...336).contains($0) }) ?? true else { throw ValidationError("Expected up to 336 hours.") }
  }

  func run() throws {
    let publisher = try options.publisher()
    let keys = try signers.signers(publisher, for: .freshness)
    let channels = try channel.map { [$0] } ?? publisher.publishedChannels()
    guard !channels.isEmpty else {
      throw DeliveryError(.cannotPublish, "no channel is published", file: options.folder)
    }
    let reports = try channels.map {
      Report(try publisher.freshen($0, with: keys, lifetime: hours.map { Int64($0 * 3600) }))
    }
    try options.say(
      reports,
      reports.map { "\($0.channel): version \($0.manifest) is the newest, until \($0.expires)" }.joined(separator: "\n")
    )
  }
}
