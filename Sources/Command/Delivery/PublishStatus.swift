import ArgumentParser
import CoreMLDelivery
import Foundation

/// The channels of a command: one, or all.
struct ChannelsOption: ParsableArguments {
  @Option(help: "The channel; all channels by default.")
  var channel: String?

  func names(_ publisher: Publisher) throws -> [String] { try channel.map { [$0] } ?? publisher.channels() }
}

struct PublishList: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "Lists the releases in the drafts of channels.")

  @OptionGroup var options: PublishOptions
  @OptionGroup var channels: ChannelsOption

  private struct Report: Encodable {
    let channel: String
    let model: String
    let release: Int
    let version: String
    let state: String
    let percentage: Double
    let variants: [String]
    /// The most that a device without an older release fetches.
    let bytes: Int64
    let created: Timestamp
    /// Whether the published release equals the draft.
    let isPublished: Bool
  }

  func run() throws {
    let publisher = try options.publisher()
    let reports = try channels.names(publisher).flatMap { channel in
      let state = try publisher.state(channel)
      return state.draft.models.sorted { $0.key < $1.key }.flatMap { model, record in
        let published = state.published?.models[model]?.releases ?? []
        return record.releases.map { release in
          Report(
            channel: channel, model: model, release: release.number, version: release.version,
            state: release.state.rawValue, percentage: release.rollout.percentage,
            variants: release.variants.map(\.name), bytes: release.variants.map(\.shippedSize).max() ?? 0,
            created: release.created, isPublished: published.contains(release))
        }
      }
    }
    let rows = reports.map { report in
      [
        report.channel, report.model, "\(report.release)", report.version, report.state,
        "\(report.percentage.formatted()) %", Console.bytes(Int(report.bytes)), report.variants.joined(separator: ", "),
        report.isPublished ? "" : "sign to publish",
      ]
    }
    let head = ["CHANNEL", "MODEL", "RELEASE", "VERSION", "STATE", "TO", "SIZE", "VARIANTS", ""]
    try options.say(
      reports,
      reports.isEmpty
        ? "no releases; `runtime publish add` adds one" : Console.table([head] + rows, rightAligned: [2, 5, 6]))
  }
}

struct PublishStatus: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status",
    abstract:
      "Shows each channel's published version, its expiry and pending changes; exit status 1 if one has expired.")

  @OptionGroup var options: PublishOptions
  @OptionGroup var channels: ChannelsOption

  private struct Report: Encodable {
    let channel: String
    /// The published version; nil if there is none.
    let version: Int?
    let created: Timestamp?
    let expires: Timestamp?
    let hasExpired: Bool
    /// Nil without a freshness statement.
    let freshUntil: Timestamp?
    let models: Int
    /// The number of changes that signing would publish.
    let changes: Int
    let pendingVersion: Int?
    let signatures: Int?
    let threshold: Int

    var text: String {
      var parts: [String] = []
      if let version, let expires {
        parts.append("version \(version) is published; it \(hasExpired ? "expired" : "expires") at \(expires)")
        if let freshUntil { parts.append("fresh until \(freshUntil)") }
      } else {
        parts.append("nothing is published")
      }
      if let pendingVersion, let signatures {
        parts.append("version \(pendingVersion) waits for signatures, \(signatures) of \(threshold)")
      }
      parts.append(
        changes == 0 ? "the draft has nothing new" : "the draft has \(changes) change\(changes == 1 ? "" : "s")")
      return "\(channel): " + parts.joined(separator: "; ")
    }
  }

  private struct Whole: Encodable {
    let repository: String
    let root: Int
    let rootExpires: Timestamp
    let channels: [Report]
  }

  func run() throws {
    let publisher = try options.publisher()
    let root = try publisher.root()
    let reports = try channels.names(publisher).map { channel in
      let state = try publisher.state(channel)
      let expired = [state.published?.expires, state.fresh].compactMap { $0 }.contains { $0 < publisher.now }
      return Report(
        channel: channel, version: state.published?.version, created: state.published?.created,
        expires: state.published?.expires, hasExpired: expired, freshUntil: state.fresh,
        models: state.draft.models.count, changes: state.changes.count, pendingVersion: state.pending?.version,
        signatures: state.pending?.signatures, threshold: root.roles.release.threshold)
    }
    let whole = Whole(
      repository: publisher.settings.repository, root: root.version, rootExpires: root.expires, channels: reports)
    let head = "\(whole.repository): root \(root.version), which expires at \(root.expires)"
    try options.say(whole, ([head] + reports.map(\.text)).joined(separator: "\n"))
    if reports.contains(where: \.hasExpired) || root.expires < publisher.now { throw Failure.negative }
  }
}

struct PublishDiff: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "diff",
    abstract: "Shows what signing would change for devices; exit status 1 if there are changes.")

  @OptionGroup var options: PublishOptions
  @OptionGroup var channels: ChannelsOption

  private struct Report: Encodable {
    let channel: String
    let changes: [ManifestChange]
  }

  func run() throws {
    let publisher = try options.publisher()
    let reports = try channels.names(publisher).map { channel in
      Report(channel: channel, changes: try publisher.state(channel).changes)
    }
    let lines = reports.flatMap { report in report.changes.map { "\(report.channel): \(Console.oneLine($0.sentence))" }
    }
    try options.say(reports, lines.isEmpty ? "Drafts are as published." : lines.joined(separator: "\n"))
    if !lines.isEmpty { throw Failure.negative }
  }
}
