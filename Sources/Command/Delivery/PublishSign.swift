import ArgumentParser
import CoreMLDelivery
import Foundation

struct PublishSign: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sign",
    abstract: "Signs a channel and publishes it once enough keys have signed; repeat it before the manifest expires.")

  @OptionGroup var options: PublishOptions
  @OptionGroup var channel: ChannelOption
  @OptionGroup var keys: SigningKeyOptions

  private struct Report: Encodable {
    let channel: String
    let version: Int
    let expires: Timestamp
    let signatures: Int
    let threshold: Int
    let published: Bool
    /// When the freshness statement that was signed together with the manifest expires.
    let fresh: Timestamp?
  }

  func run() throws {
    let publisher = try options.publisher()
    let signers = try keys.signers(publisher, for: .release)
    let signed = try ProgressBar.during("Signing \(channel.channel)") {
      try publisher.sign(channel.channel, with: signers)
    }
    let fresh = signed.isPublished ? try freshened(publisher) : nil
    let report = Report(
      channel: channel.channel, version: signed.manifest.version, expires: signed.manifest.expires,
      signatures: signed.signatures, threshold: signed.threshold, published: signed.isPublished,
      fresh: fresh?.expires)
    let word = signed.isPublished ? try freshness(publisher, fresh) : ""
    try options.say(
      report,
      signed.isPublished
        ? "\(channel.channel): version \(report.version) is published; it expires at \(report.expires)" + word
        : "\(channel.channel): version \(report.version) waits for signatures, \(report.signatures) of \(report.threshold)"
    )
  }

  /// Signs a statement that the new manifest is the newest, if the key for this is in the folder and is not encrypted.
  private func freshened(_ publisher: Publisher) throws -> FreshnessStatement? {
    guard let role = try publisher.root().role(.freshness) else { return nil }
    let files = try publisher.keyFiles().filter { role.keys.contains($0.publicKey.id) && !$0.isEncrypted }
    guard files.count >= role.threshold else { return nil }
    return try publisher.freshen(channel.channel, with: files.map { try $0.key { nil } })
  }

  private func freshness(_ publisher: Publisher, _ statement: FreshnessStatement?) throws -> String {
    if let statement { return "; fresh until \(statement.expires)" }
    return try publisher.root().role(.freshness) == nil ? "" : "; devices wait for `publish freshen`"
  }
}
