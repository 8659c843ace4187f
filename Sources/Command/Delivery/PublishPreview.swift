import ArgumentParser
import CoreMLBase
import CoreMLDelivery
import CoreMLSpec
import Foundation

struct PublishPreview: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "preview", abstract: "Shows what a device would get from a channel's draft, with the reasons.",
    discussion: """
      A device is described by 'this', by a JSON file, or by some of: id, runtime, specification, architecture, class (several with '+'), \
      half, memory (megabytes), locale; other properties are those of this machine. For example: --device id=a1,architecture=aarch64,class=cpu+gpu
      """)

  @OptionGroup var options: PublishOptions
  @OptionGroup var channel: ChannelOption
  @Argument(help: "The model's name; all models of the channel by default.")
  var model: String?
  @Option(help: "The device.")
  var device = "this"
  @Option(parsing: .unconditional, help: "The release number that the device currently has.")
  var current: Int?

  private struct Report: Encodable {
    let model: String
    /// Nil: the model that came with the software.
    let release: Int?
    let version: String?
    let variant: String?
    let bucketPercent: Double?
    let arm: Experiment.Arm?
    /// Bytes to fetch: in full, and as a delta from the current release if there is one.
    let whole: Int64?
    let delta: Int64?
    let reasons: [ReleaseChoice.Verdict]
  }

  func run() throws {
    let publisher = try options.publisher()
    let manifest = try publisher.draft(channel.channel)
    let target = try Self.device(device)
    if let model, manifest.models[model] == nil {
      throw DeliveryError(.cannotPublish, "the channel '\(channel.channel)' has no model '\(model)'")
    }
    let reports = (model.map { [$0] } ?? manifest.models.keys.sorted()).map {
      report($0, manifest, target, publisher.now)
    }
    try options.say(reports, reports.map { text($0) }.joined(separator: "\n"))
  }

  private func report(_ model: String, _ manifest: ReleaseManifest, _ target: TargetDevice, _ now: Timestamp) -> Report
  {
    let choice = manifest.choice(of: model, for: target, current: current, now: now)
    var chosen: (Release, Variant)?
    if case .release(let release, let variant) = choice.outcome { chosen = (release, variant) }
    let installed = manifest.models[model]?.releases.first { $0.number == current }?.variants.map(\.tree) ?? []
    return Report(
      model: model, release: chosen?.0.number, version: chosen?.0.version, variant: chosen?.1.name,
      bucketPercent: (chosen?.0.rollout.id).map { Rollout.bucket(device: target.id, id: $0) * 100 },
      arm: choice.arm, whole: chosen?.1.shippedSize,
      delta: chosen?.1.deltas.first { installed.contains($0.from) }?.payload.smallest?.size,
      reasons: choice.verdicts)
  }

  private func text(_ report: Report) -> String {
    let head =
      report.release.map {
        "\(report.model): release \($0) (\(report.version ?? "")), variant \(report.variant ?? ""), \(Console.bytes(Int(report.whole ?? 0))) to fetch"
          + (report.delta.map { ", or \(Console.bytes(Int($0))) as a delta" } ?? "")
      } ?? "\(report.model): nothing; the model that came with the software, if there is one"
    return
      ([head]
      + report.reasons.map { reason in
        let place = [reason.release.map { "release \($0)" }, reason.variant].compactMap { $0 }.joined(separator: ", ")
        return "  \(place.isEmpty ? report.model : place): \(reason.sentence)"
      }).joined(separator: "\n")
  }

  /// Parses a device's description.
  static func device(_ text: String) throws -> TargetDevice {
    var device = TargetDevice.this(id: "this", runtimeVersion: PackageVersion.current)
    if text == "this" { return device }
    if let data = OpenFile.contents(atPath: text, limit: 1 << 20) {
      do {
        return try JSONDecoder().decode(TargetDevice.self, from: Data(data))
      } catch {
        throw Failure(.data, "\(text): expected a device in JSON, as 'preview --device this' describes this one")
      }
    }
    for part in text.split(separator: ",") {
      let pair = part.split(separator: "=", maxSplits: 1).map(String.init)
      func wrong() -> Failure { Failure(.usage, "--device: '\(part)' is no property of a device") }
      guard pair.count == 2 else { throw wrong() }
      switch pair[0] {
      case "id": device.id = pair[1]
      case "runtime": device.runtimeVersion = pair[1]
      case "specification":
        guard let version = Int(pair[1]) else { throw wrong() }
        device.specificationVersion = version
      case "architecture": device.architecture = pair[1]
      case "class": device.classes = Set(pair[1].split(separator: "+").map(String.init))
      case "half":
        guard let half = Bool(pair[1]) else { throw wrong() }
        device.halfPrecision = half
      case "memory":
        guard let memory = Int64(pair[1]), (0...(1 << 40)).contains(memory) else { throw wrong() }
        device.memory = memory * 1_000_000
      case "locale": device.locale = pair[1]
      default: throw wrong()
      }
    }
    return device
  }
}
