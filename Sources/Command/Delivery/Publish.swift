import ArgumentParser
import CoreMLDelivery
import Foundation

/// `runtime publish`: the publisher's side of delivery.
struct Publish: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "publish",
    abstract: "Publishes models: writes a signed tree of files for any static host.",
    discussion: """
      A publisher's folder holds drafts and keys; upload its folder 'public' to the host. Changes are drafts until they are signed:

        runtime publish init shop --name shop
        runtime publish add shop Digits.mlpackage --model Digits --version 1.0
        runtime publish stage shop Digits --percent 10
        runtime publish sign shop

      Devices get the first root, public/root/1.json, with their software. The same steps with the same keys and --time (or \
      SOURCE_DATE_EPOCH) write the same bytes.
      """,
    subcommands: [
      PublishInit.self, PublishNewChannel.self, PublishAdd.self, PublishStage.self, PublishPromote.self,
      PublishPause.self,
      PublishRollback.self, PublishForce.self, PublishKill.self, PublishExperiment.self, PublishSign.self,
      PublishFreshen.self, PublishRotate.self, PublishSignRoot.self, PublishKey.self, PublishVerify.self,
      PublishGC.self, PublishPreview.self, PublishList.self, PublishStatus.self, PublishDiff.self,
    ])
}

/// The publisher's folder, and the time of the operation.
struct PublishOptions: ParsableArguments {
  @Argument(help: "The publisher's folder.", completion: .directory)
  var folder: String
  @Option(help: ArgumentHelp("The time to use as now, such as 2026-01-31T12:00:00Z.", valueName: "moment"))
  var time: String?
  @Flag(help: "Print JSON.")
  var json = false

  var url: URL { URL(filePath: folder, directoryHint: .isDirectory).standardizedFileURL }

  /// The current time, unless --time or else SOURCE_DATE_EPOCH (reproducible-builds.org) gives another.
  func now() throws -> Timestamp {
    if let time {
      guard let moment = Timestamp(time) else {
        throw Failure(.usage, "--time: expected a moment such as 2026-01-31T12:00:00Z, found '\(time)'")
      }
      return moment
    }
    if let epoch = ProcessInfo.processInfo.environment["SOURCE_DATE_EPOCH"] {
      guard let seconds = Int64(epoch) else {
        throw Failure(.usage, "SOURCE_DATE_EPOCH: expected seconds since 1970, found '\(epoch)'")
      }
      return Timestamp(seconds: seconds)
    }
    return .now
  }

  func publisher() throws -> Publisher { try Publisher(folder: url, now: now()) }

  /// JSON with --json or on a pipe, as in all commands; otherwise a sentence.
  func say(_ value: some Encodable, _ sentence: @autoclosure () -> String) throws {
    if json || !Console.outputIsTerminal { try Console.say(json: value) } else { Console.say(sentence()) }
  }
}

/// The channel, for commands about one channel.
struct ChannelOption: ParsableArguments {
  @Option(help: "The channel.")
  var channel = "stable"
}

/// A release in a draft.
struct ReleaseReport: Encodable {
  let channel: String
  let model: String
  let release: Int
  let version: String
  let state: String
  let percentage: Double

  init(_ release: Release, of model: String, in channel: String) {
    self.channel = channel
    self.model = model
    self.release = release.number
    version = release.version
    state = release.state.rawValue
    percentage = release.rollout.percentage
  }

  var sentence: String {
    "\(channel): release \(release) of \(model) (\(version)) is \(state) at \(percentage.formatted()) %; sign to publish"
  }
}
