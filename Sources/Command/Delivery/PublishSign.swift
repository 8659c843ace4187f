import ArgumentParser
import CoreMLDelivery
import Foundation

/// The keys that sign.
struct SigningKeyOptions: ParsableArguments {
  @Option(
    name: .customLong("key"),
    help: ArgumentHelp("A private key. May be repeated; those in the folder by default.", valueName: "file"),
    completion: .file(extensions: ["key"]))
  var files: [String] = []

  func keys(_ publisher: Publisher) throws -> [SigningKey] {
    try files.isEmpty ? publisher.keys() : files.map { try SigningKey(file: URL(filePath: $0)) }
  }
}

struct PublishSign: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sign",
    abstract: "Signs a channel and publishes it once enough keys have signed; also before it expires.")

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
  }

  func run() throws {
    let publisher = try options.publisher()
    let signed = try publisher.sign(channel.channel, with: keys.keys(publisher))
    let report = Report(
      channel: channel.channel, version: signed.manifest.version, expires: signed.manifest.expires,
      signatures: signed.signatures, threshold: signed.threshold, published: signed.isPublished)
    try options.say(
      report,
      signed.isPublished
        ? "\(channel.channel): version \(report.version) is published; it expires at \(report.expires)"
        : "\(channel.channel): version \(report.version) waits for signatures, \(report.signatures) of \(report.threshold)"
    )
  }
}

struct PublishRotate: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rotate",
    abstract: "Publishes the next root: adds and removes keys, renews its expiry.",
    discussion: """
      Enough keys of the old root and enough of the new one must be given. A removed key is worth nothing from then on; sign the channels \
      again afterwards. --floor forgets the versions that devices have seen: for a key that was stolen and misused.
      """)

  @OptionGroup var options: PublishOptions
  @OptionGroup var keys: SigningKeyOptions
  @Flag(help: "Make a new key and add it.")
  var newKey = false
  @Option(
    name: .customLong("remove"), help: ArgumentHelp("A key to remove, by the start of its identifier.", valueName: "id")
  )
  var removed: [String] = []
  @Option(help: "How many keys must sign from now on.")
  var threshold: Int?
  @Option(help: ArgumentHelp("The least version of a channel that counts from now on.", valueName: "channel=version"))
  var floor: [String] = []

  private struct Report: Encodable {
    let version: Int
    let keys: [String]
    let threshold: Int
  }

  func run() throws {
    let publisher = try options.publisher()
    var signers = try keys.keys(publisher)
    var added: SigningKey?
    if newKey {
      let key = try SigningKey()
      try key.write(to: publisher.keyFolder.appending(path: "\(key.publicKey.id.prefix(16)).key"))
      signers.append(key)
      added = key
    }
    let root: TrustRoot
    do {
      root = try publisher.rotate(with: signers) { root in
        if let key = added?.publicKey {
          root.keys[key.id] = key
          root.roles.root.keys.insert(key.id)
          root.roles.release.keys.insert(key.id)
        }
        for prefix in removed {
          let ids = root.keys.keys.filter { $0.hasPrefix(prefix) }
          guard ids.count == 1, let id = ids.first, prefix.count >= 8 else {
            throw Failure(.usage, "--remove: expected at least 8 digits of one key's identifier, found '\(prefix)'")
          }
          root.keys[id] = nil
          root.roles.root.keys.remove(id)
          root.roles.release.keys.remove(id)
        }
        if let threshold {
          root.roles.root.threshold = threshold
          root.roles.release.threshold = threshold
        }
        for text in floor {
          let parts = text.split(separator: "=")
          guard parts.count == 2, let version = Int(parts[1]) else {
            throw Failure(.usage, "--floor: expected a channel and a version such as stable=12, found '\(text)'")
          }
          root.floors = (root.floors ?? [:]).merging([
            String(parts[0]): TrustRoot.Floor(version: version, since: root.version + 1)
          ]) { $1 }
        }
      }
    } catch {
      if let added { unlink(publisher.keyFolder.appending(path: "\(added.publicKey.id.prefix(16)).key").path) }
      throw error
    }
    try options.say(
      Report(version: root.version, keys: root.keys.keys.sorted(), threshold: root.roles.root.threshold),
      "Version \(root.version) of the root is published: \(root.keys.count) keys, \(root.roles.root.threshold) must sign."
    )
  }
}

struct PublishVerify: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify",
    abstract: "Looks at the tree as a device does; exit status 1 when one would refuse something.")

  @OptionGroup var options: PublishOptions
  @Flag(help: "Unpack every object too.")
  var unpack = false

  private struct Report: Encodable {
    struct Problem: Encodable {
      let code: String
      let message: String
    }
    let problems: [Problem]
  }

  func run() throws {
    let problems = try options.publisher().verify(unpacking: unpack)
    try options.say(
      Report(problems: problems.map { .init(code: $0.code.rawValue, message: $0.description) }),
      problems.isEmpty ? "All is well." : problems.map { "\($0.code.rawValue): \($0)" }.joined(separator: "\n"))
    if !problems.isEmpty { throw Failure.negative }
  }
}

struct PublishGC: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "gc", abstract: "Removes what no draft and none of the last manifests speaks of.")

  @OptionGroup var options: PublishOptions
  @Option(help: "How many manifests of each channel stay, with all they speak of.")
  var keep = 3
  @Flag(help: "Only say what would be removed.")
  var dryRun = false

  private struct Report: Encodable {
    let removed: [String]
    let bytes: Int64
  }

  func run() throws {
    let (paths, bytes) = try options.publisher().collectGarbage(keeping: keep, dryRun: dryRun)
    try options.say(
      Report(removed: paths, bytes: bytes),
      (paths + ["\(paths.count) items, \(Console.bytes(Int(bytes)))"]).joined(separator: "\n"))
  }
}
